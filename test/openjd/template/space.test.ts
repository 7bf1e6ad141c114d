import fc from 'fast-check';
import { test } from 'tap';
import type {
  AxisValues,
  ChunkCut,
  SpaceDescription,
} from '../../../src/openjd/template/space-description.ts';
import { describeRuns, runsOfValues } from '../../../src/openjd/primitives/integer-set.ts';
import { openSpace } from '../../../src/openjd/template/space/open-space.ts';
import { parseRange } from '../../../src/openjd/primitives/range-expression.ts';

const list = (name: string, ...values: string[]): SpaceDescription => ({
  kind: 'axis',
  name,
  values: { kind: 'list', values },
});

function range(name: string, text: string): SpaceDescription {
  const parsed = parseRange(text, 100);
  if (!parsed.ok) throw new Error(parsed.detail);
  return { kind: 'axis', name, values: { kind: 'runs', runs: describeRuns(parsed.runs) } };
}

function chunks(text: string, cut: ChunkCut): string[] {
  const space = openSpace({ kind: 'axis', name: 'C', values: chunkValues(text, cut) });
  return Array.from({ length: space.length }, (_, index) => space.at(index)['C'] ?? '');
}

function chunkValues(text: string, cut: ChunkCut): AxisValues {
  const parsed = parseRange(text, 100);
  if (!parsed.ok) throw new Error(parsed.detail);
  return { kind: 'chunks', runs: describeRuns(parsed.runs), cut };
}

/** Reference implementation: lists the points of a space. */
function points(space: SpaceDescription): Record<string, string>[] {
  switch (space.kind) {
    case 'single':
      return [{}];
    case 'axis': {
      const { name, values } = space;
      const texts =
        values.kind === 'list'
          ? values.values
          : values.runs.flatMap(({ start, step, count }) =>
              Array.from({ length: count }, (_, index) => `${BigInt(start) + BigInt(index) * BigInt(step)}`),
            );
      return texts.map((value) => ({ [name]: value }));
    }
    case 'product':
      return space.parts
        .map(points)
        .reduce<Record<string, string>[]>(
          (left, right) => left.flatMap((a) => right.map((b) => ({ ...a, ...b }))),
          [{}],
        );
    case 'zip': {
      const parts = space.parts.map(points);
      return (parts[0] ?? []).map(
        (_, index) => Object.assign({}, ...parts.map((part) => part[index])) as Record<string, string>,
      );
    }
  }
}

/** Generator of spaces with any nesting. Parts of a zip have equal lengths. */
function spaceOf(length: number, depth: number, names: { next: number }): fc.Arbitrary<SpaceDescription> {
  const name = `p${names.next++}`;
  const axis = fc.boolean().map((asList): SpaceDescription =>
    asList
      ? list(name, ...Array.from({ length }, (_, index) => `${name}v${index}`))
      : {
          kind: 'axis',
          name,
          values: { kind: 'runs', runs: describeRuns(runsOfValues(integers(length))) },
        },
  );
  if (depth === 0) return axis;
  const factors = [1, 2, 3].filter((factor) => length % factor === 0);
  return fc.oneof(
    axis,
    fc
      .constantFrom(...factors)
      .chain((factor) =>
        fc
          .tuple(spaceOf(factor, depth - 1, names), spaceOf(length / factor, depth - 1, names))
          .map((parts): SpaceDescription => ({ kind: 'product', parts })),
      ),
    fc
      .tuple(spaceOf(length, depth - 1, names), spaceOf(length, depth - 1, names))
      .map((parts): SpaceDescription => ({ kind: 'zip', parts })),
  );
}

/** Integers with gaps of different width. */
const integers = (length: number): bigint[] =>
  Array.from({ length }, (_, index) => BigInt(index * 3 + (index % 3) - 5));

const anySpace = fc.integer({ min: 1, max: 12 }).chain((length) => spaceOf(length, 3, { next: 0 }));

const sorted = (point: Record<string, string>): string => JSON.stringify(Object.entries(point).sort());

void test('computed points equal those of the reference list', (t) => {
  fc.assert(
    fc.property(anySpace, (description) => {
      const space = openSpace(description);
      const listed = points(description);
      return (
        space.length === listed.length &&
        listed.every((point, index) => sorted(space.at(index)) === sorted(point))
      );
    }),
    { numRuns: 500 },
  );
  t.end();
});

void test('the index of a point is found from its values', (t) => {
  fc.assert(
    fc.property(anySpace, (description) => {
      const space = openSpace(description);
      return Array.from({ length: space.length }, (_, index) => index).every(
        (index) => space.indexOf(space.at(index)) === index,
      );
    }),
  );
  const space = openSpace({ kind: 'product', parts: [list('A', 'x', 'y'), range('B', '1-9:2')] });
  t.equal(space.indexOf({ A: 'y', B: '5' }), 7);
  for (const values of [
    { A: 'y' },
    { A: 'y', B: '6' },
    { A: 'y', B: '05' },
    { A: 'z', B: '5' },
    { A: 'y', B: '5', C: '1' },
  ]) {
    t.equal(space.indexOf(values), null);
  }
  const twice = openSpace({ kind: 'zip', parts: [list('A', 'x', 'x'), list('B', '1', '2')] });
  t.equal(
    twice.indexOf({ A: 'x', B: '2' }),
    1,
    'a value that occurs twice is distinguished by the other values',
  );
  t.end();
});

void test('the rightmost parameter varies fastest, and groups advance together', (t) => {
  const space = openSpace({
    kind: 'product',
    parts: [{ kind: 'zip', parts: [range('A', '1-2'), range('B', '10-11')] }, list('C', 'x', 'y')],
  });
  t.same(
    Array.from({ length: space.length }, (_, index) => space.at(index)),
    [
      { A: '1', B: '10', C: 'x' },
      { A: '1', B: '10', C: 'y' },
      { A: '2', B: '11', C: 'x' },
      { A: '2', B: '11', C: 'y' },
    ],
  );
  t.same(openSpace({ kind: 'single' }).at(0), {});
  t.end();
});

void test('a point outside the space is a programming error', (t) => {
  const space = openSpace(range('A', '1-3'));
  for (const index of [-1, 3, 0.5, Number.NaN]) t.throws(() => space.at(index), RangeError);
  t.end();
});

void test('a space of 10^15 points is opened and read as fast as a small one', (t) => {
  const space = openSpace({
    kind: 'product',
    parts: [range('A', '1-100000'), range('B', '1-200000:2'), range('C', '1-100000')],
  });
  t.equal(space.length, 1e15);
  t.same(space.at(1e15 - 1), { A: '100000', B: '199999', C: '100000' });
  t.equal(space.indexOf({ A: '100000', B: '199999', C: '100000' }), 1e15 - 1);
  t.end();
});

void test('integers beyond 2^53 are exact', (t) => {
  const space = openSpace(range('A', '9223372036854775800-9223372036854775807:3'));
  t.same(space.at(2), { A: '9223372036854775806' });
  t.equal(space.indexOf({ A: '9223372036854775806' }), 2);
  t.end();
});

void test('a parameter may have the name of a built-in object property', (t) => {
  const space = openSpace({ kind: 'product', parts: [list('__proto__', 'a'), list('constructor', 'b')] });
  t.same(Object.entries(space.at(0)), [
    ['__proto__', 'a'],
    ['constructor', 'b'],
  ]);
  t.equal(space.indexOf(space.at(0)), 0);
  t.end();
});

void test('contiguous chunks split each run of consecutive integers evenly', (t) => {
  const cut = (size: number): ChunkCut => ({ size, constraint: 'CONTIGUOUS', greedy: false });
  t.same(chunks('1-12', cut(5)), ['1-4', '5-8', '9-12']);
  t.same(chunks('1-35', cut(10)), ['1-9', '10-18', '19-27', '28-35']);
  t.same(chunks('1,3-4,5-7,10-20', cut(11)), ['1-1', '3-7', '10-20']);
  t.same(chunks('1-9:2,10-11', cut(10)), ['1-1', '3-3', '5-5', '7-7', '9-11']);
  t.same(chunks('-20--5', cut(5)), ['-20--17', '-16--13', '-12--9', '-8--5']);
  t.same(chunks('1-35', { ...cut(10), greedy: true }), ['1-10', '11-20', '21-30', '31-35']);
  t.end();
});

void test('noncontiguous chunks split the whole set, the first ones longer', (t) => {
  const cut = (size: number): ChunkCut => ({ size, constraint: 'NONCONTIGUOUS', greedy: false });
  t.same(chunks('1-2', cut(2)), ['1,2']);
  t.same(chunks('1,3,5', cut(100)), ['1-5:2']);
  t.same(chunks('1-10', cut(4)), ['1-4', '5-7', '8-10']);
  t.same(chunks('-20--5', { ...cut(5), greedy: true }), ['-20--16', '-15--11', '-10--6', '-5']);
  t.same(chunks('1-1000000000000', cut(1_000_000_000_000)), ['1-1000000000000']);
  t.end();
});

const cuts = fc.record({
  size: fc.integer({ min: 1, max: 7 }),
  constraint: fc.constantFrom('CONTIGUOUS' as const, 'NONCONTIGUOUS' as const),
  greedy: fc.boolean(),
});

void test('chunks contain every integer once, in order, within the chunk size, and can be found by value', (t) => {
  fc.assert(
    fc.property(fc.uniqueArray(fc.integer({ min: -20, max: 40 }), { minLength: 1 }), cuts, (values, cut) => {
      const runs = describeRuns(runsOfValues(values.map(BigInt)));
      const space = openSpace({ kind: 'axis', name: 'C', values: { kind: 'chunks', runs, cut } });
      const texts = Array.from({ length: space.length }, (_, index) => space.at(index)['C'] ?? '');
      const held = texts.map((text) => {
        const parsed = parseRange(text, 100);
        return parsed.ok
          ? parsed.runs.flatMap((run) =>
              Array.from({ length: Number(run.count) }, (_, i) => Number(run.start + BigInt(i) * run.step)),
            )
          : [];
      });
      return (
        String(held.flat()) === String(values.toSorted((a, b) => a - b)) &&
        held.every((chunk) => chunk.length >= 1 && chunk.length <= cut.size) &&
        (cut.constraint === 'NONCONTIGUOUS' ||
          held.every((chunk) => (chunk.at(-1) ?? 0) - (chunk[0] ?? 0) === chunk.length - 1)) &&
        texts.every((text, index) => space.indexOf({ C: text }) === index)
      );
    }),
    { numRuns: 500 },
  );
  t.end();
});
