import { overlaps, type Overlap } from './evidence.ts';
import { lasting, type FaultFarm, type FaultWorker, type SeenAttempt } from './fault-farm.ts';

export interface Fault {
  readonly victims: readonly FaultWorker[];
  readonly seconds: number;
  begin(worker: FaultWorker): Promise<void>;
  end(worker: FaultWorker): void;
}

/** What one fault did to the workers that it met. */
export interface Trial {
  /** Attempts that were open on them, and that the service has closed without a word from them. */
  readonly reclaimed: number;
  /** Of those: what the service has changed once they were heard again. */
  readonly staleAccepted: number;
  /** Tasks that ran twice at once, found since the last trial. */
  readonly overlaps: readonly Overlap[];
}

/** Tries faults on a farm, one after another, and keeps apart what each of them did. */
export class Trials {
  private readonly farm: FaultFarm;
  private readonly seen = new Set<string>();
  private next = 0;

  constructor(farm: FaultFarm) {
    this.farm = farm;
  }

  /** The next workers, in turn: so few that the service does not take the loss of them for its own. */
  victims(count: number): FaultWorker[] {
    const { workers } = this.farm;
    const chosen = Array.from(
      { length: count },
      (_unused, index) => workers[(this.next + index) % workers.length],
    );
    this.next += count;
    return chosen.filter((worker) => worker !== undefined);
  }

  /** A fault that lasts and goes. Resolves when its victims are at work again. */
  async run(fault: Fault): Promise<Trial> {
    const { farm } = this;
    const before = await farm.openAttempts(fault.victims);
    await Promise.all(fault.victims.map((worker) => fault.begin(worker)));
    await lasting(fault.seconds);
    const reclaimed = (await Promise.all(before.map((attempt) => farm.attemptNow(attempt)))).filter(
      ({ ended_at: endedAt }) => endedAt !== undefined,
    );
    for (const worker of fault.victims) fault.end(worker);
    await farm.isBusy(fault.victims);
    const changed = await Promise.all(reclaimed.map((attempt) => this.hasChanged(attempt)));
    return {
      reclaimed: reclaimed.length,
      staleAccepted: changed.filter(Boolean).length,
      overlaps: this.newOverlaps(),
    };
  }

  /** Those that have not been told before. */
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
