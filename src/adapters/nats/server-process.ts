import { execFile, spawn } from 'node:child_process';
import { closeSync, existsSync, openSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import { BackoffTimer } from './backoff.ts';
import { withDeadline } from './connection.ts';
import { SERVER_LIMITS } from './limits.ts';
import type { ServerBinary } from './server-binary.ts';

/** How a process ended. Both null: it was no child of this process, so that nobody told. */
export interface ProcessEnd {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

/** A nats-server that runs with our configuration. */
export interface ServerProcess {
  readonly pid: number;
  /** Resolves when it is gone. */
  readonly ended: Promise<ProcessEnd>;
  /** From then on its pid may be another's. */
  hasEnded(): boolean;
}

function serverProcess(pid: number, ended: Promise<ProcessEnd>): ServerProcess {
  let isGone = false;
  const noted = ended.then((end) => {
    isGone = true;
    return end;
  });
  return { pid, ended: noted, hasEnded: () => isGone };
}

const PROC = '/proc';

/** The arguments that make a process ours: exactly these. */
const argumentsFor = (configPath: string): readonly string[] => ['-c', configPath];

async function argumentsOf(pid: number): Promise<readonly string[]> {
  try {
    const text = await readFile(`${PROC}/${pid}/cmdline`, 'utf8');
    return text.split('\0').slice(1, -1);
  } catch {
    // It has ended meanwhile, or is another user's.
    return [];
  }
}

/** Processes with their command lines where there is no /proc. */
async function listProcesses(): Promise<readonly { readonly pid: number; readonly command: string }[]> {
  const { stdout } = await promisify(execFile)('ps', ['-axww', '-o', 'pid=,args='], {
    maxBuffer: 16 * 1024 * 1024,
  });
  return stdout.split('\n').flatMap((row) => {
    const match = /^\s*(\d+)\s+(.*\S)\s*$/.exec(row);
    return match === null ? [] : [{ pid: Number(match[1]), command: match[2] ?? '' }];
  });
}

/**
 * The running server that was started with this configuration file, whoever started it; null when there is none. The
 * process table is asked and no file with a pid: it is never stale, and two servers must never share one store.
 */
export async function findServerProcess(configPath: string): Promise<number | null> {
  const wanted = argumentsFor(configPath);
  if (!existsSync(`${PROC}/self/cmdline`)) {
    const found = (await listProcesses()).find(({ command }) => command.endsWith(` ${wanted.join(' ')}`));
    return found?.pid ?? null;
  }
  for (const name of await readdir(PROC)) {
    if (!/^\d+$/.test(name)) continue;
    const pid = Number(name);
    if (await runsWith(pid, wanted)) return pid;
  }
  return null;
}

async function runsWith(pid: number, wanted: readonly string[]): Promise<boolean> {
  const have = await argumentsOf(pid);
  return have.length === wanted.length && have.every((argument, index) => argument === wanted[index]);
}

async function isServerProcess(pid: number, configPath: string): Promise<boolean> {
  if (existsSync(`${PROC}/self/cmdline`)) return runsWith(pid, argumentsFor(configPath));
  return (await findServerProcess(configPath)) === pid;
}

/** Starts a server in a process group of its own: it outlives this process unless it is ended. */
export function spawnServer(
  binary: ServerBinary,
  configPath: string,
  outputPath: string,
): ServerProcess | null {
  const output = openSync(outputPath, 'w', 0o600);
  try {
    // No environment: it may hold secrets of the service, and the server needs none of it.
    const child = spawn(binary.path, argumentsFor(configPath), {
      detached: true,
      env: {},
      stdio: ['ignore', output, output],
    });
    const ended = new Promise<ProcessEnd>((resolve) => {
      child.on('error', () => resolve({ code: null, signal: null }));
      child.on('exit', (code, signal) => resolve({ code, signal }));
    });
    child.unref();
    return child.pid === undefined ? null : serverProcess(child.pid, ended);
  } finally {
    closeSync(output);
  }
}

/** A server that an earlier process started: watched by looking at it again and again. */
export function watchServer(pid: number, configPath: string): ServerProcess {
  const pauses = new BackoffTimer();
  const watch = async (): Promise<ProcessEnd> => {
    while (await isServerProcess(pid, configPath)) await pauses.pause(SERVER_LIMITS.watchMs);
    return { code: null, signal: null };
  };
  return serverProcess(pid, watch());
}

/** Asks a server to end and waits; kills it when it takes too long. */
export async function endServer(server: ServerProcess): Promise<void> {
  if (server.hasEnded()) return;
  signal(server.pid, 'SIGTERM');
  if (await withDeadline(server.ended, SERVER_LIMITS.stopMs)) return;
  if (!server.hasEnded()) signal(server.pid, 'SIGKILL');
  await server.ended;
}

function signal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name);
  } catch (error) {
    const isGone = error instanceof Error && 'code' in error && error.code === 'ESRCH';
    if (!isGone) throw error;
  }
}
