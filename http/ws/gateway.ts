import { taskIdOf } from '../../src/core/ids.ts';
import type { Ports } from '../ports.ts';
import { findJob, findTask } from '../routes/find-task.ts';
import { Client, type FoundChannel } from './client.ts';
import { LogFeed } from './log-feed.ts';
import { Liveness, TICK_MS } from './liveness.ts';
import type { MessageLimit } from './message-limit.ts';
import type { ConnectionLimit } from '../guards/connection-limit.ts';
import type { Socket, SocketListener } from './socket.ts';
import type { Visitor } from '../guards/principal.ts';

/** Ports that the gateway uses. */
export type GatewayPorts = Pick<
  Ports,
  'store' | 'logs' | 'diagnostics' | 'taskEvents' | 'followedJobs' | 'events' | 'steadyNow'
>;

/** Limits of what clients send and open. */
export interface GatewayLimits {
  readonly connections: Pick<ConnectionLimit, 'opened'>;
  readonly messages: MessageLimit;
}

/** Close code for a client that exceeds a limit (RFC 6455, 7.4.1). */
const POLICY_VIOLATION = 1008;

const TASKS_SUBJECT = /^jobs\/([^/]+)\/tasks$/;
const LOGS_SUBJECT = /^tasks\/([^/]+)\/logs$/;

/** The event channel (docs/contract/events.md): connections and their subjects. */
export class Gateway {
  readonly #ports: GatewayPorts;
  readonly #limits: GatewayLimits;
  readonly #liveness: Liveness<Client>;
  readonly #timer: NodeJS.Timeout;

  constructor(ports: GatewayPorts, limits: GatewayLimits) {
    this.#ports = ports;
    this.#limits = limits;
    this.#liveness = new Liveness(() => ports.steadyNow());
    this.#timer = setInterval(() => {
      this.#liveness.tick();
      ports.events.tick();
    }, TICK_MS);
  }

  /** Registers a connection. */
  opened(socket: Socket, { address }: Visitor): SocketListener {
    const client = new Client(socket, this.#ports.events, (subject) => this.#channelOf(subject));
    const excess = this.#limits.messages.ofConnection(address);
    const ended = this.#limits.connections.opened(address);
    this.#liveness.enter(client);
    const isAccepted = (): boolean => {
      const reason = excess();
      if (reason === null) this.#liveness.frameReceived(client);
      else client.close(POLICY_VIOLATION, reason);
      return reason === null;
    };
    return {
      received: (text) => {
        if (isAccepted()) client.received(text);
      },
      frameReceived: () => {
        isAccepted();
      },
      drained: () => client.drained(),
      closed: () => {
        ended();
        this.#liveness.leave(client);
        client.closed();
      },
    };
  }

  /** Closes all connections. */
  stop(): void {
    clearInterval(this.#timer);
    this.#liveness.stop();
    this.#ports.events.stop();
  }

  /** Returns the channel of a subject. Opens it if the subject names an existing item. */
  #channelOf(subject: string): FoundChannel {
    const { events, diagnostics } = this.#ports;
    if (subject === 'diagnostics' && diagnostics() === null) {
      return refusal('diagnostics are disabled: diagnostics.buffer_size is 0');
    }
    const known = events.find(subject);
    if (known !== undefined) return { ok: true, channel: known };
    const job = TASKS_SUBJECT.exec(subject)?.[1];
    if (job !== undefined) return this.#tasksOf(subject, job);
    const task = LOGS_SUBJECT.exec(subject)?.[1];
    if (task !== undefined) return this.#logsOf(subject, task);
    return refusal(`unknown subject: ${subject}`);
  }

  #tasksOf(subject: string, job: string): FoundChannel {
    const { store, events, followedJobs } = this.#ports;
    const found = findJob(store, job);
    if (found === null) return refusal(`unknown subject: there is no job ${job}`);
    return { ok: true, channel: events.open(subject, followedJobs.follow(found.id)) };
  }

  #logsOf(subject: string, task: string): FoundChannel {
    const { store, events, logs, taskEvents } = this.#ports;
    const found = findTask(store, task);
    if (found === null || taskIdOf(found.address) !== task) {
      return refusal(`unknown subject: there is no task ${task}`);
    }
    const feed = new LogFeed(found.address, logs, taskEvents, (chunks) => {
      events.publishLog(channel, chunks);
    });
    const channel = events.open(subject, () => feed.close());
    return { ok: true, channel };
  }
}

const refusal = (reason: string): FoundChannel => ({ ok: false, reason });
