import type { StoreReader } from '../../../src/core/ports/store.ts';
import { endedJobOfKey } from '../../../src/core/records/tables.ts';
import type { ActorDefinition } from '../../kernel/actor.ts';
import type { JobRetention, ServiceSystem } from '../service-system.ts';

/** Ended jobs that one piece of a sweep looks at, at the most. */
export const SWEEP_ROWS = 100;

/** The next piece of a sweep: it is read when the actor is loaded, and the actor lives for one piece. */
interface SweepState {
  /** Keys of jobs that have been kept long enough, in the order in which they ended. */
  readonly due: readonly string[];
}

/** The oldest ended jobs behind the place that the id names, up to those that are to be kept. */
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
 * The sweep actor asks the farm of ended jobs to let go of each (docs/decisions/deletion.md). Every job is a message of
 * its own, and the next piece is asked for behind them: nothing of a sweep is linear in what is kept, and other work
 * comes in between.
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
