import type { MessagePort } from 'node:worker_threads';
import { loadJob, type JobState } from '../../../actors/service/job/job-actor.ts';
import { STALE_ASSIGNED_MS } from '../../../actors/service/service-system.ts';
import { openStateReader, type StateReader } from '../../../src/adapters/lmdb/state-reader.ts';
import { shardOfFarm } from '../shard-of-farm.ts';
import type { ShardCommand, ShardOptions, StandbyCommand, StandbyOptions } from '../shard-protocol.ts';
import { PreloadedJobs } from './preloaded-jobs.ts';

/** Results of a standby, for a shard that begins. */
export interface BegunShard {
  readonly options: ShardOptions;
  /** Open since before; its next read sees the latest snapshot. */
  readonly reader: StateReader;
  readonly jobs: PreloadedJobs<JobState>;
  /** Sets the handler of the commands, and passes those to it that have arrived. Must be called once. */
  readonly onCommand: (handle: (command: ShardCommand) => void) => void;
}

/**
 * Prepares a shard of a follower for a takeover: its modules are loaded, its store is open, and the states of jobs are
 * loaded. It subscribes to nothing and starts no actor. Resolves when the shard shall begin; with null when it shall end
 * instead, and then the thread ends by itself.
 */
export async function standBy(main: MessagePort, options: StandbyOptions): Promise<BegunShard | null> {
  const { index, count, stateDirectory, retry, jobsPort } = options;
  const commands = new Commands(main);
  const reader = await openStateReader(stateDirectory);
  const jobs = new PreloadedJobs<JobState>(
    reader,
    (farm) => shardOfFarm(farm, count) === index,
    (id, from) => loadJob(id, from, retry, STALE_ASSIGNED_MS),
    jobsPort,
  );
  const begun = await commands.begun;
  if (begun === null) {
    jobs.end();
    await reader.close();
    main.close();
    return null;
  }
  jobs.begin();
  reader.refresh();
  return { options: begun, reader, jobs, onCommand: (handle) => commands.handleWith(handle) };
}

/** The commands of the main thread: the first one ends the standby, the others are kept until they have a handler. */
class Commands {
  /** Resolves with the options of the shard, or with null if it shall end. */
  readonly begun: Promise<ShardOptions | null>;
  readonly #waiting: ShardCommand[] = [];
  #handle: (command: ShardCommand) => void = (command) => this.#waiting.push(command);

  constructor(main: MessagePort) {
    this.begun = new Promise((resolve) => {
      main.on('message', (command: ShardCommand | StandbyCommand) => {
        if (command.type === 'begin') resolve(command.options);
        else if (command.type === 'end-standby') resolve(null);
        else this.#handle(command);
      });
    });
  }

  handleWith(handle: (command: ShardCommand) => void): void {
    this.#handle = handle;
    for (const command of this.#waiting.splice(0)) handle(command);
  }
}
