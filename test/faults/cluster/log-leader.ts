import { jetstreamManager } from '@nats-io/jetstream';
import { connect, nkeyAuthenticator, type NatsConnection } from '@nats-io/transport-node';

const TIMEOUT_MS = 2000;

/** The stream of the log as its servers see it. */
export class LogLeader {
  readonly #stream: string;
  readonly #servers: ReadonlyMap<string, string>;
  readonly #seed: Uint8Array;

  /**
   * @param servers - Addresses of the servers by name of their node. Some may not answer.
   * @param seed - Key of the service for its streams.
   */
  constructor(cluster: string, servers: ReadonlyMap<string, string>, seed: Uint8Array) {
    this.#stream = `CS_${cluster}_0`;
    this.#servers = servers;
    this.#seed = seed;
  }

  /** Returns the node whose server leads the stream, or null if no server says so. */
  async node(): Promise<string | null> {
    const leader = await this.#any(async (nc) => {
      const manager = await jetstreamManager(nc, { checkAPI: false, timeout: TIMEOUT_MS });
      return (await manager.streams.info(this.#stream)).cluster?.leader ?? null;
    });
    return [...this.#servers.keys()].find((node) => leader?.startsWith(`${node}-`) === true) ?? null;
  }

  /** Asks the leader to hand over to the server of a node. */
  async prefer(node: string): Promise<void> {
    const address = this.#servers.get(node);
    if (address === undefined) throw new Error(`no server of ${node}`);
    await this.#on(address, async (nc) => {
      const preferred = nc.info?.server_name;
      const request = JSON.stringify({ placement: { preferred } });
      await nc.request(`$JS.API.STREAM.LEADER.STEPDOWN.${this.#stream}`, request, { timeout: TIMEOUT_MS });
      return true;
    });
  }

  /** Returns what the first server that answers says. */
  async #any<T>(ask: (nc: NatsConnection) => Promise<T | null>): Promise<T | null> {
    for (const address of this.#servers.values()) {
      const answer = await this.#on(address, ask);
      if (answer !== null) return answer;
    }
    return null;
  }

  /** Returns null if the server is down, paused or has no leader. */
  async #on<T>(address: string, ask: (nc: NatsConnection) => Promise<T | null>): Promise<T | null> {
    let nc: NatsConnection | null = null;
    try {
      const authenticator = nkeyAuthenticator(this.#seed);
      nc = await connect({ servers: [address], reconnect: false, timeout: TIMEOUT_MS, authenticator });
      return await ask(nc);
    } catch {
      return null;
    } finally {
      await nc?.close();
    }
  }
}
