import fc from 'fast-check';
import { test } from 'tap';
import { describeRuns, runsOfValues } from '../../../src/openjd/primitives/integer-set.ts';
import { parseRange } from '../../../src/openjd/primitives/range-expression.ts';
import type { ChunkSection, SpaceDescription } from '../../../src/openjd/template/space-description.ts';
import {
  firstSection,
  openAdaptiveSpace,
  openTasks,
  type AdaptiveSpace,
} from '../../../src/openjd/template/space/adaptive-space.ts';
import { openSpace } from '../../../src/openjd/template/space/open-space.ts';
import { tasksWithValues } from '../../../src/openjd/template/space/tasks-with-values.ts';

interface Drawn {
  readonly frames: readonly number[];
  readonly layers: readonly string[];
  readonly constraint: 'CONTIGUOUS' | 'NONCONTIGUOUS';
  readonly size: number;
  /** The tasks from a share of them on get a size. */
  readonly recuts: readonly { readonly share: number; readonly size: number }[];
}

const drawn: fc.Arbitrary<Drawn> = fc.record({
  frames: fc.uniqueArray(fc.integer({ min: -30, max: 60 }), { minLength: 1, maxLength: 60, size: 'max' }),
  layers: fc.array(fc.constantFrom('a', 'b', 'c'), { maxLength: 4 }),
  constraint: fc.constantFrom('CONTIGUOUS', 'NONCONTIGUOUS'),
  size: fc.integer({ min: 1, max: 12 }),
  recuts: fc.array(
    fc.record({ share: fc.double({ min: 0, max: 1, noNaN: true }), size: fc.integer({ min: 1, max: 20 }) }),
    { maxLength: 6 },
  ),
});

function spaceOf({ frames, layers, constraint, size }: Drawn): SpaceDescription {
  const runs = describeRuns(runsOfValues(frames.map(BigInt)));
  const cut = { size, constraint, greedy: true };
  const chunks: SpaceDescription = { kind: 'axis', name: 'F', values: { kind: 'chunks', runs, cut } };
  const list: SpaceDescription = { kind: 'axis', name: 'L', values: { kind: 'list', values: layers } };
  return layers.length === 0 ? chunks : { kind: 'product', parts: [list, chunks] };
}

/** The sections of a space that is cut again and again, each time from a later task on. */
function sectionsOf(space: SpaceDescription, recuts: Drawn['recuts']): readonly ChunkSection[] {
  const first = firstSection(space);
  if (first === null) throw new Error('the chunks of the space cannot change their size');
  let sections: readonly ChunkSection[] = [first];
  let before = openAdaptiveSpace(space, sections);
  let begun = 0;
  for (const { share, size } of recuts) {
    const from = begun + Math.floor(share * (before.length - begun));
    if (from >= before.length) break;
    const { first: firstItem } = before.itemsOf(from);
    const kept = sections.filter(({ firstTask }) => firstTask < from);
    sections = [...kept, { firstTask: from, firstItem, size }];
    const open = openAdaptiveSpace(space, sections);
    if (open.length !== from + before.chunksFrom(firstItem, size)) throw new Error('the count is wrong');
    for (let index = 0; index < from; index++)
      if (textAt(open, index) !== textAt(before, index)) throw new Error(`the earlier task ${index} changed`);
    before = open;
    begun = from;
  }
  return sections;
}

const cutAgain = (space: SpaceDescription, recuts: Drawn['recuts']): AdaptiveSpace =>
  openAdaptiveSpace(space, sectionsOf(space, recuts));

const textAt = (space: AdaptiveSpace, index: number): string => JSON.stringify(space.at(index));

/** The integers of a chunk, in order. */
function integersOf(text: string): readonly number[] {
  const range = parseRange(text, 1000);
  if (!range.ok) throw new Error(range.detail);
  return range.runs.flatMap(({ start, step, count }) =>
    Array.from({ length: Number(count) }, (_, nth) => Number(start) + nth * Number(step)),
  );
}

/** All items in order, as text. */
const itemsOf = ({ frames, layers }: Pick<Drawn, 'frames' | 'layers'>): readonly string[] =>
  (layers.length === 0 ? [''] : layers).flatMap((layer) =>
    [...frames].sort((a, b) => a - b).map((frame) => `${layer} ${frame}`),
  );

const textOf = (values: Record<string, string>): string => JSON.stringify(values);

test('every item is in exactly one task, in order, however often the chunks change their size', (t) => {
  fc.assert(
    fc.property(drawn, (given) => {
      const space = cutAgain(spaceOf(given), given.recuts);
      const largest = Math.max(given.size, ...given.recuts.map(({ size }) => size));
      const found: string[] = [];
      for (let index = 0; index < space.length; index++) {
        const { F = '', L = '' } = space.at(index);
        const integers = integersOf(F);
        const items = space.itemsOf(index);
        if (items.first !== found.length || items.count !== integers.length) return false;
        if (integers.length === 0 || integers.length > largest) return false;
        const isRow = integers.every((each, nth) => each === (integers[0] ?? 0) + nth);
        if (given.constraint === 'CONTIGUOUS' && !isRow) return false;
        for (const frame of integers) found.push(`${L} ${frame}`);
      }
      t.equal(space.itemCount, found.length);
      return JSON.stringify(found) === JSON.stringify(itemsOf(given));
    }),
  );
  t.end();
});

test('with its first section a space is as described', (t) => {
  fc.assert(
    fc.property(drawn, (given) => {
      const described = spaceOf(given);
      const space = cutAgain(described, []);
      const plain = openSpace(described);
      if (space.length !== plain.length) return false;
      for (let index = 0; index < space.length; index++)
        if (textAt(space, index) !== JSON.stringify(plain.at(index))) return false;
      return true;
    }),
  );
  t.end();
});

test('tasks are found by their values', (t) => {
  fc.assert(
    fc.property(drawn, fc.integer({ min: -30, max: 60 }), (given, frame) => {
      const description = spaceOf(given);
      const space = cutAgain(description, given.recuts);
      const all = Array.from({ length: space.length }, (_, index) => space.at(index));
      const same = all.every(
        (values) => space.indexOf(values) === all.findIndex((each) => textOf(each) === textOf(values)),
      );
      const sections = sectionsOf(description, given.recuts);
      const taskParameters = [
        ...(given.layers.length === 0 ? [] : [{ name: 'L', type: 'STRING' } as const]),
        { name: 'F', type: 'CHUNK[INT]' } as const,
      ];
      const find = (text: string): readonly number[] => {
        const tasks = tasksWithValues({ space: description, taskParameters, sections }, text);
        if (!tasks.ok) return [];
        return tasks.runs.flatMap(({ start, count }) =>
          Array.from({ length: count }, (_, nth) => start + nth),
        );
      };
      const expected = (wanted: (values: Record<string, string>) => boolean): readonly number[] =>
        all.flatMap((values, index) => (wanted(values) ? [index] : []));
      const ofFrame = expected(({ F = '' }) => integersOf(F).includes(frame));
      const ofLayer = expected(({ L }) => L === 'b');
      return (
        same &&
        JSON.stringify(find(`F=${frame}`)) === JSON.stringify(ofFrame) &&
        (given.layers.length === 0 || JSON.stringify(find('L=b')) === JSON.stringify(ofLayer))
      );
    }),
  );
  t.end();
});

test('a space of a million items is opened without listing them', (t) => {
  const runs = [{ start: '1', step: '1', count: 1_000_000 }];
  const cut = { size: 10, constraint: 'CONTIGUOUS', greedy: true } as const;
  const space: SpaceDescription = { kind: 'axis', name: 'F', values: { kind: 'chunks', runs, cut } };
  const sections = [
    { firstTask: 0, firstItem: 0, size: 10 },
    { firstTask: 50_000, firstItem: 500_000, size: 7 },
  ];
  const tasks = openTasks({ space }, sections);
  t.equal(tasks.length, 50_000 + Math.ceil(500_000 / 7));
  t.strictSame(tasks.at(49_999), { F: '499991-500000' });
  t.strictSame(tasks.at(50_000), { F: '500001-500007' });
  t.strictSame(tasks.at(tasks.length - 1), { F: '999997-1000000' });
  t.throws(() => tasks.at(tasks.length), /there is no point 121429/);
  t.end();
});

test('chunks that share the values of others evenly cannot change their size', (t) => {
  const runs = [{ start: '1', step: '1', count: 10 }];
  const cut = { size: 4, constraint: 'CONTIGUOUS', greedy: false } as const;
  const chunks: SpaceDescription = { kind: 'axis', name: 'F', values: { kind: 'chunks', runs, cut } };
  t.equal(firstSection(chunks), null);
  t.equal(firstSection({ kind: 'single' }), null);
  const greedy: SpaceDescription = {
    kind: 'axis',
    name: 'F',
    values: { kind: 'chunks', runs, cut: { ...cut, greedy: true } },
  };
  t.equal(firstSection({ kind: 'product', parts: [greedy, { kind: 'single' }] }), null, 'not the last part');
  t.throws(() => openAdaptiveSpace(chunks, []), /cannot change their size/);
  t.end();
});
