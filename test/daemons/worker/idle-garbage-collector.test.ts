import { test } from 'tap';
import {
  collector,
  IdleGarbageCollector,
  usedHeapBytes,
} from '../../../daemons/worker/idle-garbage-collector.ts';
import { sessionId } from '../../../src/core/ids.ts';
import type { TaskProcessEvents } from '../../../src/core/ports/task-processes.ts';
import { until } from '../../kit/until.ts';

const [ONE, TWO] = [sessionId('one'), sessionId('two')];

/** A keeper after `idleMs` without sessions, and what it has collected and handed on. */
function kept(idleMs: number, heapBytes: () => number = () => 0) {
  const collected: string[] = [];
  const told: string[] = [];
  const events: TaskProcessEvents = {
    opened: (id) => told.push(`opened ${id}`),
    started: (id, run) => told.push(`started ${id} ${run}`),
    output: (id, run) => told.push(`output ${id} ${run}`),
    ended: (id, run) => told.push(`ended ${id} ${run}`),
    closed: (id) => told.push(`closed ${id}`),
  };
  const keeper = new IdleGarbageCollector(({ type }) => collected.push(type), heapBytes, idleMs);
  return { collected, told, events: keeper.watching(events) };
}

const END = { kind: 'exited', code: 0 } as const;

test('everything is handed on', async (t) => {
  const { told, events } = kept(3_600_000);
  events.opened(ONE, null);
  events.started(ONE, 1);
  events.output(ONE, 1, { stream: 'stdout', lines: ['x'], bytes: 2 });
  events.ended(ONE, 1, END);
  events.closed(ONE);
  t.strictSame(told, ['opened one', 'started one 1', 'output one 1', 'ended one 1', 'closed one']);
});

test('a worker that is idle collects all, one that works the youngest now and then', async (t) => {
  const { collected, events } = kept(0);
  events.opened(ONE, null);
  events.opened(TWO, null);
  for (let run = 1; run <= 64; run++) {
    events.output(ONE, run, { stream: 'stdout', lines: ['x'], bytes: 2 });
    events.ended(ONE, run, END);
  }
  t.strictSame(collected, ['minor', 'minor']);
  events.closed(ONE);
  events.closed(TWO);
  await until('all is collected', () => collected.length > 2);
  t.strictSame(collected, ['minor', 'minor', 'major']);
});

test('a worker that works collects all when its heap has grown to twice what was left of it', (t) => {
  const mib = 1024 * 1024;
  let heap = 64;
  const { collected, events } = kept(3_600_000, () => heap * mib);
  const work = (): void => {
    for (let run = 1; run <= 64; run++) events.ended(ONE, run, END);
  };
  work();
  t.strictSame(collected, ['minor']);
  heap = 65;
  work();
  t.strictSame(collected, ['minor', 'major'], 'and 65 MiB are left');
  heap = 130;
  work();
  t.strictSame(collected, ['minor', 'major', 'minor']);
  heap = 131;
  work();
  t.strictSame(collected, ['minor', 'major', 'minor', 'major']);
  t.end();
});

test('a session that opens in time keeps a worker from being idle', async (t) => {
  const { collected, events } = kept(0);
  events.opened(ONE, null);
  events.closed(ONE);
  events.opened(TWO, null);
  // What was to be collected after no time would have been before this.
  await new Promise((resolve) => setTimeout(resolve, 1));
  t.strictSame(collected, []);
  events.closed(TWO);
  await until('all is collected', () => collected.length > 0);
  t.strictSame(collected, ['major']);
});

test('V8 collects', (t) => {
  const collect = collector();
  t.doesNotThrow(() => collect({ type: 'minor' }));
  t.doesNotThrow(() => collect({ type: 'major' }));
  t.ok(usedHeapBytes() > 0);
  t.end();
});
