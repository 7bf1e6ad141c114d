import { jetstreamManager } from '@nats-io/jetstream';
import { connect, type NatsConnection } from '@nats-io/transport-node';

const TIMEOUT_MS = 2000;

/** The stream of the log as its servers see it. */
export class LogLeader {
  readonly #stream: string;
  readonly #servers: readonly string[];

  /** `servers`: addresses of servers, of which some may not answer. */
  constructor(cluster: string, servers: readonly string[]) {
    this.#stream = `CS_${cluster}_0`;
    this.#servers = servers;
  }

  /** Returns the name of the server that leads the stream, or null if none says so. */
  async name(): Promise<string | null> {
    return this.#any(async (nc) => {
      const manager = await jetstreamManager(nc, { checkAPI: false, timeout: TIMEOUT_MS });
      return (await manager.streams.info(this.#stream)).cluster?.leader ?? null;
    });
  }

  /** Asks the leader to hand over to a server. */
  async prefer(server: string): Promise<void> {
    await this.#any(async (nc) => {
      const request = JSON.stringify({ placement: { preferred: server } });
      await nc.request(`$JS.API.STREAM.LEADER.STEPDOWN.${this.#stream}`, request, { timeout: TIMEOUT_MS });
      return null;
    });
  }

  /** Returns what the first server that answers says. */
  async #any<T>(ask: (nc: NatsConnection) => Promise<T | null>): Promise<T | null> {
    for (const server of this.#servers) {
      let nc: NatsConnection | null = null;
      try {
        nc = await connect({ servers: [server], reconnect: false, timeout: TIMEOUT_MS });
        const answer = await ask(nc);
        if (answer !== null) return answer;
      } catch {
        // This server is down, paused or has no leader: the next one may know.
      } finally {
        await nc?.close();
      }
    }
    return null;
  }
}
