import type { JobId } from '../../src/core/ids.ts';
import type { StepPlan } from '../../src/openjd/template/plan.ts';
import { openTasks } from '../../src/openjd/template/space/adaptive-space.ts';
import type { Space } from '../../src/openjd/template/space/open-space.ts';
import type { ChunkSection } from '../../src/openjd/template/space-description.ts';
import type { StoreReader } from '../../src/core/ports/store.ts';
import type { StepRecord } from '../../src/core/records/step.ts';
import { keys } from '../../src/core/records/tables.ts';

/** Properties of a step's tasks from the job's plan, and the current sections of its chunks. */
export interface StepShape extends Pick<StepPlan, 'space' | 'taskParameters'> {
  /** Null for chunks as described, and for a step without chunks. */
  readonly sections: readonly ChunkSection[] | null;
}

/** Returns the current shape of a step; undefined if the job has no such step. */
export type ShapeOf = (step: Pick<StepRecord, 'order' | 'chunks'>) => StepShape | undefined;

/** Returns the parameter space of a step. */
export type SpaceOf = (step: StepRecord) => Space;

/** Returns the shapes of a job's steps. Reads the plan on the first call and keeps nothing else of it. */
export function shapesOf(store: StoreReader, job: JobId): ShapeOf {
  let shapes: readonly Omit<StepShape, 'sections'>[] | undefined;
  return ({ order, chunks }) => {
    shapes ??= store
      .get('plan', keys.plan(job))
      ?.steps.map(({ space, taskParameters }) => ({ space, taskParameters }));
    const shape = shapes?.[order];
    return shape === undefined ? undefined : { ...shape, sections: chunks?.sections ?? null };
  };
}

/**
 * Returns the spaces of a job's steps, each created once, and again when the sizes of its chunks have changed. Pass
 * `shapeOf` if it is already known.
 */
export function spacesOf(store: StoreReader, job: JobId, shapeOf: ShapeOf = shapesOf(store, job)): SpaceOf {
  const spaces = new Map<number, { readonly space: Space; readonly changes: number }>();
  return (step) => {
    const { order, chunks } = step;
    const changes = chunks?.changes ?? 0;
    const known = spaces.get(order);
    if (known?.changes === changes) return known.space;
    const shape = shapeOf(step);
    if (shape === undefined) throw new Error(`the job ${job} has no plan of its step ${order}`);
    const space = openTasks(shape, shape.sections);
    spaces.set(order, { space, changes });
    return space;
  };
}
