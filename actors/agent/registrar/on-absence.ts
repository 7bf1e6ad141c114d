import type { AgentContext } from '../agent-system.ts';
import { confirmContact } from './announce.ts';
import type { RegistrarMessage } from './messages.ts';
import { mayRunTasks, type RegistrarState } from './state.ts';

type RegistrarContext = AgentContext<'registrar'>;

/**
 * Handles the answer of the bus about the service. If none was connected after the probe was sent, a service that comes
 * later waits for the whole time of silence before it reclaims tasks. So this is contact at the time of sending. A probe
 * from before a stall or a clock step, of an earlier incarnation, or of another bus proves nothing.
 */
export function onAbsenceProbed(
  state: RegistrarState,
  { token, isAbsent }: Extract<RegistrarMessage, { type: 'absence.probed' }>,
  context: RegistrarContext,
): void {
  const probe = state.probes.get(token);
  state.probes.delete(token);
  if (probe === undefined || !isAbsent) return;
  const { registration } = state;
  if (registration === null || !mayRunTasks(state) || !state.mayCountAbsence) return;
  if (probe.incarnation !== state.incarnation || probe.bus !== registration.singleBus?.id) return;
  if (probe.sentAt < context.receivingSince) return;
  if (!state.isServiceAbsent) {
    state.isServiceAbsent = true;
    context.log('warn', 'no service is connected to the bus; the tasks of this worker continue', {
      running: String(state.running.size),
    });
  }
  confirmContact(state, registration, probe, context);
}

/** No service has replied for the agreed time: from now on only its replies count as contact. */
export function onAbsenceOverdue(state: RegistrarState, _message: unknown, context: RegistrarContext): void {
  if (!state.mayCountAbsence) return;
  state.mayCountAbsence = false;
  if (mayRunTasks(state))
    context.log('warn', 'no service has replied for very long; its absence no longer counts as contact');
}
