import { mostDoubted } from '../../../src/core/lease/worker-doubts.ts';
import type { ServiceContext } from '../service-system.ts';
import type { LeaseState } from './state.ts';

/**
 * Grants the quarantines that workers ask for, unless more than a tenth of the online workers are in doubt: then
 * something that they share is the cause (docs/quarantine.md#as-a-whole).
 */
export function grantQuarantines(state: LeaseState, context: ServiceContext<'lease'>): void {
  if (state.asking.size === 0 || state.recovery !== 'ready') return;
  const inDoubt = new Set([...state.doubts.suspects(), ...state.asking]);
  if (inDoubt.size > mostDoubted(state.kinds.online)) return;
  for (const workerId of [...state.asking].sort())
    context.send('worker', workerId, { type: 'quarantine.granted' });
}
