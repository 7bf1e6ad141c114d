import type { OwnerScope } from '../../src/core/access/owner-scope.ts';
import { taskIdOf } from '../../src/core/ids.ts';
import { refusedSubscription } from '../audit/refused-subscription.ts';
import type { Ports } from '../ports.ts';
import { findJob, findTask } from '../routes/find-task.ts';
import { Client, type FoundChannel } from './client.ts';
import { LogFeed } from './log-feed.ts';
import { Liveness, TICK_MS } from './liveness.ts';
import type { MessageLimit } from './message-limit.ts';
import type { ConnectionLimit } from '../guards/connection-limit.ts';
import type { Socket, SocketListener } from './socket.ts';
import { parseSubject, SUBJECT_PERMISSIONS } from './subjects.ts';
import { isPermitted, type Principal, type Visitor } from '../guards/principal.ts';

/** Ports that the gateway uses. */
export type GatewayPorts = Pick<
  Ports,
  | 'audit'
  | 'cluster'
  | 'commits'
  | 'store'
  | 'logs'
  | 'diagnostics'
  | 'taskEvents'
  | 'followedJobs'
  | 'events'
  | 'steadyNow'
>;

/** Limits of what clients send and open. */
export interface GatewayLimits {
  readonly connections: Pick<ConnectionLimit, 'opened'>;
  readonly messages: MessageLimit;
}

/** Close code for an error of the service (RFC 6455, 7.4.1). */
const INTERNAL_ERROR = 1011;
/** Close code for a client that exceeds a limit (RFC 6455, 7.4.1). */
const POLICY_VIOLATION = 1008;

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
  opened(socket: Socket, visitor: Visitor): SocketListener {
    const { address } = visitor;
    const client = new Client(socket, this.#ports.events, (subject) => this.#admitted(subject, visitor));
    const excess = this.#limits.messages.ofConnection(address);
    const ended = this.#limits.connections.opened(address);
    this.#liveness.enter(client);
    const isAccepted = (): boolean => {
      const reason = excess();
      if (reason === null) this.#liveness.frameReceived(client);
      else client.close(POLICY_VIOLATION, reason);
      return reason === null;
    };
    const whenCurrent = this.#inOrder(() => client.close(INTERNAL_ERROR, 'a frame could not be handled'));
    return {
      received: (text) => {
        if (isAccepted()) whenCurrent(() => client.received(text));
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

  /**
   * Returns a function that handles the frames of a connection in order, each when this node is current: a client subscribes to
   * a job that it has created through another node.
   */
  #inOrder(failed: () => void): (handle: () => void) => void {
    const { cluster, commits } = this.#ports;
    let last: Promise<void> | null = null;
    return (handle) => {
      const behind = cluster?.untilCurrent() ?? null;
      if (last === null && behind === null) {
        handle();
        return;
      }
      const turn: Promise<void> = Promise.all([last, behind])
        .then(() => commits.untilReadable())
        .then(() => {
          commits.renew();
          handle();
        })
        .catch(failed)
        .finally(() => {
          if (last === turn) last = null;
        });
      last = turn;
    };
  }

  /** Closes all connections. */
  stop(): void {
    clearInterval(this.#timer);
    this.#liveness.stop();
    this.#ports.events.stop();
  }

  /** Returns the channel of a subject. Records it in the audit log if the visitor must not see the subject. */
  #admitted(subject: string, visitor: Visitor): FoundChannel {
    const found = this.#channelOf(subject, visitor.principal);
    const { audit } = this.#ports;
    if (audit === null || found.ok || found.isForbidden !== true) return found;
    const named = parseSubject(subject);
    const permission = named === null ? '' : SUBJECT_PERMISSIONS[named.kind];
    audit.recordLater(refusedSubscription(visitor, subject, permission, found.reason));
    return found;
  }

  /**
   * Returns the channel of a subject. Opens it if the subject names an existing item. Refuses a subject without its
   * permission, and one of a job outside the principal's scope (docs/contract/authentication.md#websocket-sessions).
   */
  #channelOf(subject: string, principal: Principal): FoundChannel {
    const { events, diagnostics } = this.#ports;
    const named = parseSubject(subject);
    if (named === null) return refusal(`unknown subject: ${subject}`);
    const permission = SUBJECT_PERMISSIONS[named.kind];
    if (!isPermitted(principal, permission))
      return forbidden(`forbidden: ${named.kind} requires ${permission}`);
    const { ownerScope: scope } = principal;
    switch (named.kind) {
      case 'jobs':
        return { ok: true, channel: events.jobs(scope) };
      case 'workers':
        return { ok: true, channel: events.workers };
      case 'outages':
        return { ok: true, channel: events.outages };
      case 'diagnostics':
        return diagnostics() === null
          ? refusal('diagnostics are disabled: diagnostics.buffer_size is 0')
          : { ok: true, channel: events.diagnostics };
      case 'jobs/{id}/tasks':
        return this.#tasksOf(subject, named.id, scope);
      case 'tasks/{id}/logs':
        return this.#logsOf(subject, named.id, scope);
    }
  }

  /** Those who see all jobs can still subscribe to a deleted job while its channel exists. */
  #tasksOf(subject: string, job: string, scope: OwnerScope): FoundChannel {
    const { store, events, followedJobs } = this.#ports;
    const known = events.find(subject);
    if (known !== undefined && scope === null) return { ok: true, channel: known };
    const found = findJob(store, job, scope);
    if (!found.ok) return noSuch('job', job, scope);
    return { ok: true, channel: known ?? events.open(subject, followedJobs.follow(found.value.id)) };
  }

  #logsOf(subject: string, task: string, scope: OwnerScope): FoundChannel {
    const { store, events, logs, taskEvents } = this.#ports;
    const known = events.find(subject);
    if (known !== undefined && scope === null) return { ok: true, channel: known };
    const found = findTask(store, task, scope);
    if (!found.ok || taskIdOf(found.value.address) !== task) return noSuch('task', task, scope);
    if (known !== undefined) return { ok: true, channel: known };
    const feed = new LogFeed(found.value.address, logs, taskEvents, (chunks) => {
      events.publishLog(channel, chunks);
    });
    const channel = events.open(subject, () => feed.close());
    return { ok: true, channel };
  }
}

const refusal = (reason: string): FoundChannel => ({ ok: false, reason });

const forbidden = (reason: string): FoundChannel => ({ ok: false, reason, isForbidden: true });

/** With a scope, the same text for a job of someone else as for one that does not exist. */
const noSuch = (what: 'job' | 'task', id: string, scope: OwnerScope): FoundChannel =>
  scope === null
    ? refusal(`unknown subject: there is no ${what} ${id}`)
    : forbidden(`forbidden: there is no ${what} ${id} that you may see`);
