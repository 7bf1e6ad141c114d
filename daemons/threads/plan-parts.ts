import { decodeRecord } from '../../src/adapters/lmdb/value-codec.ts';
import type { JobPlan, StepPlan } from '../../src/openjd/template/plan.ts';
import type { PlanInParts, StepBody } from '../../src/core/ports/large-jobs.ts';

/**
 * Splits a plan into the parts that are sent to a shard. The next call of `encode` may reuse the bytes that it
 * returns.
 */
export function splitPlan(plan: JobPlan, encode: (body: StepBody) => Uint8Array): PlanInParts {
  const bodies = plan.steps.map(({ environments, script }) => encode({ environments, script }).slice());
  const ends: number[] = [];
  let end = 0;
  for (const { length } of bodies) ends.push((end += length));
  const bytes = new Uint8Array(new SharedArrayBuffer(end));
  for (const [nth, body] of bodies.entries()) bytes.set(body, (ends[nth] ?? 0) - body.length);
  const steps = plan.steps.map(({ environments: _environments, script: _script, ...shape }) => shape);
  return { shape: { ...plan, steps }, bodies: bytes, ends };
}

/**
 * Joins the parts to a plan. Environments and script of a step are decoded on each access: once for a step whose tasks
 * are leased.
 */
export function joinPlan({ shape, bodies, ends }: PlanInParts): JobPlan {
  const bodyOf = (nth: number): StepBody => {
    // The decoder does not accept shared memory; a slice is a copy.
    const bytes = bodies.slice(ends[nth - 1] ?? 0, ends[nth]);
    // splitPlan of this process has encoded it.
    return decodeRecord(bytes) as StepBody;
  };
  const steps = shape.steps.map((step, nth): StepPlan => ({
    ...step,
    get environments() {
      return bodyOf(nth).environments;
    },
    get script() {
      return bodyOf(nth).script;
    },
  }));
  return { ...shape, steps };
}
