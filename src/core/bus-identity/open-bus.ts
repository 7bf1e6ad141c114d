import type { QueueRecord } from '../records/queue.ts';

/** Knowledge of the service about clients without credentials on its bus (docs/security.md#what-an-open-bus-leaves-unprotected). */
export type BusStanding =
  /** Every worker proves its identity, or clients without credentials reach no subject of workers. */
  | { readonly kind: 'closed' }
  /** `reach`: how far a client without credentials gets. */
  | { readonly kind: 'open'; readonly reach: AnonymousReach }
  /** Not known yet: the check of an external bus has had no result. */
  | { readonly kind: 'unknown' };

/** Access of a client without credentials. */
export interface AnonymousReach {
  /** It can send messages as a worker. */
  readonly canWork: boolean;
  /** It can read the replies to all workers. */
  readonly canReadReplies: boolean;
  /** It can read requests of workers and send replies, as the service does. */
  readonly canAnswer: boolean;
}

/** A queue whose tasks run as an account of their own. */
type IsolatedQueue = Pick<QueueRecord, 'name' | 'runAsUser'>;

/** Returns the standing of an external bus, given what the check of a client without credentials has found. */
export const standingOf = (reach: AnonymousReach): BusStanding =>
  reach.canWork || reach.canReadReplies || reach.canAnswer ? { kind: 'open', reach } : { kind: 'closed' };

/**
 * Managed server without authentication: its permissions allow what workers of the contract need (bus-permissions.ts). A
 * worker reads its replies at inboxes of any name.
 */
export const OPEN_MANAGED_BUS: BusStanding = {
  kind: 'open',
  reach: { canWork: true, canReadReplies: true, canAnswer: false },
};

/** Returns the queues whose tasks run as an account of their own, in the given order. */
export const isolatedQueues = <Queue extends IsolatedQueue>(queues: Iterable<Queue>): Queue[] =>
  [...queues].filter(({ runAsUser }) => runAsUser !== undefined);

/** How to close the bus. */
export const OPEN_BUS_REMEDY =
  'give the bus authentication: bus.auth.enabled on a managed server, or users and permissions on an external NATS (docs/security.md#what-an-open-bus-leaves-unprotected)';

/** Returns what clients without credentials can do, as the continuation of "a program that reaches the bus can". */
export function reachText({ canWork, canReadReplies, canAnswer }: AnonymousReach): string {
  const parts = [
    ...(canAnswer
      ? ['answer workers in place of the service, and so run programs as the account of the worker']
      : []),
    ...(canReadReplies ? ['read the assignments of all workers'] : []),
    ...(canWork ? ['act as a worker: receive tasks, and report on those of others'] : []),
  ];
  return parts.join(', and ');
}

/** Returns why the account of the queue protects less than it seems; null without an account or on a closed bus. */
export function isolationWarning({ runAsUser }: IsolatedQueue, bus: BusStanding): string | null {
  if (runAsUser === undefined || bus.kind !== 'open') return null;
  return `tasks of this queue run as ${runAsUser}, but the bus has no authentication: a program that reaches it, such as a job, can ${reachText(bus.reach)}; ${OPEN_BUS_REMEDY}`;
}
