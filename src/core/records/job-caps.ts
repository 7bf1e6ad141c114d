/** Caps on the assigned and running tasks of a job and of its steps (docs/policy.md#caps). */
export interface JobCaps {
  /** Of all its steps together. Absent and 0: no cap. */
  readonly maxConcurrentTasks?: number;
  /** By the name of the step, in the order of the steps. Absent: none. */
  readonly stepCaps?: Readonly<Record<string, number>>;
}

const NONE: Readonly<Record<string, number>> = {};

/** Returns the cap of a step; 0 for none. */
export const capOfStep = ({ stepCaps = NONE }: JobCaps, name: string): number =>
  Object.hasOwn(stepCaps, name) ? (stepCaps[name] ?? 0) : 0;

/** Returns the names in caps of steps that no step of the job has. */
export const unknownSteps = (
  { stepCaps = NONE }: JobCaps,
  steps: readonly { readonly name: string }[],
): readonly string[] => Object.keys(stepCaps).filter((name) => !steps.some((step) => step.name === name));

/** Returns the caps that differ after a change. The change keeps the caps that it does not name, and removes those that it sets to 0. */
export function changedCaps(
  before: JobCaps,
  change: JobCaps,
  steps: readonly { readonly name: string }[],
): JobCaps {
  const { maxConcurrentTasks } = change;
  const isNew = maxConcurrentTasks !== undefined && maxConcurrentTasks !== (before.maxConcurrentTasks ?? 0);
  const own = isNew ? { maxConcurrentTasks } : {};
  if (change.stepCaps === undefined) return own;
  const caps = steps.flatMap(({ name }): [string, number][] => {
    const cap = Object.hasOwn(change.stepCaps ?? NONE, name)
      ? capOfStep(change, name)
      : capOfStep(before, name);
    return cap === 0 ? [] : [[name, cap]];
  });
  const stepCaps = Object.fromEntries(caps);
  return JSON.stringify(stepCaps) === JSON.stringify(before.stepCaps ?? NONE) ? own : { ...own, stepCaps };
}

/** Returns caps without those that are 0. */
export function setCaps({ maxConcurrentTasks = 0, stepCaps = NONE }: JobCaps): JobCaps {
  const caps = Object.entries(stepCaps).filter(([, cap]) => cap > 0);
  return {
    ...(maxConcurrentTasks > 0 && { maxConcurrentTasks }),
    ...(caps.length > 0 && { stepCaps: Object.fromEntries(caps) }),
  };
}
