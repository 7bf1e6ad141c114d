/**
 * State of the poller. States: registered (`registration` is set), unregistered, leaving (`isLeaving`, final).
 *
 * An attempt is held from its assignment to `cores.freed`. Meanwhile it awaits confirmation, is queued behind an
 * earlier attempt of its task, or has a session. Then it moves to `ended`. Invariants: at most one open request per
 * queue; an attempt is started once; two attempts of a task never run at once.
 */

import type { PathMapping } from '../../../src/core/delivery/path-map.ts';
import type { AttemptId, QueueId, SessionId, TaskId, StepId } from '../../../src/core/ids.ts';
import type { Assignment, StepAssignment } from '../../../src/core/wire/bus-messages.ts';
import type { ANY_QUEUE } from '../../../src/core/wire/subjects.ts';
import type { Registration } from './messages.ts';

export type QueueToken = QueueId | typeof ANY_QUEUE;

/** A lease request without a reply yet. */
export interface OpenRequest {
  readonly id: string;
  readonly incarnation: string;
  readonly sentAt: number;
}

/** An assignment that is not started yet. */
export interface WaitingAssignment {
  readonly assignment: Assignment;
  readonly step: StepAssignment;
  /** The path mapping that came with the assignment. */
  readonly mapping: PathMapping | null;
  /** See sessionReuseKey. */
  readonly terms: string;
}

export interface PollerState {
  registration: Registration | null;
  /** Whether the agent shuts down: nothing is started any more. */
  isLeaving: boolean;
  /** Sessions from their start to their end. */
  readonly sessions: Map<SessionId, PooledSession>;
  /** Task and cores of each attempt, from the assignment to its end. */
  readonly held: Map<AttemptId, { readonly taskId: TaskId; readonly cores: number }>;
  readonly requests: Map<QueueToken, OpenRequest>;
  /** Queues in backoff: not requested before their timer. */
  readonly inBackoff: Set<QueueToken>;
  /** Number of failed requests in a row, by queue. */
  readonly tries: Map<QueueToken, number>;
  /** Assignments that start once the service has confirmed them as open. */
  readonly awaitingConfirmation: Map<AttemptId, WaitingAssignment>;
  /** Assignments that start once an earlier attempt of the task, which is being stopped here, has ended. */
  readonly queued: Map<AttemptId, WaitingAssignment>;
  /** Ended attempts, oldest first: a repeated assignment is ignored. */
  readonly ended: Set<AttemptId>;
}

export function newPoller(): PollerState {
  return {
    registration: null,
    isLeaving: false,
    sessions: new Map(),
    held: new Map(),
    requests: new Map(),
    inBackoff: new Set(),
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
  /** Reuse key of the session: only tasks of the same step with the same key may follow. */
  readonly terms: string;
  /** The attempt that it runs, or null. */
  attemptId: AttemptId | null;
  /** Whether it waits for a task and has not been asked to end. */
  isIdle: boolean;
}
