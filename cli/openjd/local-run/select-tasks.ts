import { suggestion } from '../../../src/openjd/primitives/nearest.ts';
import type { JobPlan, StepPlan } from '../../../src/openjd/template/plan.ts';
import { openSpace, type Space } from '../../../src/openjd/template/space/open-space.ts';
import { quoteForMessage } from '../../../src/openjd/primitives/text-rules.ts';
import { stepsInOrder } from './step-order.ts';

/** Selected tasks of a step, as ascending indices in its parameter space. */
export interface SelectedStep {
  readonly step: StepPlan;
  readonly space: Space;
  readonly count: number;
  readonly indices: Iterable<number>;
  /** Whether these are all tasks of the step: only then its chunks may change their size. */
  readonly isWhole: boolean;
}

type Selection =
  | { readonly ok: true; readonly steps: readonly SelectedStep[] }
  /** `detail` is for the one who gave the names. */
  | { readonly ok: false; readonly detail: string };

/**
 * Selects the tasks to run: all in dependency order, those of one step, or those of it with the given values. Throws
 * for unknown steps and task parameters, and for values that no task has.
 */
export function selectTasks(
  plan: JobPlan,
  stepName: string | null,
  values: ReadonlyMap<string, string>,
): Selection {
  if (stepName === null && values.size === 0) {
    return { ok: true, steps: stepsInOrder(plan.steps).map(whole) };
  }
  const step = stepName === null ? onlyStep(plan) : plan.steps.find(({ name }) => name === stepName);
  if (step === undefined) {
    const names = plan.steps.map(({ name }) => name);
    const detail =
      stepName === null
        ? 'give --step: the job has several steps'
        : `there is no step ${quoteForMessage(stepName)}${suggestion(stepName, names)}`;
    return { ok: false, detail };
  }
  if (values.size === 0) return { ok: true, steps: [whole(step)] };
  const names = step.taskParameters.map(({ name }) => name);
  for (const name of values.keys()) {
    if (!names.includes(name)) {
      const detail = `the step ${quoteForMessage(step.name)} has no task parameter ${quoteForMessage(name)}${suggestion(name, names)}`;
      return { ok: false, detail };
    }
  }
  const space = openSpace(step.space);
  const indices = matching(space, values, names.length);
  if (indices.length > 0) {
    return { ok: true, steps: [{ step, space, count: indices.length, indices, isWhole: false }] };
  }
  const pairs = [...values].map(([name, value]) => `${name}=${value}`).join(', ');
  return { ok: false, detail: `the step ${quoteForMessage(step.name)} has no task with ${pairs}` };
}

const onlyStep = ({ steps }: JobPlan): StepPlan | undefined => (steps.length === 1 ? steps[0] : undefined);

function whole(step: StepPlan): SelectedStep {
  const space = openSpace(step.space);
  return { step, space, count: space.length, indices: range(space.length), isWhole: true };
}

function* range(length: number): Generator<number> {
  for (let index = 0; index < length; index++) yield index;
}

function matching(space: Space, values: ReadonlyMap<string, string>, parameters: number): number[] {
  if (values.size === parameters) {
    const index = space.indexOf(Object.fromEntries(values));
    return index === null ? [] : [index];
  }
  const found: number[] = [];
  for (let index = 0; index < space.length; index++) {
    const point = space.at(index);
    if ([...values].every(([name, value]) => point[name] === value)) found.push(index);
  }
  return found;
}
