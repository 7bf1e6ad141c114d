import type { QueueRecord } from '../records/queue.ts';

/** What the service knows about clients without credentials on its bus (docs/security.md#what-an-open-bus-leaves-unprotected). */
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
  readonly canPublish: boolean;
  /** It can subscribe to the replies to all workers. */
  readonly canReadReplies: boolean;
}

/** A queue whose tasks run as an account of their own. */
type IsolatedQueue = Pick<QueueRecord, 'name' | 'runAsUser'>;

/** Returns the standing of an external bus, given what the check of a client without credentials has found. */
export const standingOf = (reach: AnonymousReach): BusStanding =>
  reach.canPublish || reach.canReadReplies ? { kind: 'open', reach } : { kind: 'closed' };

/** Managed server without authentication: its permissions allow worker subjects only, and no subscription to all inboxes. */
export const OPEN_MANAGED_BUS: BusStanding = {
  kind: 'open',
  reach: { canPublish: true, canReadReplies: false },
};

/** Returns the queues whose tasks run as an account of their own, in the given order. */
export const isolatedQueues = <Queue extends IsolatedQueue>(queues: Iterable<Queue>): Queue[] =>
  [...queues].filter(({ runAsUser }) => runAsUser !== undefined);

/** How to close the bus. */
export const OPEN_BUS_REMEDY =
  'give the bus authentication: bus.auth.enabled on a managed server, or users and permissions on an external NATS (docs/security.md#what-an-open-bus-leaves-unprotected)';

/** Returns what clients without credentials can do, as the continuation of "a program that reaches the bus can". */
export function reachText({ canPublish, canReadReplies }: AnonymousReach): string {
  const parts = [
    ...(canReadReplies ? ['read the assignments of all workers and answer in place of the service'] : []),
    ...(canPublish ? ['register as a worker and receive tasks'] : []),
  ];
  return parts.join(', and ');
}

/** Returns why the account of the queue protects less than it seems; null without an account or on a closed bus. */
export function isolationWarning({ runAsUser }: IsolatedQueue, bus: BusStanding): string | null {
  if (runAsUser === undefined || bus.kind !== 'open') return null;
  return `tasks of this queue run as ${runAsUser}, but the bus has no authentication: a program that reaches it, such as a job, can ${reachText(bus.reach)}; ${OPEN_BUS_REMEDY}`;
}
