/**
 * Runs programs for the other scripts. Plain JavaScript without dependencies: it must work before packages are installed.
 */
import { spawn, spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';

/** The root of the repository. */
export const root = fileURLToPath(new URL('..', import.meta.url));

/** A script cannot continue. The message is complete for the reader. */
export class Stop extends Error {}

/**
 * Runs a program in the foreground, in the root of the repository. Returns its exit status, 128 if a signal ended it.
 * Interrupts go to the program, which handles them; this process waits for it.
 *
 * @param {string} program
 * @param {readonly string[]} args
 * @param {{ env?: NodeJS.ProcessEnv, stdout?: 'inherit' | 'ignore' }} [options]
 * @returns {Promise<number>}
 */
export function run(program, args, options = {}) {
  return new Promise((resolve, reject) => {
    const { env = process.env, stdout = 'inherit' } = options;
    const child = spawn(program, args, { cwd: root, stdio: ['inherit', stdout, 'inherit'], env });
    const pass = (signal) => child.kill(signal);
    const wait = () => {};
    process.on('SIGTERM', pass);
    process.on('SIGHUP', pass);
    // A terminal sends SIGINT to the child as well.
    process.on('SIGINT', wait);
    const ended = () => {
      process.off('SIGTERM', pass);
      process.off('SIGHUP', pass);
      process.off('SIGINT', wait);
    };
    child.on('error', (error) => {
      ended();
      reject(new Stop(`${program} could not be started: ${error.message}`));
    });
    child.on('exit', (code) => {
      ended();
      resolve(code ?? 128);
    });
  });
}

/**
 * Runs a program without a terminal, in the root of the repository unless `cwd` is given. Returns its exit status and all its output.
 *
 * @param {string} program
 * @param {readonly string[]} args
 * @param {{ env?: NodeJS.ProcessEnv, cwd?: string }} [options]
 * @returns {Promise<{ status: number, output: string }>}
 */
export function capture(program, args, { env = process.env, cwd = root } = {}) {
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, { cwd, stdio: ['ignore', 'pipe', 'pipe'], env });
    let output = '';
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding('utf8').on('data', (chunk) => (output += chunk));
    }
    const pass = (signal) => child.kill(signal);
    process.on('SIGTERM', pass);
    child.on('error', (error) => reject(new Stop(`${program} could not be started: ${error.message}`)));
    child.on('close', (code, signal) => {
      process.off('SIGTERM', pass);
      if (signal !== null) output += `\nended by ${signal}\n`;
      resolve({ status: code ?? 128, output });
    });
  });
}

/**
 * Reports whether a program can be run, by running it with arguments that do nothing.
 *
 * @param {string} program
 * @param {readonly string[]} args
 * @param {NodeJS.ProcessEnv} [env]
 */
export function works(program, args, env = process.env) {
  return spawnSync(program, args, { stdio: 'ignore', env }).status === 0;
}

/**
 * Sets the exit status of the process to the result of a script's main function. Prints its error and sets 1 if it fails.
 *
 * @param {() => Promise<number>} main
 */
export async function runMain(main) {
  try {
    process.exitCode = await main();
  } catch (error) {
    console.error(error instanceof Stop ? error.message : error);
    process.exitCode = 1;
  }
}
