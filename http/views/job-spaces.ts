import type { JobId } from '../../src/core/ids.ts';
import type { StepPlan } from '../../src/openjd/template/plan.ts';
import { openSpace, type Space } from '../../src/openjd/template/space/open-space.ts';
import type { StoreReader } from '../../src/core/ports/store.ts';
import type { StepRecord } from '../../src/core/records/step.ts';
import { keys } from '../../src/core/records/tables.ts';

/** What a job's plan says of the tasks of a step. */
export type StepShape = Pick<StepPlan, 'space' | 'taskParameters' | 'taskCount'>;

/** The shape of a step of one job, by the step's order; undefined when the job has none. */
export type ShapeOf = (order: number) => StepShape | undefined;

/** The parameter space of a step of one job. */
export type SpaceOf = (step: StepRecord) => Space;

/** The shapes of a job's steps. Its plan is read when the first of them is asked for, and nothing else of it is kept. */
export function shapesOf(store: StoreReader, job: JobId): ShapeOf {
  let shapes: readonly StepShape[] | undefined;
  return (order) => {
    shapes ??= store
      .get('plan', keys.plan(job))
      ?.steps.map(({ space, taskParameters, taskCount }) => ({ space, taskParameters, taskCount }));
    return shapes?.[order];
  };
}

/** The spaces of a job's steps, each opened once; `shapeOf` of whoever knows the shapes already. */
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
