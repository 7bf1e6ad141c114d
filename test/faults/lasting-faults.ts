import { gaps } from './evidence.ts';
import { FaultFarm, type FaultFarmOptions, type FaultWorker } from './fault-farm.ts';
import { PARTITION_MODES, type Cut } from './lines.ts';
import { round2, valueAtQuantile, type Figures, type RowName, type RowResult } from './row.ts';
import { Trials, type Trial } from './trial.ts';

export interface LastingPlan {
  readonly farm: FaultFarmOptions;
  readonly rounds: number;
  readonly seconds: readonly number[];
}

/** A kind of fault with a duration. */
interface Kind {
  readonly name: string;
  begin(worker: FaultWorker): Promise<void>;
  end(worker: FaultWorker): void;
  /** Maximum seconds for which two runs of a task may overlap. */
  readonly overlapSecondsMax: number;
}

/**
 * Time that the processes of a frozen machine may run after the thaw, until its guards detect the loss of contact.
 * While frozen, nothing on it could end them.
 */
const THAW_SECONDS_MAX = 3;

const PAUSED: Kind = {
  name: 'daemon stopped',
  begin: async ({ daemon }) => {
    process.kill(daemon.pid, 'SIGSTOP');
  },
  end: ({ daemon }) => {
    process.kill(daemon.pid, 'SIGCONT');
  },
  overlapSecondsMax: 0,
};

const FROZEN: Kind = {
  name: 'daemon and tasks frozen',
  begin: async ({ freezer }) => freezer?.freeze(),
  end: ({ freezer }) => freezer?.thaw(),
  overlapSecondsMax: THAW_SECONDS_MAX,
};

const partition = (cut: Cut): Kind => ({
  name: { both: 'cut off', 'to-bus': 'cut off towards the bus', 'from-bus': 'cut off from the bus' }[cut],
  begin: async ({ line }) => line.cut(cut),
  end: ({ line }) => line.heal(),
  overlapSecondsMax: 0,
});

/** F9: a worker's daemon, or its whole machine, is suspended for a while and then continues. */
export async function pauses(plan: LastingPlan): Promise<RowResult> {
  return lastingFaults('F9', 'workers that stop and continue', plan, (farm) =>
    farm.workers.every(({ freezer }) => freezer !== null)
      ? { kinds: [PAUSED, FROZEN], means: 'SIGSTOP, freezer control group' }
      : { kinds: [PAUSED], means: 'SIGSTOP' },
  );
}

/** F12: the network between a worker and the bus is cut, in both directions or in one. */
export async function partitions(plan: LastingPlan): Promise<RowResult> {
  return lastingFaults('F12', 'workers that are cut off from the bus', plan, ({ network }) => ({
    kinds: PARTITION_MODES.map(partition),
    means: network.kind,
  }));
}

async function lastingFaults(
  row: RowName,
  title: string,
  plan: LastingPlan,
  choose: (farm: FaultFarm) => { readonly kinds: readonly Kind[]; readonly means: string },
): Promise<RowResult> {
  const farm = await FaultFarm.start(plan.farm);
  try {
    const { kinds, means } = choose(farm);
    const trials = new Trials(farm);
    const lines: Figures[] = [];
    const violations: string[] = [];
    for (const kind of kinds) {
      for (const seconds of plan.seconds) {
        const done: Trial[] = [];
        for (let round = 0; round < plan.rounds; round++) {
          const victims = await trials.victims();
          done.push(await trials.run({ ...kind, victims, seconds }));
        }
        lines.push(lineOf(kind, seconds, plan.farm.victims, done));
        violations.push(...judge(`${kind.name} for ${seconds} s`, kind, done));
      }
    }
    const { processes, consumed, wrong } = await farm.finish();
    if (consumed > 0) violations.push(`${consumed} attempts were used`);
    const left = trials.newOverlaps();
    if (left.length > 0) violations.push(`runs of a task overlapped: ${JSON.stringify(left)}`);
    const begunAgain = gaps(processes);
    lines.push({
      fault: 'all',
      'smallest gap s': round2(Math.min(...begunAgain)),
      'tasks begun again': begunAgain.length,
      'attempts consumed': consumed,
    });
    return { row, title, means, lines, violations: [...violations, ...wrong] };
  } finally {
    await farm.stop();
  }
}

function lineOf(kind: Kind, seconds: number, victims: number, trials: readonly Trial[]): Figures {
  const overlapping = trials.flatMap((trial) => trial.overlaps.map((overlap) => overlap.seconds));
  return {
    fault: kind.name,
    seconds,
    faults: victims * trials.length,
    'attempts reclaimed': sum(trials.map(({ reclaimed }) => reclaimed)),
    'stale reports accepted': sum(trials.map(({ staleAccepted }) => staleAccepted)),
    overlaps: overlapping.length,
    'overlap s': round2(sum(overlapping)),
    'overlap p99 s': round2(valueAtQuantile(overlapping, 0.99)),
  };
}

function judge(what: string, kind: Kind, trials: readonly Trial[]): string[] {
  const tooLong = trials
    .flatMap((trial) => trial.overlaps)
    .filter(({ seconds }) => seconds > kind.overlapSecondsMax);
  const stale = sum(trials.map(({ staleAccepted }) => staleAccepted));
  return [
    ...tooLong.map((overlap) => `${what}: two runs of a task overlapped: ${JSON.stringify(overlap)}`),
    ...(stale > 0 ? [`${what}: ${stale} closed attempts were changed by a late report`] : []),
  ];
}

const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);
