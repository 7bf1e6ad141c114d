import { execFile, spawn } from 'node:child_process';
import { closeSync, existsSync, openSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import { BackoffTimer } from './backoff.ts';
import { withDeadline } from './connection.ts';
import { SERVER_LIMITS } from './limits.ts';
import type { ServerBinary } from './server-binary.ts';

/** End of a process. Both null: its status is unknown, because it was not a child of this process. */
export interface ProcessEnd {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

/** A nats-server with this program's configuration. */
export interface ServerProcess {
  readonly pid: number;
  /** Resolves when it has exited. */
  readonly ended: Promise<ProcessEnd>;
  /** If true, another process may have its pid. */
  hasEnded(): boolean;
  /** Resolves `ended` although the process runs: this program no longer watches it. */
  release(): void;
}

function serverProcess(
  pid: number,
  ended: Promise<ProcessEnd>,
  stopWatching: () => void = () => undefined,
): ServerProcess {
  let isGone = false;
  let release: () => void = () => undefined;
  const released = new Promise<ProcessEnd>((resolve) => {
    release = () => resolve({ code: null, signal: null });
  });
  const noted = Promise.race([
    ended.then((end) => {
      isGone = true;
      return end;
    }),
    released,
  ]);
  return {
    pid,
    ended: noted,
    hasEnded: () => isGone,
    release: () => {
      stopWatching();
      release();
    },
  };
}

const PROC = '/proc';

/** Returns the exact arguments by which a process is recognized. */
const argumentsFor = (configPath: string): readonly string[] => ['-c', configPath];

async function argumentsOf(pid: number): Promise<readonly string[]> {
  try {
    const text = await readFile(`${PROC}/${pid}/cmdline`, 'utf8');
    return text.split('\0').slice(1, -1);
  } catch {
    // It has exited meanwhile, or belongs to another user.
    return [];
  }
}

/** Lists processes with their command lines on systems without /proc. */
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
 * Returns the running server with this configuration file, started by any process, or null. Uses the process table
 * instead of a pid file, which could be stale: two servers must never share one store.
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

/** Starts a server in its own process group: it survives this process unless it is stopped. */
export function spawnServer(
  binary: ServerBinary,
  configPath: string,
  outputPath: string,
): ServerProcess | null {
  const output = openSync(outputPath, 'w', 0o600);
  try {
    // No environment: it may contain secrets of the service, and the server needs no variables.
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

/** Watches a server that an earlier process started, by polling. */
export function watchServer(pid: number, configPath: string): ServerProcess {
  const pauses = new BackoffTimer();
  let isWatching = true;
  const watch = async (): Promise<ProcessEnd> => {
    while (isWatching && (await isServerProcess(pid, configPath))) await pauses.pause(SERVER_LIMITS.watchMs);
    return { code: null, signal: null };
  };
  return serverProcess(pid, watch(), () => {
    isWatching = false;
    pauses.end();
  });
}

/** Stops a server and waits; kills it after a timeout. */
export async function endServer(server: ServerProcess): Promise<void> {
  if (server.hasEnded()) return;
  signal(server.pid, 'SIGTERM');
  if (await withDeadline(server.ended, SERVER_LIMITS.stopMs)) return;
  if (!server.hasEnded()) signal(server.pid, 'SIGKILL');
  await server.ended;
}

/** Lets a server read its configuration and its certificate again. */
export function reloadServer(server: ServerProcess): void {
  if (!server.hasEnded()) signal(server.pid, 'SIGHUP');
}

function signal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name);
  } catch (error) {
    const isGone = error instanceof Error && 'code' in error && error.code === 'ESRCH';
    if (!isGone) throw error;
  }
}
