import { spawn } from 'node:child_process';
import { connect } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';

const READY_WITHIN_MS = 20_000;
const LOOK_EVERY_MS = 20;
/** The data are discarded: a server that does not end by itself is killed. */
const ENDED_WITHIN_MS = 10_000;
const KEPT_OUTPUT = 4_000;

/** A server of a peer that the bench starts, and ends with its own process. */
export interface ServerProcess {
  stop(): Promise<void>;
}

export interface ServerOptions {
  readonly program: string;
  readonly args: readonly string[];
  readonly env?: NodeJS.ProcessEnv;
  /** User to run as, if not the user of the bench. */
  readonly user?: { readonly uid: number; readonly gid: number };
  /** Signal that asks it to end. */
  readonly signal?: NodeJS.Signals;
  readonly isReady: () => boolean | Promise<boolean>;
}

/** Starts a server. Resolves when it is ready. */
export async function startServer(options: ServerOptions): Promise<ServerProcess> {
  const { program, args, env = process.env, user, signal = 'SIGTERM', isReady } = options;
  const child = spawn(program, args, { cwd: '/', env, stdio: ['ignore', 'pipe', 'pipe'], ...user });
  let output = '';
  const keep = (chunk: Buffer): void => {
    output = (output + chunk.toString()).slice(-KEPT_OUTPUT);
  };
  child.stdout.on('data', keep);
  child.stderr.on('data', keep);
  let hasEnded = false;
  const ended = new Promise<void>((resolve) => {
    const end = (): void => {
      hasEnded = true;
      resolve();
    };
    child.once('error', (error) => {
      output += error.message;
      end();
    });
    child.once('exit', end);
  });
  const stop = (): Promise<void> => {
    if (hasEnded) return ended;
    child.kill(signal);
    const limit = setTimeout(() => child.kill('SIGKILL'), ENDED_WITHIN_MS);
    return ended.finally(() => clearTimeout(limit));
  };
  const latest = performance.now() + READY_WITHIN_MS;
  while (!hasEnded && !(await isReady())) {
    if (performance.now() > latest) {
      await stop();
      throw new Error(`${program} was not ready after ${READY_WITHIN_MS / 1000} s: ${output}`);
    }
    await delay(LOOK_EVERY_MS);
  }
  if (hasEnded) throw new Error(`${program} ended at its start: ${output}`);
  return { stop };
}

/** Reports whether a port of the loopback has a listener. */
export function listens(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ host: '127.0.0.1', port });
    const say = (isThere: boolean) => (): void => {
      socket.destroy();
      resolve(isThere);
    };
    socket.once('connect', say(true));
    socket.once('error', say(false));
  });
}
