import { isDeepStrictEqual } from 'node:util';
import type { Capabilities } from '../../actors/agent/agent-settings.ts';
import { findApplications } from '../../src/adapters/host/find-applications.ts';
import { graphicsCards, type GraphicsCards } from '../../src/adapters/host/graphics-cards.ts';
import { scratchMib, type MachineFacts } from '../../src/adapters/host/machine.ts';
import { KNOWN_APPLICATIONS, tagsWith } from '../../src/core/applications/known-applications.ts';
import type { WorkerConfig } from '../../src/core/config/worker-config.ts';

/** Minimum time between two searches at registrations: an unreachable service is contacted every few seconds. */
const LOOK_AGAIN_MS = 60_000;
/** Time limit of a search. A longer one waits for a file system that does not respond. */
const SEARCH_MS = 20_000;

export interface CapabilityWatchOptions {
  readonly config: Pick<WorkerConfig['worker'], 'tags' | 'gpus' | 'detectApplications'>;
  readonly machine: Pick<MachineFacts, 'os' | 'osVersion'>;
  readonly environment: NodeJS.ProcessEnv;
  /** Parts of isolation that apply to all tasks. */
  readonly isolation: () => readonly string[];
  /** The directory of the sessions. */
  readonly directory: string;
  readonly warn: (text: string) => void;
  /** Called when the capabilities differ from the last ones. */
  readonly changed: (capabilities: Capabilities) => void;
  /** Milliseconds of a monotonic clock. */
  readonly now: () => number;
}

/** Detects the capabilities of a worker besides cores and memory: at the start and while it runs. */
export class CapabilityWatch {
  private readonly options: CapabilityWatchOptions;
  private last: Capabilities | null = null;
  private lookedAt = 0;
  private isLooking = false;

  constructor(options: CapabilityWatchOptions) {
    this.options = options;
  }

  /** Detects the capabilities for the first time. */
  async first(): Promise<Capabilities> {
    const found = await this.look();
    this.last = found;
    return found;
  }

  /** Detects them again at a registration, unless the last detection is recent. */
  registering(): void {
    if (this.options.now() - this.lookedAt >= LOOK_AGAIN_MS) this.lookAgain();
  }

  /** Detects them again and reports a change. Does nothing while a detection runs. */
  lookAgain(): void {
    if (this.isLooking) return;
    void this.look().then((found) => {
      if (isDeepStrictEqual(found, this.last)) return;
      this.last = found;
      this.options.changed(found);
    });
  }

  private async look(): Promise<Capabilities> {
    this.isLooking = true;
    const { config, machine, directory } = this.options;
    const [cards, scratch, found] = await Promise.all([
      this.cards(),
      scratchMib(directory),
      config.detectApplications ? this.applications() : [],
    ]);
    this.lookedAt = this.options.now();
    this.isLooking = false;
    return {
      hardware: {
        gpuCount: cards.count,
        gpuMemoryMib: cards.memoryMib,
        gpuModels: cards.models,
        scratchMib: scratch,
        osVersion: machine.osVersion,
        isolation: this.options.isolation(),
      },
      tags: tagsWith(config.tags, found),
    };
  }

  /** Returns the GPUs. A configured number takes precedence over the detected one. */
  private async cards(): Promise<Omit<GraphicsCards, 'problem'>> {
    const { config, environment, warn } = this.options;
    if (config.gpus === 0) return { count: 0, memoryMib: 0, models: [] };
    const cards = await graphicsCards(environment);
    if (cards.problem !== null) warn(`${cards.problem}: this worker offers no GPU that is not configured`);
    return config.gpus === null
      ? cards
      : { count: config.gpus, memoryMib: cards.memoryMib, models: cards.models.slice(0, config.gpus) };
  }

  private async applications(): Promise<readonly string[]> {
    const { machine, environment, warn } = this.options;
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<null>((resolve) => {
      timer = setTimeout(() => resolve(null), SEARCH_MS);
    });
    const search = findApplications(KNOWN_APPLICATIONS, { system: machine.os, environment, root: '/' });
    const found = await Promise.race([search, late]);
    clearTimeout(timer);
    if (found !== null) return found;
    warn('applications could not be looked for in time: a file system on the PATH does not answer');
    return [];
  }
}
