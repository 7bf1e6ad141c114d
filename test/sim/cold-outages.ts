import type { TableName } from '../../src/core/records/tables.ts';
import { FIFO, type QueuePolicySetting } from '../../src/core/records/queue-policy.ts';
import { FULL_FILE_SERVER, LICENSE_OUTAGE, playOutage, type OutageFarm } from './outage-verdicts.ts';
import { restartMoments, rowsOf } from './cold-rows.ts';
import { Random } from './random.ts';

/*
 * An outage in a small farm whose service is restarted at random moments, or runs through. All idle workers request tasks
 * again at these moments in both cases, because a restart loses parked requests. All else must be the same.
 */

const HOURS = 2;

/** All that decisions leave behind. Marks of unschedulable tasks are not among it: their delay begins again with a restart. */
const TABLES: readonly TableName[] = [
  'attempt',
  'booking',
  'taskRules',
  'stepFailures',
  'workerEvidence',
  'farmOutages',
  'shareUsage',
];

/** Traces of an outage that was played. */
export interface ColdOutage {
  /** All starts of attempts, in order. */
  readonly starts: readonly string[];
  /** The rows of the tables above, and what matters of each job, at the end. */
  readonly rows: readonly string[];
  readonly heldPlaces: readonly string[];
}

/** Plays the outage of a seed. `isCold`: with restarts. */
export function playColdOutage(seed: number, isCold: boolean): ColdOutage {
  const random = new Random(10_000 + seed);
  const small = smallFarm(random);
  const scenario = random.pick([LICENSE_OUTAGE, FULL_FILE_SERVER]);
  const moments = restartMoments(random, HOURS);
  const { farm, names } = playOutage(seed, scenario, small, (verdicts) => {
    for (const moment of moments)
      verdicts.at(moment, () => {
        verdicts.requestAgain(isCold);
      });
  });
  return { starts: farm.starts, rows: rowsOf(farm, TABLES, names), heldPlaces: [...farm.heldPlaces] };
}

const POLICIES: readonly Partial<QueuePolicySetting>[] = [
  { kind: 'balanced', sharedBy: 'job' },
  { kind: 'weighted', sharedBy: 'job', halfLifeSeconds: 900 },
  { kind: 'fifo' },
];

function smallFarm(random: Random): OutageFarm {
  return {
    workers: random.between(8, 16),
    jobs: random.between(6, 14),
    settings: {
      quarantine: random.chance(0.7),
      outages: { isOn: true, holdSeconds: random.pick([10, 60]) },
      queuePolicy: { ...FIFO, ...random.pick(POLICIES) },
    },
    retry: {
      maxAttempts: random.between(2, 4),
      retryDelaySeconds: random.pick([0, 20]),
      failureLimit: 20,
      canaryTasks: random.chance(0.5),
    },
    chanceFailures: random.pick([0.001, 0.05]),
    hours: HOURS,
  };
}
