import type { JobId } from '../../src/core/ids.ts';
import { openSpace, type Space } from '../../src/core/openjd/space/open-space.ts';
import type { SpaceDescription } from '../../src/core/openjd/space-description.ts';
import type { StoreReader } from '../../src/core/ports/store.ts';
import type { StepRecord } from '../../src/core/records/step.ts';
import { keys } from '../../src/core/records/tables.ts';

/** The parameter space of a step of one job. */
export type SpaceOf = (step: StepRecord) => Space;

/** The spaces of a job's steps. Its plan is read when the first of them is asked for, and nothing else of it is kept. */
export function spacesOf(store: StoreReader, job: JobId): SpaceOf {
  const spaces = new Map<number, Space>();
  let descriptions: readonly SpaceDescription[] | undefined;
  return ({ order }) => {
    const known = spaces.get(order);
    if (known !== undefined) return known;
    descriptions ??= store.get('plan', keys.plan(job))?.steps.map((step) => step.space);
    const description = descriptions?.[order];
    if (description === undefined) throw new Error(`the job ${job} has no plan of its step ${order}`);
    const space = openSpace(description);
    spaces.set(order, space);
    return space;
  };
}
