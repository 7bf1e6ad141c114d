import fc from 'fast-check';
import { test } from 'tap';
import {
  CHUNK_CHANGES_MAX,
  chunksOfPlan,
  chunksSentence,
  nextChunkSize,
  withMeasured,
} from '../../../src/core/lifecycle/chunk-sizes.ts';
import { recutChunks } from '../../../src/core/lifecycle/recut-chunks.ts';
import type { StepChunks } from '../../../src/core/records/step.ts';
import { openAdaptiveSpace } from '../../../src/openjd/template/space/adaptive-space.ts';
import type { SpaceDescription } from '../../../src/openjd/template/space-description.ts';

const chunksOf = (
  size: number,
  targetSeconds: number,
  measured: readonly [number, number][],
): StepChunks => ({
  parameter: 'Frame',
  targetSeconds,
  sections: [{ firstTask: 0, firstItem: 0, size }],
  changes: 0,
  measured: measured.map(([items, ms]) => ({ items, ms })),
});

const spaceOf = (frames: number, size: number): SpaceDescription => ({
  kind: 'axis',
  name: 'Frame',
  values: {
    kind: 'chunks',
    runs: [{ start: '1', step: '1', count: frames }],
    cut: { size, constraint: 'CONTIGUOUS', greedy: true },
  },
});

test('the size follows from the average time of a value', (t) => {
  t.equal(nextChunkSize(chunksOf(10, 300, [])), null, 'nothing is measured');
  t.equal(nextChunkSize(chunksOf(10, 300, [[10, 240_000]])), null, '12 is too close to 10');
  t.equal(nextChunkSize(chunksOf(10, 300, [[10, 200_000]])), 15);
  t.equal(
    nextChunkSize(chunksOf(10, 300, [[10, 1_000]])),
    40,
    'four times the largest measured chunk at most',
  );
  t.equal(nextChunkSize(chunksOf(10, 300, [[10, 0]])), 40, 'a time of 0 ms counts as 1 ms');
  t.equal(nextChunkSize(chunksOf(10, 300, [[10, 100_000_000]])), 1, 'at least one value');
  t.equal(
    nextChunkSize(chunksOf(100, 300, [[3, 3_000]])),
    null,
    'small chunks at gaps do not make others smaller',
  );
  const often = { ...chunksOf(10, 300, [[10, 200_000]]), changes: 16 };
  t.equal(nextChunkSize(often), null, 'after 16 changes it must differ by three quarters');
  t.equal(nextChunkSize({ ...often, changes: 8 }), 15);
  t.equal(nextChunkSize({ ...chunksOf(10, 300, [[10, 1_000]]), changes: CHUNK_CHANGES_MAX }), null);
  t.end();
});

test('only the latest attempts count', (t) => {
  let chunks = chunksOf(1, 60, []);
  for (let nth = 0; nth < 20; nth++) chunks = withMeasured(chunks, { items: 1, ms: nth * 1000 });
  t.strictSame(
    chunks.measured.map(({ ms }) => ms / 1000),
    [4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19],
  );
  t.end();
});

test('a step without a target has no adaptive chunks', (t) => {
  const plan = {
    parameter: 'Frame',
    defaultTaskCount: 5,
    targetRuntimeSeconds: 300,
    rangeConstraint: 'CONTIGUOUS',
  } as const;
  const space = spaceOf(20, 5);
  t.match(chunksOfPlan({ chunks: plan, space }), { targetSeconds: 300, sections: [{ size: 5 }] });
  t.equal(chunksOfPlan({ chunks: { ...plan, targetRuntimeSeconds: 0 }, space }), null);
  t.equal(chunksOfPlan({ space }), null);
  const product: SpaceDescription = { kind: 'product', parts: [space, spaceOf(2, 1)] };
  t.match(chunksOfPlan({ chunks: plan, space: product }), { sections: [{ size: 1 }] }, 'the last part');
  t.end();
});

test('the sentence names the size and its reason', (t) => {
  const first = chunksOf(10, 300, []);
  t.equal(
    chunksSentence(first),
    'chunks of 10 values of Frame until the first task has succeeded; the target is 300 s',
  );
  t.equal(
    chunksSentence(
      chunksOf(12, 300, [
        [10, 240_000],
        [10, 246_000],
      ]),
    ),
    'chunks of 12 values of Frame: a value takes 24.3 s on average (from 2 tasks), the target is 300 s',
  );
  t.equal(
    chunksSentence(chunksOf(1, 2, [[1, 4_000]])),
    'chunks of 1 value of Frame: a value takes 4 s on average (from 1 task), the target is 2 s',
  );
  t.end();
});

test('with constant times per value, and a time per task, chunks reach the target and stay', (t) => {
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 50 }),
      fc.integer({ min: 10, max: 5_000 }),
      fc.integer({ min: 0, max: 20_000 }),
      (size, perItemMs, perTaskMs) => {
        const space = spaceOf(2_000_000, size);
        let chunks = chunksOf(size, 60, []);
        const sizes: number[] = [];
        for (let index = 0; index < 40; index++) {
          const open = openAdaptiveSpace(space, chunks.sections);
          const { count: items } = open.itemsOf(index);
          sizes.push(items);
          chunks = withMeasured(chunks, { items, ms: perTaskMs + items * perItemMs });
          chunks = recutChunks(chunks, open, index + 1, Infinity)?.chunks ?? chunks;
        }
        const seconds = (perTaskMs + (sizes.at(-1) ?? 0) * perItemMs) / 1000;
        // Sizes that differ little are kept, and times per task count as times of values.
        return seconds > 35 && seconds < 85;
      },
    ),
  );
  t.end();
});

test('smaller chunks never make more than the maximum number of tasks', (t) => {
  const chunks = chunksOf(10, 1, [[10, 10_000]]);
  const space = openAdaptiveSpace(spaceOf(1_000, 10), chunks.sections);
  t.equal(recutChunks(chunks, space, 1, 1_000)?.taskCount, 991);
  const bounded = recutChunks(chunks, space, 1, 300);
  t.match(bounded, { taskCount: 249, chunks: { sections: [{ size: 10 }, { firstTask: 1, size: 4 }] } });
  t.equal(recutChunks(chunks, space, 1, 100), null, 'it has as many as it may');
  t.equal(recutChunks(chunks, space, 100, 1_000), null, 'no task is left');
  t.end();
});
