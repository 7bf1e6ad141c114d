import { AGENT_LIMITS } from '../agent-limits.ts';
import type { AgentContext } from '../agent-system.ts';
import { backoffMs } from '../backoff.ts';
import type { RegistrarMessage } from './messages.ts';
import { mayHeartbeat, type RegistrarState } from './state.ts';

/**
 * Handles the message that another node has taken over the farms: sends the next announcement soon, at a random moment, so
 * that not all workers send theirs at once. Its reply proves the takeover, and then the lease requests are sent again.
 * Anyone who can publish to the subject can send the message, so it does nothing else, and never delays an announcement.
 */
export function onOwnerAnnounced(
  state: RegistrarState,
  { service }: Extract<RegistrarMessage, { type: 'owner.announced' }>,
  context: AgentContext<'registrar'>,
): void {
  const isKnown = service === state.service || state.earlierServices.has(service);
  if (isKnown || state.isOwnerAwaited || (!mayHeartbeat(state) && state.phase !== 'registering')) return;
  state.isOwnerAwaited = true;
  const delayMs = backoffMs(0, AGENT_LIMITS.ownerDelay, context.newId());
  context.after('announce', delayMs, { type: 'announce.due' });
}
