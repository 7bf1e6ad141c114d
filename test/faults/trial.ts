import { until } from '../kit/until.ts';
import { overlaps, runsTwice, uptimeNow, type Overlap } from './evidence.ts';
import { waitSeconds, tasksOf, type FaultFarm, type FaultWorker, type SeenAttempt } from './fault-farm.ts';

export interface Fault {
  readonly victims: readonly FaultWorker[];
  readonly seconds: number;
  begin(worker: FaultWorker): Promise<void>;
  end(worker: FaultWorker): void;
}

/** Effect of one fault on the affected workers. */
export interface Trial {
  /** Their open attempts that the service closed without a report from them. */
  readonly reclaimed: number;
  /** Number of these that the service changed after the next contact. */
  readonly staleAccepted: number;
  /** Tasks with overlapping runs, found since the last trial. */
  readonly overlaps: readonly Overlap[];
}

/** Injects faults into a farm one after another and measures the effect of each. */
export class Trials {
  private readonly farm: FaultFarm;
  private readonly seen = new Set<string>();
  private readonly hits = new Map<FaultWorker, number>();

  constructor(farm: FaultFarm) {
    this.farm = farm;
  }

  /** Chooses busy workers, preferring those with the fewest faults so far. */
  async victims(): Promise<FaultWorker[]> {
    const { victims } = this.farm.options;
    const chosen = await until(`${victims} workers run tasks`, () => {
      const busy = this.farm.workers.filter((worker) => tasksOf(worker).length > 0);
      return busy.length < victims
        ? null
        : busy.sort((a, b) => this.hitsOf(a) - this.hitsOf(b)).slice(0, victims);
    });
    for (const worker of chosen) this.hits.set(worker, this.hitsOf(worker) + 1);
    return chosen;
  }

  private hitsOf(worker: FaultWorker): number {
    return this.hits.get(worker) ?? 0;
  }

  /** Injects a fault for its duration. Resolves when the affected workers run tasks again. */
  async run(fault: Fault): Promise<Trial> {
    const { farm } = this;
    const before = await farm.openAttempts(fault.victims);
    await Promise.all(fault.victims.map((worker) => fault.begin(worker)));
    await waitSeconds(fault.seconds);
    const reclaimed = (await Promise.all(before.map((attempt) => farm.attemptNow(attempt)))).filter(
      ({ ended_at: endedAt }) => endedAt !== undefined,
    );
    for (const worker of fault.victims) fault.end(worker);
    await farm.areOnline(fault.victims);
    await until('no runs of a task overlap', () => !runsTwice(farm.processes(), uptimeNow()));
    const changed = await Promise.all(reclaimed.map((attempt) => this.hasChanged(attempt)));
    return {
      reclaimed: reclaimed.length,
      staleAccepted: changed.filter(Boolean).length,
      overlaps: this.newOverlaps(),
    };
  }

  /** Excludes overlaps that were reported before. */
  newOverlaps(): Overlap[] {
    return overlaps(this.farm.processes()).filter(({ task, workers }) => {
      const key = `${task} ${workers.join(' ')}`;
      const isNew = !this.seen.has(key);
      this.seen.add(key);
      return isNew;
    });
  }

  private async hasChanged(attempt: SeenAttempt): Promise<boolean> {
    return JSON.stringify(await this.farm.attemptNow(attempt)) !== JSON.stringify(attempt);
  }
}
