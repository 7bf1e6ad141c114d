import { Random } from './random.ts';
import { VerdictFarm, type AttemptEnd, type StartedAttempt } from './verdict-farm.ts';

/** Outcome of a scenario. */
export interface VerdictResult {
  /** Whether the verdict is the right one. */
  readonly isRight: boolean;
  /** Failed attempts on the bad node, or of the bad job. */
  readonly wasted: number;
  /** Good nodes that were put in quarantine as a whole, or for a step. */
  readonly goodInQuarantine: readonly string[];
}

const WORKERS = 200;
const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
/** Share of attempts that fail by chance, on any worker. */
const CHANCE_FAILURES = 0.005;

const nameOf = (number: number): string => `w${number}`;

/** The work of a farm: jobs that come in the course of an hour, with tasks of some minutes. */
function submitJobs(farm: VerdictFarm, random: Random, jobs: number, prefix = 'J'): readonly string[] {
  return Array.from({ length: jobs }, (_, number) => {
    const name = `${prefix}${number}`;
    const tasks = random.between(40, 160);
    farm.at(random.between(0, HOUR_MS), () => {
      farm.submit(name, [{ name: 's', tasks, needs: { cores: 1 } }]);
    });
    return name;
  });
}

function joinAll(farm: VerdictFarm, random: Random, locationOf: (number: number) => string = () => ''): void {
  for (let number = 0; number < WORKERS; number++)
    farm.at(random.between(0, MINUTE_MS), () => {
      farm.enter(nameOf(number), { compute_location: locationOf(number) });
    });
}

/** An attempt without any cause to fail, other than chance. */
function usual(random: Random): AttemptEnd {
  const afterMs = random.between(30_000, 8 * MINUTE_MS);
  return { afterMs, fails: random.chance(CHANCE_FAILURES), message: 'exit status 1' };
}

/** One node of 200 fails every task within seconds, from some time on. */
export function oneBadNode(seed: number): VerdictResult {
  const { farm, bad, wasted } = runBadNode(seed, 20, () => undefined);
  const quarantined = [...farm.quarantined().keys()];
  return {
    isRight: quarantined.includes(bad),
    wasted: wasted(),
    goodInQuarantine: goodAmong([...quarantined, ...farm.quarantinedInSteps()], [bad]),
  };
}

/** The rows that remain of a scenario with a bad node. `isCold`: the service is restarted every some minutes. */
export function rowsOfBadNode(seed: number, isCold: boolean): readonly string[] {
  const { farm } = runBadNode(seed, 4, (farm) => {
    for (let ms = MINUTE_MS; ms < 2 * HOUR_MS; ms += 7 * MINUTE_MS)
      farm.at(ms, () => {
        farm.requestAgain(isCold);
      });
  });
  return (['workerEvidence', 'job', 'attempt'] as const).flatMap((table) =>
    [...farm.store.scan(table)].map(({ key, value }) => `${table} ${key} ${JSON.stringify(value)}`),
  );
}

function runBadNode(
  seed: number,
  jobs: number,
  prepare: (farm: VerdictFarm) => void,
): { readonly farm: VerdictFarm; readonly bad: string; readonly wasted: () => number } {
  const random = new Random(seed);
  const bad = nameOf(random.between(0, WORKERS - 1));
  const from = random.between(0, 20 * MINUTE_MS);
  let wasted = 0;
  const model = ({ worker, at }: StartedAttempt): AttemptEnd => {
    if (worker !== bad || at < from) return usual(random);
    wasted++;
    return { afterMs: random.between(500, 20_000), fails: true, message: 'cannot open display' };
  };
  const farm = new VerdictFarm({ quarantine: true }, model);
  joinAll(farm, random);
  submitJobs(farm, random, jobs);
  prepare(farm);
  farm.work(3 * HOUR_MS);
  return { farm, bad, wasted: () => wasted };
}

const goodAmong = (names: readonly string[], bad: readonly string[]): readonly string[] => [
  ...new Set(names.filter((name) => !bad.includes(name))),
];

/** A scene that fails everywhere, among good jobs, in a queue that tries canary tasks first. */
export function oneBadScene(seed: number): VerdictResult {
  const random = new Random(seed);
  const model = ({ job }: StartedAttempt): AttemptEnd =>
    job === 'bad'
      ? { afterMs: random.between(2_000, 60_000), fails: true, message: 'cannot read scene.ma' }
      : usual(random);
  const farm = new VerdictFarm({ quarantine: true }, model);
  farm.replaceQueue({ retry: { canaryTasks: true } });
  joinAll(farm, random);
  const good = submitJobs(farm, random, 12);
  farm.at(random.between(0, HOUR_MS), () => {
    farm.submit('bad', [{ name: 's', tasks: random.between(40, 400), needs: { cores: 1 } }]);
  });
  farm.work(4 * HOUR_MS);
  const { status, parkReason } = farm.job('bad');
  const areGoodDone = good.every((name) => farm.job(name).status === 'completed');
  return {
    isRight: status === 'paused' && parkReason.includes('fails everywhere') && areGoodDone,
    wasted: farm.failedOf.get('bad') ?? 0,
    goodInQuarantine: goodAmong([...farm.quarantined().keys(), ...farm.quarantinedInSteps()], []),
  };
}

/**
 * For some minutes, every attempt that starts fails on every node, as without a license server or with a full file server,
 * in many small jobs. Right is: no node is in quarantine.
 */
export function sharedOutage(seed: number): VerdictResult {
  const random = new Random(seed);
  const from = random.between(10 * MINUTE_MS, 40 * MINUTE_MS);
  const until = from + random.between(2 * MINUTE_MS, 20 * MINUTE_MS);
  let wasted = 0;
  const model = ({ at }: StartedAttempt): AttemptEnd => {
    if (at < from || at > until) return usual(random);
    wasted++;
    return { afterMs: random.between(500, 30_000), fails: true, message: 'no license' };
  };
  const farm = new VerdictFarm({ quarantine: true }, model);
  farm.replaceQueue({ retry: { maxAttempts: 6, retryDelaySeconds: 60 } });
  joinAll(farm, random);
  for (let number = 0; number < 120; number++)
    farm.at(random.between(0, HOUR_MS), () => {
      farm.submit(`J${number}`, [{ name: 's', tasks: random.between(3, 30), needs: { cores: 1 } }]);
    });
  farm.work(3 * HOUR_MS);
  const goodInQuarantine = goodAmong([...farm.quarantined().keys(), ...farm.quarantinedInSteps()], []);
  return { isRight: goodInQuarantine.length === 0, wasted, goodInQuarantine };
}
