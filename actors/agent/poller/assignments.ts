import type { AttemptId, WorkerId } from '../../../src/core/ids.ts';
import type { Assignment, LeaseReply, StepAssignment } from '../../../src/core/wire/bus-messages.ts';
import { AGENT_LIMITS } from '../agent-limits.ts';
import type { AgentContext } from '../agent-world.ts';
import type { PollerState } from './state.ts';

type PollerContext = AgentContext<'poller'>;

/** Takes the assignments of a reply, each attempt once: begins them, or has them confirmed first. */
export function takeAssignments(
  state: PollerState,
  reply: Extract<LeaseReply, { type: 'leases' }>,
  doubted: boolean,
  context: PollerContext,
): void {
  const taken: { readonly assignment: Assignment; readonly step: StepAssignment }[] = [];
  for (const assignment of reply.assignments) {
    const attemptId = assignment.attempt_id;
    if (state.held.has(attemptId) || state.ended.has(attemptId)) continue;
    const step = reply.steps[assignment.step_id];
    if (step === undefined) {
      context.log('error', 'an assignment came without its step; the service takes it back', {
        attempt: attemptId,
      });
      continue;
    }
    state.held.set(attemptId, assignment.cores);
    taken.push({ assignment, step });
  }
  if (taken.length === 0) return;
  const attemptIds = taken.map(({ assignment }) => assignment.attempt_id);
  context.send('registrar', 'registrar', { type: 'attempts.taken', attemptIds, doubted });
  for (const each of taken) {
    if (doubted) state.doubted.set(each.assignment.attempt_id, each);
    else begin(state, each.assignment, each.step, context);
  }
}

/** The service has confirmed these: they are begun. */
export function beginConfirmed(
  state: PollerState,
  attemptIds: readonly AttemptId[],
  context: PollerContext,
): void {
  for (const attemptId of attemptIds) {
    const doubted = state.doubted.get(attemptId);
    state.doubted.delete(attemptId);
    if (doubted !== undefined) begin(state, doubted.assignment, doubted.step, context);
  }
}

/** These are over, or were never begun: their cores are free. */
export function letGo(state: PollerState, attemptIds: Iterable<AttemptId>): void {
  for (const attemptId of attemptIds) {
    state.doubted.delete(attemptId);
    if (!state.held.delete(attemptId)) continue;
    state.ended.add(attemptId);
    const [oldest] = state.ended;
    if (oldest !== undefined && state.ended.size > AGENT_LIMITS.endedAttempts) state.ended.delete(oldest);
  }
}

function begin(
  state: PollerState,
  assignment: Assignment,
  step: StepAssignment,
  context: PollerContext,
): void {
  const workerId: WorkerId | undefined = state.registration?.workerId;
  if (workerId === undefined)
    throw new Error(`the attempt ${assignment.attempt_id} is begun without a registration`);
  context.send('session', assignment.attempt_id, { type: 'session.begin', assignment, step, workerId });
}
