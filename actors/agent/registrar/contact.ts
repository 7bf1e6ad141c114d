import type { AttemptId } from '../../../src/core/ids.ts';
import { AGENT_LIMITS } from '../agent-limits.ts';
import type { AgentContext } from '../agent-world.ts';
import { fenceAfterMs, fenceGraceMs, killAfterMs, type RegistrarState, type Standing } from './state.ts';

type RegistrarContext = AgentContext<'registrar'>;

/**
 * The service has answered what was said at `sentAt`, and knows that the worker has the attempts that it named: from then on the worker may
 * work for two thirds of the heartbeat timeout.
 */
export function confirmContact(
  state: RegistrarState,
  standing: Standing,
  { sentAt, listed }: { readonly sentAt: number; readonly listed: readonly AttemptId[] },
  context: RegistrarContext,
): void {
  for (const attemptId of listed) state.unconfirmed.delete(attemptId);
  state.contactAt = Math.max(state.contactAt ?? sentAt, sentAt);
  limitContact(state, standing, context);
}

/** Attempts are begun that the service has not been told of: it takes them back, should it not be for too long. */
export function awaitConfirmation(
  state: RegistrarState,
  attemptIds: readonly AttemptId[],
  askedAt: number,
  context: RegistrarContext,
): void {
  for (const attemptId of attemptIds) state.unconfirmed.set(attemptId, askedAt);
  if (state.standing !== null) limitContact(state, state.standing, context);
}

/** Whether the contact has come to its end: an attempt that limited it may be over, or confirmed, since. */
export function hasContactEnded(state: RegistrarState, context: RegistrarContext): boolean {
  if (state.standing === null) return true;
  limitContact(state, state.standing, context);
  return (state.contactUntil ?? context.now) <= context.now;
}

/** Nothing runs that the end of the contact could stop. */
export function endContact(state: RegistrarState, context: RegistrarContext): void {
  state.contactUntil = null;
  context.cancelTimer('contact');
  context.effect({ kind: 'contact-lasts', leftMs: null });
}

/** The guards of the tasks give the worker its own grace, and then kill what still runs. */
function limitContact(state: RegistrarState, standing: Standing, context: RegistrarContext): void {
  if (state.contactAt === null) return;
  const oldest = Math.min(...state.unconfirmed.values());
  const until = Math.min(state.contactAt + fenceAfterMs(standing), oldest + AGENT_LIMITS.confirmWithinMs);
  if (until === state.contactUntil) return;
  state.contactUntil = until;
  const killAt = Math.min(
    state.contactAt + killAfterMs(standing),
    oldest + AGENT_LIMITS.confirmWithinMs + fenceGraceMs(standing),
  );
  context.after('contact', Math.max(0, until - context.now), { type: 'contact.lost' });
  context.effect({ kind: 'contact-lasts', leftMs: Math.max(0, killAt - context.now) });
}
