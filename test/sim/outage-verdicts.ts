import type { FarmInput } from '../../actors/service/catalog/messages.ts';
import type { RetryOverride } from '../../src/core/lifecycle/retry-policy.ts';
import { Random } from './random.ts';
import { VerdictFarm, type AttemptEnd, type StartedAttempt } from './verdict-farm.ts';

/** Outcome of an outage that many jobs share (docs/outages.md#measured). */
export interface OutageResult {
  /** Places that were held. */
  readonly places: readonly string[];
  /** Attempts that failed in the outage, and those of them that used up an attempt of their task. */
  readonly failed: number;
  readonly consumed: number;
  /** Workers in quarantine, or in quarantine for a step. */
  readonly blamed: readonly string[];
  /** Jobs that were parked, or have not completed. */
  readonly notCompleted: readonly string[];
  /** Time from the end of the outage to the first success of a task that it had held, in milliseconds. */
  readonly resumedAfterMs: number;
}

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

/** Places of workers and jobs, and the attempts that fail in an outage. */
interface OutageScenario {
  readonly locationOf: (worker: number) => string;
  readonly poolsOf: (job: number) => readonly string[];
  readonly isHit: (attempt: StartedAttempt) => boolean;
  readonly message: (random: Random) => string;
}

const numberOf = (name: string): number => Number(name.slice(1));

/** Size and settings of the farm. */
export interface OutageFarm {
  readonly workers: number;
  readonly jobs: number;
  readonly settings: Partial<FarmInput>;
  readonly retry: RetryOverride;
  /** Share of attempts that fail by chance, on any worker. */
  readonly chanceFailures: number;
  readonly hours: number;
}

const FARM: OutageFarm = {
  workers: 60,
  jobs: 48,
  settings: {
    quarantine: true,
    outages: { isOn: true },
    queuePolicy: { kind: 'balanced', sharedBy: 'job' },
  },
  retry: { maxAttempts: 3, retryDelaySeconds: 0, failureLimit: 20 },
  chanceFailures: 0.005,
  hours: 6,
};

/** During the outage, all attempts with the pool that start fail. */
export const LICENSE_OUTAGE: OutageScenario = {
  locationOf: (worker) => (worker % 2 === 0 ? 'north' : 'south'),
  poolsOf: (job) => (job % 2 === 0 ? ['houdini'] : []),
  isHit: ({ job }) => numberOf(job) % 2 === 0,
  message: (random) => `error: no license for houdini, server 10.0.0.${random.between(1, 9)} is full`,
};

/** During the outage, all attempts that start in one of two locations fail. */
export const FULL_FILE_SERVER: OutageScenario = {
  locationOf: (worker) => (worker % 2 === 0 ? 'north' : 'south'),
  poolsOf: (job) => (job % 3 === 0 ? ['houdini'] : []),
  isHit: ({ worker }) => numberOf(worker) % 2 === 0,
  message: (random) =>
    `cannot write /mnt/renders/shot_${random.between(1, 99)}/beauty.exr: no space left on device`,
};

export const licenseOutage = (seed: number): OutageResult => run(seed, LICENSE_OUTAGE);
export const fullFileServer = (seed: number): OutageResult => run(seed, FULL_FILE_SERVER);

function run(seed: number, scenario: OutageScenario): OutageResult {
  const { farm, until, chance, failed, goods, names } = playOutage(seed, scenario, FARM);
  const jobs = names.map((name) => farm.job(name));
  return {
    places: [...farm.heldPlaces],
    failed,
    consumed: jobs.reduce((sum, { failedAttempts }) => sum + failedAttempts, 0) - chance,
    blamed: [...new Set([...farm.quarantined().keys(), ...farm.quarantinedInSteps()])],
    notCompleted: jobs.flatMap(({ name, status }) => (status === 'completed' ? [] : [name])),
    resumedAfterMs: Math.min(...goods.filter((at) => at > until)) - until,
  };
}

interface PlayedOutage {
  readonly farm: VerdictFarm;
  readonly until: number;
  readonly chance: number;
  readonly failed: number;
  /** Times at which attempts that the outage would have hit have started and succeed. */
  readonly goods: readonly number[];
  readonly names: readonly string[];
}

/** Runs a scenario. `prepare` may add things to do at times of it. */
export function playOutage(
  seed: number,
  { locationOf, poolsOf, isHit, message }: OutageScenario,
  { workers, jobs, settings, retry, chanceFailures, hours }: OutageFarm,
  prepare: (farm: VerdictFarm) => void = () => undefined,
): PlayedOutage {
  const random = new Random(seed);
  const from = random.between(10 * MINUTE_MS, 40 * MINUTE_MS);
  const until = from + random.between(5 * MINUTE_MS, 30 * MINUTE_MS);
  let chance = 0;
  let failed = 0;
  const goods: number[] = [];
  const model = (attempt: StartedAttempt): AttemptEnd => {
    const { at } = attempt;
    const afterMs = random.between(30_000, 8 * MINUTE_MS);
    if (at >= from && at <= until && isHit(attempt)) {
      failed++;
      return { afterMs: random.between(500, 30_000), fails: true, message: message(random) };
    }
    const fails = random.chance(chanceFailures);
    if (fails) chance++;
    else if (at > until && isHit(attempt)) goods.push(at);
    return { afterMs, fails, message: 'exit status 1' };
  };
  const farm = new VerdictFarm(settings, model);
  farm.replaceQueue({ retry });
  farm.createPool('houdini', { maxConcurrent: Math.ceil((workers * 3) / 4) });
  for (let number = 0; number < workers; number++)
    farm.at(random.between(0, MINUTE_MS), () => {
      farm.enter(`w${number}`, { compute_location: locationOf(number) });
    });
  const names = Array.from({ length: jobs }, (_, number) => `J${number}`);
  for (const [number, name] of names.entries())
    farm.at(random.between(0, HOUR_MS), () => {
      const needs = { cores: 1, pools: poolsOf(number) };
      farm.submit(name, [{ name: 's', tasks: random.between(10, 60), needs }]);
    });
  prepare(farm);
  farm.work(hours * HOUR_MS);
  return { farm, until, chance, failed, goods, names };
}
