import { remove } from '../../../src/core/records/change-set.ts';
import { keys } from '../../../src/core/records/tables.ts';
import { CATALOG_ID } from '../catalog/messages.ts';
import type { ServiceContext } from '../service-system.ts';
import type { WorkerState } from './state.ts';
import { giveBackAll } from './exiting-attempts.ts';
import { publishWorker } from './worker-turn.ts';

/**
 * Deletes the worker and its rows, except its ordinal, which packed task records refer to. `reason` is stored on
 * attempts that are still booked.
 */
export function removeWorker(state: WorkerState, reason: string, context: ServiceContext<'worker'>): void {
  const { id: workerId, farmId } = state.record;
  state.isDeleted = true;
  context.change(remove('worker', keys.worker(workerId)));
  context.change(remove('booking', keys.booking(workerId)));
  context.change(remove('workerFailures', keys.workerFailures(workerId)));
  context.change(remove('workerEvidence', keys.workerEvidence(workerId)));
  context.send('lease', farmId, { type: 'worker.removed', workerId });
  context.send('farm', farmId, { type: 'worker.removed', workerId });
  // A worker that joined with a token must not use the bus any more.
  context.effect({
    kind: 'forward',
    envelope: {
      actor: 'catalog',
      id: CATALOG_ID,
      message: { type: 'credential.worker-removed', workerId },
    },
  });
  giveBackAll(state, reason, context);
  publishWorker(state.record, 'removed', context);
}
