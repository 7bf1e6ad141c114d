/**
 * State: one batch of ended jobs that are due. Invariants: it lasts for one batch; a job expires only by a message to
 * its farm. Exits: a batch that is not full ends the sweep.
 */

import type { StoreReader } from '../../../src/core/ports/store.ts';
import { endedJobOfKey } from '../../../src/core/records/tables.ts';
import type { ActorDefinition } from '../../kernel/actor.ts';
import type { JobRetention, ServiceSystem } from '../service-system.ts';

/** Maximum number of ended jobs that one batch of a sweep reads. */
export const SWEEP_ROWS = 100;

/** The next batch of a sweep. It is read when the actor is loaded, and the actor lasts for one batch. */
interface SweepState {
  /** Keys of jobs whose retention has passed, in the order of their ends. */
  readonly due: readonly string[];
}

/** Loads the oldest ended jobs after the key in the id, up to `latestEnd`. */
function loadSweep(id: string, reader: StoreReader, latestEnd: number): SweepState {
  const [farm = '', ending = ''] = id.split('/');
  const due: string[] = [];
  for (const { key } of reader.scan('endedJob', {
    prefix: `${farm}/${ending}/`,
    after: id,
    limit: SWEEP_ROWS,
  })) {
    if (endedJobOfKey(key).endedAt > latestEnd) break;
    due.push(key);
  }
  return { due };
}

/**
 * The sweep actor requests the expiry of ended jobs from their farm (docs/decisions/deletion.md). Each job is a message
 * of its own, and the request of the next batch follows them. So no step of a sweep is linear in the number of stored
 * jobs, and other messages are handled in between.
 */
export function sweepActor(retention: JobRetention): ActorDefinition<ServiceSystem, 'sweep', SweepState> {
  return {
    kind: 'sweep',
    load: (id, reader, now) => loadSweep(id, reader, now - retention.afterMs),
    isEvictable: () => true,
    onMissing: () => null,
    handlers: {
      'sweep.next': ({ due }, message, context) => {
        for (const key of due) {
          const { farmId, endedAt, jobId } = endedJobOfKey(key);
          context.effect({
            kind: 'forward',
            envelope: { actor: 'farm', id: farmId, message: { type: 'job.expire', jobId, endedAt } },
          });
        }
        const last = due.at(-1);
        if (last === undefined || due.length < SWEEP_ROWS) return;
        context.effect({ kind: 'forward', envelope: { actor: 'sweep', id: last, message } });
      },
    },
  };
}
