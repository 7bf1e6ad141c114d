import type { JobId } from '../../src/core/ids.ts';
import type { StepPlan } from '../../src/openjd/template/plan.ts';
import { openSpace, type Space } from '../../src/openjd/template/space/open-space.ts';
import type { StoreReader } from '../../src/core/ports/store.ts';
import type { StepRecord } from '../../src/core/records/step.ts';
import { keys } from '../../src/core/records/tables.ts';

/** Properties of a step's tasks from the job's plan. */
export type StepShape = Pick<StepPlan, 'space' | 'taskParameters' | 'taskCount'>;

/** Returns the shape of a step by its order; undefined if the job has no such step. */
export type ShapeOf = (order: number) => StepShape | undefined;

/** Returns the parameter space of a step. */
export type SpaceOf = (step: StepRecord) => Space;

/** Returns the shapes of a job's steps. Reads the plan on the first call and keeps nothing else of it. */
export function shapesOf(store: StoreReader, job: JobId): ShapeOf {
  let shapes: readonly StepShape[] | undefined;
  return (order) => {
    shapes ??= store
      .get('plan', keys.plan(job))
      ?.steps.map(({ space, taskParameters, taskCount }) => ({ space, taskParameters, taskCount }));
    return shapes?.[order];
  };
}

/** Returns the spaces of a job's steps, each created once. Pass `shapeOf` if it is already known. */
export function spacesOf(store: StoreReader, job: JobId, shapeOf: ShapeOf = shapesOf(store, job)): SpaceOf {
  const spaces = new Map<number, Space>();
  return ({ order }) => {
    const known = spaces.get(order);
    if (known !== undefined) return known;
    const shape = shapeOf(order);
    if (shape === undefined) throw new Error(`the job ${job} has no plan of its step ${order}`);
    const space = openSpace(shape.space);
    spaces.set(order, space);
    return space;
  };
}
