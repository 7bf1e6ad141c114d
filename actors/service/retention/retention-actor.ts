/**
 * State: the timer of the sweeps. Invariants: it is armed while the actor is active; without a retention there is no
 * actor. Exits: none.
 */

import { farmId, type FarmId } from '../../../src/core/ids.ts';
import { keys, type Ending } from '../../../src/core/records/tables.ts';
import type { ActorDefinition } from '../../kernel/actor.ts';
import type { JobRetention, ServiceContext, ServiceSystem } from '../service-system.ts';

/** A sweep starts every tenth of the retention, within these bounds. */
const SWEEPS_PER_RETENTION = 10;
const PERIOD_MS_MIN = 1_000;
const PERIOD_MS_MAX = 60_000;

interface RetentionState {
  readonly farmId: FarmId;
}

/** Returns the period of a farm's sweeps in milliseconds. */
const periodOf = ({ afterMs }: JobRetention): number =>
  Math.min(PERIOD_MS_MAX, Math.max(PERIOD_MS_MIN, afterMs / SWEEPS_PER_RETENTION));

/** The retention actor of a farm has the timer of its sweeps. It reads and deletes nothing itself. */
export function retentionActor(
  retention: JobRetention,
): ActorDefinition<ServiceSystem, 'retention', RetentionState> {
  const endings: readonly Ending[] = retention.includeFailed ? ['completed', 'failed'] : ['completed'];
  const arm = (context: ServiceContext<'retention'>): void => {
    context.after('sweep', periodOf(retention), { type: 'retention.due' });
  };
  return {
    kind: 'retention',
    load: (id) => (retention.afterMs > 0 ? { farmId: farmId(id) } : null),
    onActivated: (_state, context) => {
      arm(context);
    },
    onMissing: () => null,
    handlers: {
      'retention.activate': () => undefined,
      'retention.due': (state, _message, context) => {
        for (const ending of endings) {
          context.send('sweep', keys.endedJobsOf(state.farmId, ending), { type: 'sweep.next' });
        }
        arm(context);
      },
    },
  };
}
