import type { PathMapping } from '../../../src/core/delivery/path-map.ts';
import type { AttemptId, QueueId, SessionId, TaskId, StepId } from '../../../src/core/ids.ts';
import type { Assignment, StepAssignment } from '../../../src/core/wire/bus-messages.ts';
import type { ANY_QUEUE } from '../../../src/core/wire/subjects.ts';
import type { Registration } from './messages.ts';

export type QueueToken = QueueId | typeof ANY_QUEUE;

/** A lease request that has not been answered. */
export interface OpenRequest {
  readonly id: string;
  readonly incarnation: string;
  readonly sentAt: number;
}

/** An assignment that is not begun yet. */
export interface WaitingAssignment {
  readonly assignment: Assignment;
  readonly step: StepAssignment;
  /** As it came with the assignment. */
  readonly mapping: PathMapping | null;
  /** Of both; see sessionReuseKey. */
  readonly terms: string;
}

export interface PollerState {
  registration: Registration | null;
  /** The worker leaves: nothing is begun any more. */
  isLeaving: boolean;
  /** From their begin until they are gone. */
  readonly sessions: Map<SessionId, PooledSession>;
  /** What each attempt holds, from the assignment to its end. */
  readonly held: Map<AttemptId, { readonly taskId: TaskId; readonly cores: number }>;
  readonly requests: Map<QueueToken, OpenRequest>;
  /** Queues that are not asked before their timer. */
  readonly resting: Set<QueueToken>;
  /** Requests of a queue that failed one after another. */
  readonly tries: Map<QueueToken, number>;
  /** Begun when the service has confirmed that they are still this worker's. */
  readonly awaitingConfirmation: Map<AttemptId, WaitingAssignment>;
  /** Begun when an earlier attempt of the task, which is being stopped here, is over. */
  readonly queued: Map<AttemptId, WaitingAssignment>;
  /** Attempts that have ended here, oldest first: an assignment that comes twice is run once. */
  readonly ended: Set<AttemptId>;
}

export function newPoller(): PollerState {
  return {
    registration: null,
    isLeaving: false,
    sessions: new Map(),
    held: new Map(),
    requests: new Map(),
    resting: new Set(),
    tries: new Map(),
    awaitingConfirmation: new Map(),
    queued: new Map(),
    ended: new Set(),
  };
}

export function heldCores(state: PollerState): number {
  let cores = 0;
  for (const held of state.held.values()) cores += held.cores;
  return cores;
}

/** A session of this worker, as the poller sees it. */
export interface PooledSession {
  readonly stepId: StepId;
  /** What the session was begun with: only tasks of the very same step, on the same terms, may follow. */
  readonly terms: string;
  /** The attempt that it runs; null when it has none. */
  attemptId: AttemptId | null;
  /** It has said that it waits for a task, and was not told to end. */
  isIdle: boolean;
}
