import type { TableName } from '../../src/core/records/tables.ts';
import { FIFO, type QueuePolicySetting } from '../../src/core/records/queue-policy.ts';
import { FULL_FILE_SERVER, LICENSE_OUTAGE, playOutage, type OutageFarm } from './outage-verdicts.ts';
import { Random } from './random.ts';
import type { VerdictFarm } from './verdict-farm.ts';

/*
 * An outage in a small farm whose service is restarted at random moments, or runs through. All idle workers request tasks
 * again at these moments in both cases, because a restart loses parked requests. All else must be the same.
 */

const SECOND_MS = 1000;
const HOUR_MS = 3_600_000;
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
  const moments: number[] = [];
  let ms = 0;
  while ((ms += random.between(SECOND_MS, 60 * SECOND_MS)) < HOURS * HOUR_MS) moments.push(ms);
  const { farm, names } = playOutage(seed, scenario, small, (verdicts) => {
    for (const moment of moments)
      verdicts.at(moment, () => {
        verdicts.requestAgain(isCold);
      });
  });
  return { starts: farm.starts, rows: rowsOf(farm, names), heldPlaces: [...farm.heldPlaces] };
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

const rowsOf = (farm: VerdictFarm, names: readonly string[]): readonly string[] => [
  ...TABLES.flatMap((table) =>
    [...farm.store.scan(table)].map(({ key, value }) => `${table} ${key} ${JSON.stringify(value)}`),
  ),
  ...names.map((name) => {
    const { status, failedAttempts, parkReason } = farm.job(name);
    return `${name}: ${status}, ${failedAttempts} failures, ${parkReason}`;
  }),
];
