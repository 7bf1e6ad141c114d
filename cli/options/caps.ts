import { InvalidArgumentError, type Command } from 'commander';
import { integer } from './integer.ts';

/** Caps on the tasks of a job that are assigned or run at the same time. */
export interface CapOptions {
  readonly maxConcurrentTasks?: number | null;
  /** By the name of the step; `none` removes the cap. */
  readonly stepCap?: ReadonlyMap<string, string>;
}

const REMOVED = 'none';

/** Adds the options of the caps. */
export const capOptions = (command: Command): Command =>
  command
    .option(
      '--max-concurrent-tasks <n>',
      'tasks of the job that are assigned or run at the same time, at most; none: no cap',
      capOf,
    )
    .option('--step-cap <step=n>', 'the same for one step (may be repeated)', collectCap);

/** Parses a cap. Throws a usage error for other texts. */
function capOf(given: string): number | null {
  return given === REMOVED ? null : integer(given);
}

function collectCap(
  given: string,
  earlier: ReadonlyMap<string, string> = new Map(),
): ReadonlyMap<string, string> {
  // A name may contain the character: the last one separates the cap.
  const at = given.lastIndexOf('=');
  if (at < 1) throw new InvalidArgumentError('It must be STEP=N.');
  const [name, cap] = [given.slice(0, at), given.slice(at + 1)];
  capOf(cap);
  if (earlier.has(name)) throw new InvalidArgumentError(`${name} is given twice.`);
  return new Map([...earlier, [name, cap]]);
}

interface CapChanges {
  readonly max_concurrent_tasks?: number | null;
  readonly step_max_concurrent_tasks?: Readonly<Record<string, number | null>>;
}

/** Returns the caps under the names of the REST API. */
export const capChanges = ({ maxConcurrentTasks, stepCap }: CapOptions): CapChanges => ({
  ...(maxConcurrentTasks !== undefined && { max_concurrent_tasks: maxConcurrentTasks }),
  ...(stepCap !== undefined && {
    step_max_concurrent_tasks: Object.fromEntries([...stepCap].map(([name, cap]) => [name, capOf(cap)])),
  }),
});

/** Returns the caps for the query of a submission. */
export const capsInQuery = ({
  max_concurrent_tasks: ofJob,
  step_max_concurrent_tasks: ofSteps,
}: CapChanges): {
  readonly max_concurrent_tasks?: number;
  readonly step_max_concurrent_tasks?: string[];
} => ({
  ...(ofJob !== undefined && { max_concurrent_tasks: ofJob ?? 0 }),
  ...(ofSteps !== undefined && {
    step_max_concurrent_tasks: Object.entries(ofSteps).map(([name, cap]) => `${name}=${cap ?? 0}`),
  }),
});
