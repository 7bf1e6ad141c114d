import fc from 'fast-check';
import { test } from 'tap';
import type { TaskAxis } from '../../../../client/resources.ts';
import { frameScale, frameText } from '../../../../web/pages/job/model/frames.ts';
import { mergeRuns, formatIndexRanges, indicesIn } from '../../../../web/pages/job/model/index-ranges.ts';

const FRAMES: TaskAxis = {
  parameter: 'Frame',
  type: 'INT',
  runs: [
    { start: 1001, step: 1, count: 100 },
    { start: 2000, step: 10, count: 5 },
  ],
};
const CHUNKS: TaskAxis = { parameter: 'Frame', type: 'CHUNK[INT]', values: ['1-10', '11-20', '21-25,31'] };
const LAYERS: TaskAxis = { parameter: 'Layer', type: 'STRING', values: ['beauty', 'shadow', 'beauty'] };

void test('frames and indices are mapped to each other', async (t) => {
  const scale = frameScale(105, FRAMES);
  t.equal(scale.labelAt(9), '1010');
  t.equal(scale.labelAt(102), '2020');
  t.strictSame(scale.parseRange('1010-1020'), { ok: true, runs: [{ first: 9, last: 19 }] });
  t.strictSame(scale.parseRange(' 1001, 1003-1005 ,2010'), {
    ok: true,
    runs: [
      { first: 0, last: 0 },
      { first: 2, last: 4 },
      { first: 101, last: 101 },
    ],
  });
  t.strictSame(scale.parseRange('1001-1007:3'), {
    ok: true,
    runs: [0, 3, 6].map((index) => ({ first: index, last: index })),
  });
  t.strictSame(
    scale.parseRange('1095-2015'),
    { ok: true, runs: [{ first: 94, last: 101 }] },
    'across the gap',
  );
  t.equal(frameText(scale, [{ first: 9, last: 19 }]), '1010-1020');
  t.equal(
    frameText(scale, [
      { first: 0, last: 0 },
      { first: 100, last: 104 },
    ]),
    '1001,2000-2040:10',
  );
});

void test('an invalid range has an error text', async (t) => {
  const scale = frameScale(105, FRAMES);
  const detail = (text: string): unknown => {
    const reading = scale.parseRange(text);
    return reading.ok ? reading.runs : reading.detail;
  };
  t.equal(detail(''), 'Enter a range such as 1010-1020 or 1,4,7-9.');
  t.equal(detail('abc'), 'Invalid range “abc”. Use 5, 1010-1020, or 1-99:2.');
  t.equal(detail('1020-1010'), 'Descending range “1020-1010”. Use 1010-1020.');
  t.equal(detail('1010-1020:0'), 'Invalid step 0 in “1010-1020:0”. Use a step of 1 or more.');
  t.equal(detail('5000-5010'), 'No Frame in this range.');
  t.equal(detail('1010,,1020'), 'Invalid range “”. Use 5, 1010-1020, or 1-99:2.');
});

void test('a range includes a chunk if it includes one of its frames', async (t) => {
  const scale = frameScale(3, CHUNKS);
  t.strictSame(scale.parseRange('10-11'), { ok: true, runs: [{ first: 0, last: 1 }] });
  t.strictSame(scale.parseRange('31'), { ok: true, runs: [{ first: 2, last: 2 }] });
  t.strictSame(scale.parseRange('26-30'), { ok: false, detail: 'No Frame in this range.' });
  t.equal(frameText(scale, [{ first: 0, last: 1 }]), '1-20');
  t.equal(frameText(scale, [{ first: 1, last: 2 }]), '11-31');
});

void test('tasks are selected by text values, and by index without a parameter', async (t) => {
  const layers = frameScale(3, LAYERS);
  t.strictSame(layers.parseRange('beauty'), {
    ok: true,
    runs: [
      { first: 0, last: 0 },
      { first: 2, last: 2 },
    ],
  });
  t.strictSame(layers.parseRange('fog'), { ok: false, detail: 'Unknown Layer “fog”.' });
  const indices = frameScale(20, undefined);
  t.strictSame(indices.parseRange('3-7'), { ok: true, runs: [{ first: 3, last: 7 }] });
  t.strictSame(indices.parseRange('20-30'), { ok: false, detail: 'No task in this range.' });
});

void test('a formatted selection round-trips', async (t) => {
  const run = fc.record({ start: fc.integer({ min: 1, max: 50 }), count: fc.integer({ min: 1, max: 40 }) });
  fc.assert(
    fc.property(
      fc.array(run, { minLength: 1, maxLength: 4 }),
      fc.infiniteStream(fc.nat(200)),
      (sizes, picks) => {
        // Rising runs with gaps between them.
        let next = -20;
        const runs = sizes.map(({ start, count }) => {
          const first = next + start + 1;
          next = first + count;
          return { start: first, step: 1, count };
        });
        const count = runs.reduce((sum, each) => sum + each.count, 0);
        const scale = frameScale(count, { parameter: 'Frame', type: 'INT', runs });
        const indices = [picks.next().value ?? 0, picks.next().value ?? 0, picks.next().value ?? 0].map(
          (index) => index % count,
        );
        const selection = mergeRuns(
          indices.map((index) => ({ first: index, last: Math.min(count - 1, index + 3) })),
        );
        const reading = scale.parseRange(frameText(scale, selection));
        return reading.ok && JSON.stringify(reading.runs) === JSON.stringify(selection);
      },
    ),
  );
  t.pass();
});

void test('runs are merged, counted and formatted', async (t) => {
  const runs = mergeRuns([
    { first: 8, last: 9 },
    { first: 0, last: 3 },
    { first: 2, last: 4 },
    { first: 5, last: 5 },
  ]);
  t.strictSame(runs, [
    { first: 0, last: 5 },
    { first: 8, last: 9 },
  ]);
  t.equal(formatIndexRanges([...runs, { first: 14, last: 14 }]), '0-5,8-9,14');
  t.strictSame([...indicesIn(runs)], [0, 1, 2, 3, 4, 5, 8, 9]);
});
