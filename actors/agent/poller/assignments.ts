import { mappingOf, type PathMapping } from '../../../src/core/delivery/path-map.ts';
import type { AttemptId, StepId, TaskId } from '../../../src/core/ids.ts';
import type { LeaseReply } from '../../../src/core/wire/bus-messages.ts';
import { AGENT_LIMITS } from '../agent-limits.ts';
import type { AgentContext } from '../agent-system.ts';
import { dispatchToSession, onStepExhausted, sessionReuseKey, taskReuseKey } from './session-pool.ts';
import type { PollerState, WaitingAssignment } from './state.ts';

type PollerContext = AgentContext<'poller'>;

/** Takes the assignments of a lease reply, each attempt once. Starts them, or waits for their confirmation first. */
export function takeAssignments(
  state: PollerState,
  reply: Extract<LeaseReply, { type: 'leases' }>,
  awaitingConfirmation: boolean,
  context: PollerContext,
): void {
  const taken: WaitingAssignment[] = [];
  const mapping = mappingOfReply(reply);
  // A reply has few steps and many tasks: the reuse key is computed once per step.
  const termsOfStep = new Map<StepId, string>();
  for (const assignment of reply.assignments) {
    const attemptId = assignment.attempt_id;
    if (state.held.has(attemptId) || state.ended.has(attemptId)) continue;
    const step = reply.steps[assignment.step_id];
    if (step === undefined) {
      context.log('error', 'ignored an assignment without its step; the service will reclaim it', {
        attempt_id: attemptId,
      });
      continue;
    }
    state.held.set(attemptId, { taskId: assignment.task_id, cores: assignment.cores });
    const terms = termsOfStep.get(assignment.step_id) ?? sessionReuseKey(step, mapping);
    termsOfStep.set(assignment.step_id, terms);
    taken.push({ assignment, step, mapping, terms: taskReuseKey(terms, assignment) });
  }
  if (taken.length === 0) return;
  const attemptIds = taken.map(({ assignment }) => assignment.attempt_id);
  context.send('registrar', 'registrar', { type: 'attempts.taken', attemptIds, awaitingConfirmation });
  for (const each of taken) {
    if (awaitingConfirmation) state.awaitingConfirmation.set(each.assignment.attempt_id, each);
    else begin(state, each, context);
  }
  for (const stepId of termsOfStep.keys()) {
    if (reply.steps[stepId]?.ready_left === 0) onStepExhausted(state, stepId, context);
  }
}

/** Returns the path mapping of this worker's compute location, or null. */
function mappingOfReply({ path_map: map }: Extract<LeaseReply, { type: 'leases' }>): PathMapping | null {
  if (map === undefined) return null;
  return mappingOf({ computeLocation: map.compute_location, locations: map.locations });
}

/** Starts attempts that the service has confirmed as open. */
export function beginConfirmed(
  state: PollerState,
  attemptIds: readonly AttemptId[],
  context: PollerContext,
): void {
  for (const attemptId of attemptIds) {
    const awaitingConfirmation = state.awaitingConfirmation.get(attemptId);
    state.awaitingConfirmation.delete(attemptId);
    if (awaitingConfirmation !== undefined) begin(state, awaitingConfirmation, context);
  }
}

/** Releases the cores of attempts that have ended or were never started. */
export function releaseAttempts(
  state: PollerState,
  attemptIds: Iterable<AttemptId>,
  context: PollerContext,
): void {
  for (const attemptId of attemptIds) {
    state.awaitingConfirmation.delete(attemptId);
    state.queued.delete(attemptId);
    if (!state.held.delete(attemptId)) continue;
    state.ended.add(attemptId);
    const [oldest] = state.ended;
    if (oldest !== undefined && state.ended.size > AGENT_LIMITS.endedAttempts) state.ended.delete(oldest);
  }
  if (state.registration !== null) beginQueued(state, context);
}

/** Starts queued attempts whose earlier attempt has ended. */
export function beginQueued(state: PollerState, context: PollerContext): void {
  for (const waiting of [...state.queued.values()]) begin(state, waiting, context);
}

/**
 * Starts an attempt, or queues it while an earlier attempt of its task is still being stopped here. A task never runs
 * twice at once.
 */
function begin(state: PollerState, waiting: WaitingAssignment, context: PollerContext): void {
  const { assignment } = waiting;
  const attemptId = assignment.attempt_id;
  if (isHeldByEarlier(state, assignment.task_id, attemptId)) {
    state.queued.set(attemptId, waiting);
    return;
  }
  state.queued.delete(attemptId);
  const { registration } = state;
  if (registration === null) throw new Error(`attempt ${attemptId} was started without a registration`);
  dispatchToSession(state, waiting, registration, context);
}

function isHeldByEarlier(state: PollerState, taskId: TaskId, attemptId: AttemptId): boolean {
  for (const [holder, held] of state.held) {
    if (holder === attemptId) return false;
    if (held.taskId === taskId) return true;
  }
  return false;
}
