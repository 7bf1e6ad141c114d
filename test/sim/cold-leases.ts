import type { QueueId } from '../../src/core/ids.ts';
import { FIFO, type QueuePolicySetting } from '../../src/core/records/queue-policy.ts';
import type { TableName } from '../../src/core/records/tables.ts';
import type { StepRequirements } from '../../src/openjd/template/plan.ts';
import { rowsOf, restartMoments } from './cold-rows.ts';
import { Random } from './random.ts';
import { VerdictFarm } from './verdict-farm.ts';

/*
 * A farm of several kinds of workers, with steps of several signatures, whole-machine and wide tasks, caps, a pool, a
 * queue policy and a bad node, whose service is restarted at random moments, or runs through (as in cold-outages.ts).
 */

const SECOND_MS = 1000;
const MINUTE_MS = 60_000;
const HOURS = 2;
const RESERVATION_AFTER_MS = 40 * SECOND_MS;

const TABLES: readonly TableName[] = [
  'attempt',
  'booking',
  'stepFailures',
  'workerEvidence',
  'shareUsage',
  'waitingStep',
];

const POLICIES: readonly Partial<QueuePolicySetting>[] = [
  { kind: 'fifo' },
  { kind: 'fifo' },
  { kind: 'balanced', sharedBy: 'owner' },
  { kind: 'weighted', sharedBy: 'project', halfLifeSeconds: 900 },
];

/** Traces of a farm that was played. */
export interface ColdLeases {
  /** All starts of attempts, in order. */
  readonly starts: readonly string[];
  /** The rows of the tables above, and what matters of each job, at the end. */
  readonly rows: readonly string[];
  /** Number of reservations, and of times at which tasks were taken back. */
  readonly reservations: number;
  readonly preemptions: number;
}

/** Plays the farm of a seed. `isCold`: with restarts. */
export function playColdLeases(seed: number, isCold: boolean): ColdLeases {
  const random = new Random(20_000 + seed);
  const ends = new Random(30_000 + seed);
  const hasBadNode = random.chance(0.4);
  const farm = new VerdictFarm(
    {
      quarantine: random.chance(0.5),
      outages: { isOn: random.chance(0.4) },
      queuePolicy: { ...FIFO, ...random.pick(POLICIES) },
      ...(random.chance(0.3) && {
        bookedAmounts: { names: ['amount.worker.memory'], byDefault: 'core_share' },
      }),
      maxConcurrentTasks: random.pick([0, 0, 30]),
    },
    ({ worker }) =>
      hasBadNode && worker === 'w1'
        ? { afterMs: ends.between(500, 5 * SECOND_MS), fails: true, message: 'no driver' }
        : { afterMs: ends.between(5 * SECOND_MS, 4 * MINUTE_MS), fails: ends.chance(0.04) },
    { reservationAfterMs: RESERVATION_AFTER_MS },
  );
  farm.createPool('houdini', { maxConcurrent: random.between(2, 6) });
  const retry = {
    maxAttempts: 3,
    retryDelaySeconds: random.pick([0, 20]),
    failureLimit: 0,
    canaryTasks: random.chance(0.3),
  };
  farm.replaceQueue({ retry, preemptible: true });
  const takesBack = random.chance(0.4) && { preemptAfterSeconds: 90 };
  const urgent = farm.createQueue({ name: 'urgent', retry, ...takesBack });
  const capped = farm.createQueue({ name: 'capped', retry, maxConcurrentTasks: random.between(3, 8) });
  enterWorkers(farm, random);
  const names = submitJobs(farm, random, [farm.queue, urgent, capped]);
  for (const moment of restartMoments(random, HOURS))
    farm.at(moment, () => {
      farm.requestAgain(isCold);
    });
  farm.work(HOURS * 60 * MINUTE_MS);
  const infos = farm.takeInfos();
  const countOf = (text: string): number => infos.filter((info) => info === text).length;
  return {
    starts: farm.starts,
    rows: rowsOf(farm, TABLES, names),
    reservations: countOf('worker reserved for a starving step'),
    preemptions: countOf('tasks taken back for a step that has waited'),
  };
}

function enterWorkers(farm: VerdictFarm, random: Random): void {
  const kinds = Array.from({ length: 4 }, () => ({
    cpu_count: random.pick([2, 4, 8, 8, 16]),
    compute_location: random.pick(['', 'north', 'south']),
    memory_mib: random.pick([8192, 32_768]),
  }));
  for (let number = random.between(8, 24); number > 0; number--) {
    const kind = random.pick(kinds);
    farm.at(random.between(0, 5 * MINUTE_MS), () => {
      farm.enter(`w${number}`, kind);
    });
  }
}

/** Submits jobs of one or two steps at random times. Returns their names. */
function submitJobs(farm: VerdictFarm, random: Random, queues: readonly QueueId[]): readonly string[] {
  const names = Array.from({ length: random.between(15, 30) }, (_, number) => `J${number}`);
  for (const name of names) {
    const steps = Array.from({ length: random.between(1, 2) }, (_, order) => ({
      name: `s${order}`,
      tasks: random.between(2, 60),
      needs: randomNeeds(random),
      ...(order > 0 && random.chance(0.5) && { after: ['s0'] }),
    }));
    const some = {
      queueId: random.pick(queues),
      priority: random.pick([40, 50, 50, 50, 60]),
      owner: random.pick(['ana', 'bo']),
      project: random.pick(['film', 'advert']),
    };
    farm.at(random.between(0, 40 * MINUTE_MS), () => {
      farm.submit(name, steps, some);
    });
  }
  return names;
}

const randomNeeds = (random: Random): Partial<StepRequirements> => ({
  cores: random.pick([1, 1, 1, 1, 2, 3, 4, 8, null]),
  computeLocation: random.chance(0.2) ? random.pick(['north', 'south']) : '',
  pools: random.chance(0.2) ? ['houdini'] : [],
  amounts: random.chance(0.2) ? [{ name: 'amount.worker.memory', min: random.pick([1024, 6000]) }] : [],
});
