import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, existsSync, openSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { packageRoot } from '../../src/adapters/system/package-root.ts';
import { ApiClient } from './api-client.ts';
import { engineEnvironment } from './http-engine.ts';
import { tokenFile } from './worker-access.ts';

const COMMAND = fileURLToPath(new URL('bin/callsheet.js', packageRoot));

/** A server or worker daemon in its own process. */
export class Daemon {
  readonly child: ChildProcess;
  readonly ended: Promise<{ readonly code: number | null; readonly signal: string | null }>;
  private readonly logFile: string;

  /** `launcher` is a program with arguments that executes the command after them (`ip netns exec NAME`). */
  constructor(
    args: readonly string[],
    logFile: string,
    environment: Readonly<Record<string, string>> = {},
    launcher: readonly string[] = [],
    command = COMMAND,
  ) {
    this.logFile = logFile;
    const { PATH = '', HOME = '' } = process.env;
    const [program = process.execPath, ...rest] = [...launcher, process.execPath, command, ...args];
    // The daemon writes to the file itself, so that the log is complete when the process has ended.
    const log = openSync(logFile, 'a');
    this.child = spawn(program, rest, {
      stdio: ['ignore', 'pipe', log],
      env: { PATH: `${PATH}:/usr/sbin`, HOME, ...engineEnvironment(), ...environment },
    });
    closeSync(log);
    this.ended = once(this.child, 'exit').then(([code, signal]: (number | string | null)[]) => ({
      code: code as number | null,
      signal: signal as string | null,
    }));
  }

  get pid(): number {
    if (this.child.pid === undefined) throw new Error('the daemon did not start');
    return this.child.pid;
  }

  get isRunning(): boolean {
    return this.child.exitCode === null && this.child.signalCode === null;
  }

  log(): string {
    return existsSync(this.logFile) ? readFileSync(this.logFile, 'utf8') : '';
  }

  /** Returns the first line on standard output that matches. Throws with the daemon's log if the daemon ends first. */
  async printed(pattern: RegExp): Promise<RegExpExecArray> {
    if (this.child.stdout === null) throw new Error('the standard output of the daemon is not piped');
    for await (const line of createInterface({ input: this.child.stdout })) {
      const match = pattern.exec(line);
      if (match !== null) return match;
    }
    throw new Error(`the daemon ended before it printed ${pattern.source}:\n${this.log()}`);
  }

  async kill(signal: NodeJS.Signals = 'SIGKILL'): Promise<void> {
    if (this.isRunning) this.child.kill(signal);
    await this.ended;
  }
}

export interface ServiceOptions {
  /** Contains the store, the bus data and the logs of the daemons. Reuse it to restart the same service. */
  readonly folder: string;
  readonly httpPort: number;
  readonly busPort: number;
  /** Address that the bus listens on, with brackets for IPv6. Absent: 127.0.0.1. */
  readonly busHost?: string;
  readonly flags?: readonly string[];
  /** Leaves the managed bus running when the service stops, as in production. The test stops it. */
  readonly keepsBus?: boolean;
  /** Enables the rate limits of production. Off by default, because tests send more requests than users. */
  readonly isRateLimited?: boolean;
  /** Workers of the service join with a token. As the switch of the tests says by default. */
  readonly isBusAuthenticated?: boolean;
}

export interface RunningService extends ServiceOptions {
  readonly daemon: Daemon;
  readonly api: ApiClient;
}

/**
 * Whether services of tests authenticate their workers. Off by default; `npm run test:bus-auth` runs the tests of workers
 * with it.
 */
export const IS_BUS_AUTHENTICATED = process.env['CALLSHEET_TEST_BUS_AUTH'] === 'true';

/** Reports whether the workers of this service join with a token. Accounts would need a login to create one. */
const hasJoinToken = ({ flags = [], isBusAuthenticated = IS_BUS_AUTHENTICATED }: ServiceOptions): boolean =>
  isBusAuthenticated && !flags.some((flag) => /^--(auth-enabled|bus-url|bus-auth)/.test(flag));

async function makeJoinToken(folder: string, api: ApiClient): Promise<void> {
  if (existsSync(tokenFile(folder))) return;
  const { token } = await api.must<{ token: string }>('POST', '/api/v1/worker-tokens', { uses: 10_000 });
  writeFileSync(tokenFile(folder), token, { mode: 0o600 });
}

/** Returns the flags by which a worker joins the service of this folder; none without authentication. */
export const joinFlags = (folder: string): readonly string[] =>
  existsSync(tokenFile(folder)) ? [`--worker-join-file=${tokenFile(folder)}`] : [];

/** Starts `callsheet server` and resolves when it has printed its URL. */
export async function startService(options: ServiceOptions): Promise<RunningService> {
  const flags = options.flags ?? [];
  const joins = hasJoinToken(options);
  const daemon = new Daemon(
    [
      'server',
      `--http-addr=127.0.0.1:${options.httpPort}`,
      `--bus-addr=${options.busHost ?? '127.0.0.1'}:${options.busPort}`,
      `--data-dir=${join(options.folder, 'data')}`,
      '--log-format=text',
      `--http-rate-limit-enabled=${options.isRateLimited === true}`,
      ...(options.keepsBus === true ? [] : ['--stop-bus']),
      ...(joins ? ['--bus-auth-enabled=true'] : []),
      ...flags,
    ],
    join(options.folder, 'server.log'),
  );
  await daemon.printed(/http:\/\/\S+/);
  const api = new ApiClient(`http://127.0.0.1:${options.httpPort}`);
  if (joins) await makeJoinToken(options.folder, api);
  return { ...options, daemon, api };
}

/** Starts `callsheet worker` on the bus of a service. */
export function startWorker(
  service: ServiceOptions,
  name: string,
  flags: readonly string[] = [],
  environment: Readonly<Record<string, string>> = {},
): Daemon {
  return new Daemon(
    [
      'worker',
      `--bus-url=nats://127.0.0.1:${service.busPort}`,
      ...joinFlags(service.folder),
      `--worker-name=${name}`,
      `--worker-dir=${join(service.folder, `worker-${name}`)}`,
      '--worker-allow-root=true',
      '--worker-drain-timeout=1s',
      '--log-format=text',
      ...flags,
    ],
    join(service.folder, `worker-${name}.log`),
    environment,
  );
}

/** Returns a free loopback port. */
export async function freePort(): Promise<number> {
  const server = createServer();
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  await once(server, 'close');
  if (address === null || typeof address === 'string') throw new Error('no free port');
  return address.port;
}
