import { constants, PerformanceObserver, type PerformanceEntry } from 'node:perf_hooks';
import { test } from 'tap';
import { garbageCollector, usedHeapBytes, type Collect } from '../../../daemons/process/v8-collector.ts';
import { until } from '../../kit/until.ts';

type CollectionType = Parameters<Collect>[0]['type'];
type CollectionEntry = PerformanceEntry & { readonly detail: { readonly kind: number } };

/** Runs a collection and returns the kinds that V8 reports during the call. */
async function collectedKinds(type: CollectionType): Promise<readonly number[]> {
  const entries: CollectionEntry[] = [];
  const observer = new PerformanceObserver((list) => {
    entries.push(...(list.getEntries() as CollectionEntry[]));
  });
  observer.observe({ entryTypes: ['gc'] });
  const collect = garbageCollector();
  const startedAt = performance.now();
  collect({ type });
  const endedAt = performance.now();
  const during = (): readonly CollectionEntry[] =>
    entries.filter(({ startTime }) => startTime >= startedAt && startTime <= endedAt);
  await until(`a ${type} collection`, () => during().length > 0, 10_000);
  observer.disconnect();
  return during().map(({ detail }) => detail.kind);
}

const CASES: readonly (readonly [CollectionType, number])[] = [
  ['minor', constants.NODE_PERFORMANCE_GC_MINOR],
  ['major', constants.NODE_PERFORMANCE_GC_MAJOR],
];

for (const [type, kind] of CASES) {
  test(`V8 runs a ${type} collection: this version of Node defines gc in new contexts`, async (t) => {
    const kinds = await collectedKinds(type);
    t.ok(kinds.includes(kind), `kinds ${kinds.join(', ')}`);
  });
}

test('a major collection reduces the heap', (t) => {
  const collect = garbageCollector();
  const makeGarbage = (): boolean => {
    const garbage = Array.from({ length: 100_000 }, (_, index) => ({ index }));
    return garbage.length > 0;
  };
  t.ok(makeGarbage());
  const before = usedHeapBytes();
  t.ok(before > 0);
  collect({ type: 'major' });
  t.ok(usedHeapBytes() < before, `${before} bytes before`);
  t.end();
});
