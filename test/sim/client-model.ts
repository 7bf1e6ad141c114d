import type { ClientWorld } from './client-port.ts';
import { JobClients } from './job-clients.ts';
import { WorkerClients } from './worker-clients.ts';
import { SettingsClients } from './settings-clients.ts';

interface Action {
  /** Relative frequency of the action; 0 for never. */
  readonly weight: number;
  readonly act: () => void;
}

/** All clients of one farm: they create it, submit and control jobs, and change settings. */
export class ClientModel {
  private readonly world: ClientWorld;
  private readonly settings: SettingsClients;
  private readonly jobs: JobClients;
  private readonly workers: WorkerClients;

  constructor(world: ClientWorld) {
    this.world = world;
    this.settings = new SettingsClients(world);
    this.jobs = new JobClients(world, this.settings.queues);
    this.workers = new WorkerClients(world);
  }

  setUp(onReady: () => void): void {
    this.settings.setUp(onReady);
  }

  /** Performs one random action. */
  act(): void {
    const actions = this.actions();
    let total = 0;
    for (const { weight } of actions) total += weight;
    let at = this.world.random.next() * total;
    for (const { weight, act } of actions) {
      at -= weight;
      if (weight === 0 || at >= 0) continue;
      act();
      return;
    }
  }

  /** Lifts all holds: pauses and caps. */
  lift(): void {
    this.settings.lift();
    this.jobs.resumeAll();
    this.jobs.releaseAll();
    this.jobs.startAll();
    this.jobs.removeCaps();
    this.workers.enableAll();
    this.workers.liftQuarantines();
  }

  private actions(): readonly Action[] {
    const { cancels, limits, steers, retries, skips, holds, starts, deletes, standing, quarantine } =
      this.world.options;
    const { jobs, settings, workers } = this;
    const isOn = (on: boolean, weight: number): number => (on && jobs.hasJobs ? weight : 0);
    return [
      { weight: jobs.mustSubmit ? 20 : 0, act: () => jobs.submit() },
      { weight: isOn(cancels, 0.6), act: () => jobs.cancelJob() },
      { weight: isOn(deletes, 0.8), act: () => jobs.deleteJob() },
      { weight: isOn(cancels, 2), act: () => jobs.cancelTask() },
      { weight: isOn(steers, 4), act: () => jobs.pauseOrResume() },
      { weight: isOn(steers, 2), act: () => jobs.changeSettings() },
      { weight: isOn(steers, 1.5), act: () => jobs.move() },
      { weight: isOn(retries, 2), act: () => jobs.retry() },
      { weight: isOn(retries, 1), act: () => jobs.cancelAndRetry() },
      { weight: isOn(skips, 2), act: () => jobs.skip() },
      { weight: isOn(skips, 0.7), act: () => jobs.undoSkips() },
      { weight: isOn(holds, 2), act: () => jobs.holdOrRelease() },
      { weight: isOn(starts, 2), act: () => jobs.startLater() },
      { weight: isOn(standing, 2), act: () => workers.act() },
      { weight: isOn(standing && quarantine, 0.3), act: () => workers.liftQuarantines() },
      { weight: isOn(limits, 2), act: () => settings.replaceQueue() },
      { weight: isOn(limits, 1), act: () => settings.replaceFarm() },
      { weight: isOn(limits, 0.5), act: () => settings.addOrDeleteQueue() },
    ];
  }
}
