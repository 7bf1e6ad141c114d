/** Runs one compiled test file with a mutant, or without one, up to its first failure. */
import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { root } from '../run.js';
import { descendantsOf, killGroup, killProcesses } from '../test-runner/processes.js';

const PRELOAD = new URL('replace-module.js', import.meta.url).href;
const FAILURE = /^ *not ok (.*)/m;

const running = new Set();

/** Ends all test processes and their descendants. */
export function endAll() {
  for (const pid of running) end(pid);
}

function end(pid) {
  killProcesses(descendantsOf(pid));
  killGroup(pid);
}

/**
 * Returns the reason why the file failed, or null if it passed.
 *
 * @param {string} file - Relative to the root of the repository.
 * @param {{ description?: string, timeoutMs: number }} options - `description` is the path of the mutant's description.
 * @returns {Promise<string | null>}
 */
export function runFile(file, { description, timeoutMs }) {
  const { NODE_OPTIONS: options = '', ...env } = process.env;
  const child = spawn(process.execPath, [fileURLToPath(new URL(file, `file://${root}`))], {
    cwd: root,
    // A process group, so that the children of the test can be ended with it.
    detached: true,
    stdio: ['ignore', 'pipe', 'ignore'],
    env: {
      ...env,
      TAP_TIMEOUT: String(timeoutMs / 1000),
      NO_COLOR: '1',
      FORCE_COLOR: '0',
      NODE_OPTIONS: `${options} --import=${PRELOAD}`,
      ...(description !== undefined && { CALLSHEET_MUTANT: description }),
    },
  });
  running.add(child.pid);
  return new Promise((resolve, reject) => {
    let text = '';
    let failure = null;
    const fail = (reason) => {
      failure ??= reason;
      end(child.pid);
    };
    const timer = setTimeout(() => fail('time limit'), timeoutMs);
    child.stdout.setEncoding('utf8').on('data', (chunk) => {
      text += chunk;
      const complete = text.slice(0, text.lastIndexOf('\n') + 1);
      text = text.slice(complete.length);
      const found = FAILURE.exec(complete);
      if (found !== null) fail(found[1].trim());
    });
    child.on('error', reject);
    child.on('exit', (code, signal) => {
      clearTimeout(timer);
      running.delete(child.pid);
      if (code !== 0) failure ??= signal === null ? `exit status ${code}` : `ended by ${signal}`;
      end(child.pid);
      child.stdout.destroy();
      resolve(failure);
    });
  });
}
