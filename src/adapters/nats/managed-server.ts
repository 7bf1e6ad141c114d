import { mkdir, readdir, readFile, realpath, rm, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { CLUSTER_RELEASE_MIN, isClusterRelease } from '../../core/bus-identity/server-release.ts';
import { managedAccess, type BusAuthentication, type ManagedAccess } from './authority/managed-access.ts';
import { backoffMs, BackoffTimer } from './backoff.ts';
import { reasonOf } from './connection.ts';
import { clusterRoutes, type ManagedCluster } from './cluster-routes.ts';
import { watchFullDisk } from './full-disk-watch.ts';
import { SERVER_LIMITS } from './limits.ts';
import { addressText, isLoopback, type ListenAddress } from './server-address.ts';
import { findServerBinary, ManagedServerError, type ServerBinary } from './server-binary.ts';
import { loadServerName, serverConfigText, serverFiles, type ServerSettings } from './server-config.ts';
import { canConnect, listenFault, probeServer } from './server-probe.ts';
import {
  endServer,
  reloadServer,
  findServerProcess,
  spawnServer,
  watchServer,
  type ProcessEnd,
  type ServerProcess,
} from './server-process.ts';

interface ManagedServerOptions {
  /** `bus` below `data.dir`: configuration, logs and streams. Created if missing. */
  readonly folder: string;
  /** `bus.addr` */
  readonly listen: ListenAddress;
  /** `bus.server_path`; empty to search for the program. */
  readonly binaryPath: string;
  /** Null: the bus has no authentication. */
  readonly authentication: BusAuthentication | null;
  /** Absent or null: a single server. */
  readonly cluster?: ManagedCluster | null;
}

export type ManagedServerEvent =
  /** The server answers. `isAdopted`: it was already running, left by a service that was killed. */
  | { readonly type: 'started'; readonly pid: number; readonly version: string; readonly isAdopted: boolean }
  /** The server exited unexpectedly. `detail` is its last message. */
  | ({ readonly type: 'died'; readonly pid: number; readonly detail: string } & ProcessEnd)
  | { readonly type: 'restarting'; readonly inMs: number }
  /** A restart failed; the next one follows. */
  | { readonly type: 'failed'; readonly reason: string }
  | { readonly type: 'warning'; readonly text: string };

export interface ManagedServer {
  /** Access for connections from this machine. */
  readonly access: ManagedAccess;
  readonly version: string;
  /** Whether the server ran before this service started. */
  readonly isAdopted: boolean;
  /** Stops the server and its supervision. */
  stop(): Promise<void>;
  /** Ends the supervision. The server continues, and the next start adopts it. Stops one that does not answer yet. */
  release(): Promise<void>;
  /** Lets the server read its certificate again. */
  reload(): void;
}

/**
 * Starts the managed nats-server and keeps it running until `stop`: a server that exits is restarted with an increasing
 * delay. A server left by a killed service is adopted, so that workers stay connected during a restart of the service.
 * Resolves when the server answers. Throws a ManagedServerError if the first start fails.
 */
export async function startManagedServer(
  options: ManagedServerOptions,
  onEvent: (event: ManagedServerEvent) => void,
): Promise<ManagedServer> {
  const binary = await findServerBinary(options.binaryPath);
  await mkdir(options.folder, { recursive: true, mode: 0o700 });
  const folder = await realpath(options.folder);
  const { listen, authentication, cluster = null } = options;
  if (cluster !== null) refuseOlder(binary);
  for (const text of warningsOf(listen, binary, authentication !== null)) onEvent({ type: 'warning', text });
  const access = await managedAccess(folder, listen, authentication, cluster);
  const routes = cluster === null ? null : await clusterRoutes(folder, listen, cluster);
  if (routes?.isToldToClients === false) onEvent({ type: 'warning', text: loopbackText(listen) });
  const name = await loadServerName(folder, cluster?.node ?? null);
  const supervisor = new Supervisor({ folder, name, listen, binary, access, routes }, onEvent);
  const isAdopted = await supervisor.start();
  return {
    isAdopted,
    access,
    version: binary.version,
    reload: () => supervisor.reload(),
    stop: () => supervisor.stop(),
    release: () => supervisor.release(),
  };
}

/**
 * Stops a managed server that an earlier service left in this folder, for a service that uses another bus. Its workers
 * would trust its answer that no service is connected. Returns whether there was one.
 */
export async function stopLeftServer(folder: string): Promise<boolean> {
  const config = serverFiles(await realpathOf(folder)).config;
  const pid = await findServerProcess(config);
  if (pid === null) return false;
  await endServer(watchServer(pid, config));
  return true;
}

/** Returns the path itself if the folder does not exist. */
async function realpathOf(folder: string): Promise<string> {
  try {
    return await realpath(folder);
  } catch {
    return folder;
  }
}

/** Refuses a program that cannot be a server of a cluster. */
function refuseOlder({ path, version }: ServerBinary): void {
  if (isClusterRelease(version)) return;
  throw new ManagedServerError(
    `${path} is version ${version}: a cluster needs version ${CLUSTER_RELEASE_MIN} or newer, because older versions flush each ` +
      'record twice. Install it on all nodes (docs/high-availability.md#install-nats-server), or name it with bus.server_path',
  );
}

const loopbackText = (listen: ListenAddress): string =>
  `bus.addr ${addressText(listen)} can be reached only from this machine: workers on other machines cannot fail over to this ` +
  'node. Set bus.addr to an address of the network';

function warningsOf(
  listen: ListenAddress,
  binary: ServerBinary,
  isAuthenticated: boolean,
): readonly string[] {
  const warnings: string[] = [];
  if (!binary.canSyncAlways) {
    warnings.push(
      `nats-server ${binary.version} writes its streams to the disk every two minutes: a power cut can lose what it ` +
        'acknowledged since. Workers repeat what matters; version 2.10 or newer closes the gap.',
    );
  }
  if (isAuthenticated && !binary.hasSecurityFixes) {
    warnings.push(
      `nats-server ${binary.version} gets no security fixes: with bus.auth.enabled, use version 2.12.12 or 2.14.3, or a newer one`,
    );
  }
  if (!isAuthenticated && !isLoopback(listen)) {
    warnings.push(
      `the bus listens on ${addressText(listen)} without authentication: every host that can reach it can register as a worker and ` +
        'run tasks. Set bus.auth.enabled, or keep that network closed.',
    );
  }
  return warnings;
}

interface SupervisedServer extends Omit<ServerSettings, 'access'> {
  readonly access: ManagedAccess;
}

class Supervisor {
  readonly #folder: string;
  readonly #name: string;
  readonly #listen: ListenAddress;
  readonly #binary: ServerBinary;
  readonly #access: ManagedAccess;
  readonly #config: string;
  readonly #onEvent: (event: ManagedServerEvent) => void;
  readonly #pauses = new BackoffTimer();
  #current: ServerProcess | null = null;
  #isStopping = false;
  #isAdopted = false;
  /** Whether a server was started that does not answer yet. */
  #launching = false;
  #supervision: Promise<void> = Promise.resolve();
  #sweep: NodeJS.Timeout | undefined;
  #endDiskWatch: () => void = () => undefined;

  constructor(server: SupervisedServer, onEvent: (event: ManagedServerEvent) => void) {
    this.#folder = server.folder;
    this.#name = server.name;
    this.#listen = server.listen;
    this.#binary = server.binary;
    this.#access = server.access;
    this.#config = serverConfigText({ ...server, access: server.access.access });
    this.#onEvent = onEvent;
  }

  /** Returns whether the server was already running. */
  async start(): Promise<boolean> {
    const server = await this.#launch();
    this.#sweep = setInterval(() => void this.#removeOldLogs(), SERVER_LIMITS.logSweepMs).unref();
    this.#endDiskWatch = watchFullDisk(this.#folder, () => void this.#restartAfterFullDisk());
    this.#supervision = this.#supervise(server);
    return this.#isAdopted;
  }

  async stop(): Promise<void> {
    this.#isStopping = true;
    this.#pauses.end();
    clearInterval(this.#sweep);
    this.#endDiskWatch();
    if (this.#current !== null) await endServer(this.#current);
    await this.#supervision;
  }

  reload(): void {
    if (this.#current !== null && !this.#launching) reloadServer(this.#current);
  }

  async release(): Promise<void> {
    const server = this.#current;
    if (server === null || this.#launching) return this.stop();
    this.#isStopping = true;
    this.#pauses.end();
    clearInterval(this.#sweep);
    this.#endDiskWatch();
    server.release();
    await this.#supervision;
  }

  /** The supervision starts the server again. */
  async #restartAfterFullDisk(): Promise<void> {
    const server = this.#current;
    if (server === null || this.#launching || this.#isStopping) return;
    const text = `the disk of ${this.#folder} was full and has room again: nats-server is restarted, because it stores nothing after a failed write`;
    this.#onEvent({ type: 'warning', text });
    await endServer(server);
  }

  async #supervise(first: ServerProcess): Promise<void> {
    let server: ServerProcess | null = first;
    let failures = 0;
    while (server !== null) {
      const startedAt = performance.now();
      const end: ProcessEnd = await server.ended;
      this.#current = null;
      if (this.#isStopping) return;
      this.#onEvent({ type: 'died', pid: server.pid, ...end, detail: await lastWords(this.#folder) });
      if (performance.now() - startedAt > SERVER_LIMITS.settledMs) failures = 0;
      failures += 1;
      server = await this.#relaunch(failures);
    }
  }

  /** Returns null if stopped meanwhile. */
  async #relaunch(failuresBefore: number): Promise<ServerProcess | null> {
    for (let failures = failuresBefore; !this.#isStopping; failures += 1) {
      const inMs = backoffMs(failures, SERVER_LIMITS.restartMsMin, SERVER_LIMITS.restartMsMax);
      this.#onEvent({ type: 'restarting', inMs });
      await this.#pauses.pause(inMs);
      if (this.#isStopping) return null;
      try {
        return await this.#launch();
      } catch (error) {
        if (!this.#isStopping) this.#onEvent({ type: 'failed', reason: reasonOf(error) });
      }
    }
    return null;
  }

  /** Returns a server that answers: the running one with exactly this configuration, or a new one. */
  async #launch(): Promise<ServerProcess> {
    const files = serverFiles(this.#folder);
    const config = this.#config;
    const leftBehind = await findServerProcess(files.config);
    if (leftBehind !== null) {
      const server = watchServer(leftBehind, files.config);
      const isCurrent = (await textOfFile(files.config)) === config;
      if (isCurrent && (await this.#isAnswering(server))) return this.#started(server, true);
      await endServer(server);
    }
    await this.#refuseClash();
    if (this.#isStopping) throw new ManagedServerError('the service is stopping');
    await this.#access.prepare();
    await writeFile(files.config, config, { mode: 0o600 });
    await this.#removeOldLogs();
    const server = spawnServer(this.#binary, files.config, files.output);
    if (server === null) throw new ManagedServerError(`${this.#binary.path} cannot be started`);
    this.#current = server;
    this.#launching = true;
    if (await this.#isAnswering(server)) return this.#started(server, false);
    await endServer(server);
    this.#current = null;
    const { code, signal } = await server.ended;
    const how = signal === null ? `exit code ${code}` : `signal ${signal}`;
    throw new ManagedServerError(`nats-server did not start (${how}): ${await lastWords(this.#folder)}`);
  }

  #started(server: ServerProcess, isAdopted: boolean): ServerProcess {
    this.#current = server;
    this.#launching = false;
    this.#isAdopted = isAdopted;
    this.#onEvent({ type: 'started', pid: server.pid, version: this.#binary.version, isAdopted });
    return server;
  }

  /** Waits until the server answers at its address. Returns false if it exits first or takes too long. */
  async #isAnswering(server: ServerProcess): Promise<boolean> {
    const deadline = performance.now() + SERVER_LIMITS.readyMs;
    while (!server.hasEnded() && !this.#isStopping && performance.now() < deadline) {
      const greeting = await probeServer(this.#listen);
      const isOurs = greeting?.server_name === this.#name && greeting.jetstream === true;
      if (isOurs && (await canConnect(this.#access.streams))) return true;
      await this.#pauses.pause(SERVER_LIMITS.probeMs);
    }
    return false;
  }

  async #removeOldLogs(): Promise<void> {
    try {
      await removeOldLogs(serverFiles(this.#folder).log);
    } catch (error) {
      this.#onEvent({
        type: 'warning',
        text: `old logs of nats-server cannot be removed: ${reasonOf(error)}`,
      });
    }
  }

  async #refuseClash(): Promise<void> {
    const fault = await listenFault(this.#listen);
    if (fault === null) return;
    const where = `bus.addr ${addressText(this.#listen)}`;
    if (fault !== 'EADDRINUSE')
      throw new ManagedServerError(`${where}: this address cannot be listened on (${fault})`);
    const other = await probeServer(this.#listen);
    const who =
      other === null
        ? 'another program'
        : `another NATS server (${other.server_name ?? 'without a name'}, version ${other.version ?? 'unknown'})`;
    const hint =
      this.#listen.port === DEBIAN_PORT ? " Debian's nats-server.service listens on that port." : '';
    throw new ManagedServerError(
      `${where} is taken by ${who}: choose another address with bus.addr, or use that server with bus.url.${hint}`,
    );
  }
}

const DEBIAN_PORT = 4222;

async function textOfFile(path: string): Promise<string | null> {
  try {
    return await readFile(path, 'utf8');
  } catch {
    // Usually the file does not exist yet; an unreadable one is treated the same.
    return null;
  }
}

/** `nats-server.log.2026.11.21…`: the server never deletes rotated log files. */
async function removeOldLogs(log: string): Promise<void> {
  const folder = dirname(log);
  const rotated = (await readdir(folder)).filter((name) => name.startsWith(`${basename(log)}.`)).sort();
  for (const name of rotated.slice(0, Math.max(0, rotated.length - SERVER_LIMITS.logFilesKept))) {
    await rm(join(folder, name));
  }
}

const LAST_WORDS_BYTES = 4096;
const LAST_WORDS_LENGTH = 300;

/** Returns the last error in the server's output or log, or the last line if there is none. */
async function lastWords(folder: string): Promise<string> {
  const files = serverFiles(folder);
  const lines: string[] = [];
  for (const path of [files.log, files.output]) {
    const text = (await textOfFile(path)) ?? '';
    lines.push(
      ...text
        .slice(-LAST_WORDS_BYTES)
        .split('\n')
        .filter((line) => line.trim() !== ''),
    );
  }
  const complaint = lines.findLast((line) => /\[(FTL|ERR)\]|^nats-server: |^panic: /.test(line));
  return (complaint ?? lines.at(-1) ?? 'no output').slice(0, LAST_WORDS_LENGTH);
}
