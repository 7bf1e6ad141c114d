import { parseRange } from '../../src/openjd/primitives/range-expression.ts';
import { ofTouchedSteps, type Invariant } from './invariant-frame.ts';

/** More than a chunk of a simulation has. */
const PARTS_MAX = 1000;

/**
 * Every frame of a step whose chunks change their size belongs to exactly one task, whose frames are consecutive with
 * CONTIGUOUS. Reads the texts that workers get, not the sections.
 */
export const itemsAreInOneTask: Invariant = {
  name: 'every frame belongs to exactly one task',
  check: ofTouchedSteps((job, { adaptive, plan, space, record }) => {
    if (adaptive === null) return null;
    const at = `${job.record.id} step ${record.order}`;
    if (space.length !== record.taskCount)
      return `${at} has ${record.taskCount} tasks, and its space ${space.length}`;
    const found = new Map<string, number>();
    for (let index = 0; index < space.length; index++) {
      const { Frame = '', Eye = '' } = space.at(index);
      const range = parseRange(Frame, PARTS_MAX);
      if (!range.ok) return `${at} task ${index} has the frames ${Frame}`;
      const isContiguous = /^(\d+)-(\d+)$/.test(Frame);
      if (plan.chunks?.rangeConstraint === 'CONTIGUOUS' && !isContiguous)
        return `${at} task ${index} has the frames ${Frame}`;
      for (const { start, step, count } of range.runs) {
        for (let nth = 0n; nth < count; nth++) {
          const item = `${Eye} ${start + nth * step}`;
          const other = found.get(item);
          if (other !== undefined) return `${at} has ${item} in the tasks ${other} and ${index}`;
          found.set(item, index);
        }
      }
    }
    const expected = plan.taskCount * (plan.chunks?.defaultTaskCount ?? 0);
    return found.size === expected ? null : `${at} has ${found.size} frames, not ${expected}`;
  }),
};
