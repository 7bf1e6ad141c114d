import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { WorkerId } from '../../core/ids.ts';
import { readIfPresent } from '../system/read-if-present.ts';
import { findEndpoints, type BusEndpoint } from './endpoints.ts';
import { runNft, type NftOptions } from './nft.ts';
import { removalCommands, tableCommands } from './rules.ts';

/** Name of the file in `worker.dir` with the name of the table, as long as there is one. */
const RECORD = 'firewall-table';
const TABLE = /^callsheet_[0-9A-Za-z_]+$/;

export interface BusFirewallOptions extends NftOptions {
  /** The worker's own directory. */
  readonly directory: string;
  readonly workerId: WorkerId;
  /** Reports problems to the operator of the worker. */
  readonly warn: (text: string, attributes: Readonly<Record<string, string>>) => void;
}

/**
 * Rules of the firewall that refuse connections of tasks to the bus (docs/isolation.md#network).
 *
 * - States: open, closed.
 * - Invariants: one table for each worker. Accounts and servers are only added. Each write replaces the whole table by all
 *   that is known, so that it also restores a table that another program has removed.
 * - Exits: `close` removes the table. After a crash it remains until the next start.
 */
export class BusFirewall {
  readonly table: string;
  readonly #options: BusFirewallOptions;
  readonly #accounts = new Set<number>();
  readonly #endpoints = new Map<string, BusEndpoint>();
  readonly #ports = new Set<number>();
  readonly #unresolved = new Set<string>();
  /** The write that has not begun; calls in the meantime share it. */
  #waiting: Promise<void> | null = null;
  /** Settles after the last write. */
  #latest: Promise<unknown> = Promise.resolve();
  #isClosed = false;

  private constructor(options: BusFirewallOptions) {
    this.#options = options;
    this.table = `callsheet_${options.workerId.replaceAll(/[^0-9A-Za-z]/g, '_')}`;
  }

  /**
   * Replaces the table of an earlier process of this worker by one without accounts.
   *
   * @throws Error with the reason if this machine does not support the rules.
   */
  static async open(options: BusFirewallOptions): Promise<BusFirewall> {
    const firewall = new BusFirewall(options);
    const { directory } = options;
    if ((await recordedTable(directory)) !== firewall.table) await removeEarlierTable(directory, options);
    await writeFile(join(directory, RECORD), `${firewall.table}\n`, { mode: 0o600 });
    await firewall.#write();
    return firewall;
  }

  /**
   * Refuses connections of tasks to these servers from now on: `host:port` or `[IPv6]:port`. Their ports are refused at all
   * addresses of this machine.
   *
   * @throws Error if the rules could not be written.
   */
  async blockServers(servers: readonly string[]): Promise<void> {
    const { endpoints, ports, unresolved } = await findEndpoints(servers);
    for (const endpoint of endpoints) this.#endpoints.set(`${endpoint.address} ${endpoint.port}`, endpoint);
    for (const port of ports) this.#ports.add(port);
    for (const server of unresolved) this.#reportUnresolved(server);
    await this.#write();
  }

  /**
   * Refuses connections of this account from now on. Must be called before it runs the first process of a session.
   *
   * @throws Error if the rules could not be written.
   */
  async blockAccount(userId: number): Promise<void> {
    if (userId === process.geteuid?.())
      throw new Error('the connections of this account are those of the worker');
    this.#accounts.add(userId);
    await this.#write();
  }

  /** Removes the table. Failures are reported. */
  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#latest;
    try {
      await removeEarlierTable(this.#options.directory, this.#options);
    } catch (error) {
      this.#options.warn('the rules of the firewall could not be removed', {
        reason: error instanceof Error ? error.message : String(error),
      });
    }
  }

  #write(): Promise<void> {
    if (this.#waiting !== null) return this.#waiting;
    const write = this.#latest.then(async () => {
      this.#waiting = null;
      if (this.#isClosed) throw new Error('the rules of the firewall are removed: the worker stops');
      const blocked = {
        accounts: this.#accounts,
        endpoints: this.#endpoints.values(),
        ports: this.#ports,
      };
      await runNft(tableCommands(this.table, blocked), this.#options);
    });
    this.#waiting = write;
    // Its callers get the error.
    this.#latest = write.catch(() => undefined);
    return write;
  }

  #reportUnresolved(server: string): void {
    if (this.#unresolved.has(server)) return;
    this.#unresolved.add(server);
    this.#options.warn('a server of the bus has no address now; it is blocked when the worker reaches it', {
      server,
    });
  }
}

async function recordedTable(directory: string): Promise<string | null> {
  const path = join(directory, RECORD);
  const bytes = await readIfPresent(path);
  if (bytes === null) return null;
  const table = bytes.toString('utf8').trim();
  if (!TABLE.test(table))
    throw new Error(`${path} is broken; remove it, and the table of the worker (nft list tables)`);
  return table;
}

/**
 * Removes the table that the worker of this directory has left, if any.
 *
 * @throws Error that names the table if it could not be removed.
 */
export async function removeEarlierTable(directory: string, options: NftOptions = {}): Promise<void> {
  const table = await recordedTable(directory);
  if (table === null) return;
  try {
    await runNft(removalCommands(table), options);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new Error(`the table ${table} of an earlier worker could not be removed: ${reason}`, {
      cause: error,
    });
  }
  await rm(join(directory, RECORD), { force: true });
}
