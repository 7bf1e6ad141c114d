import { test } from 'tap';
import { IdleGarbageCollector } from '../../../daemons/worker/idle-garbage-collector.ts';
import { sessionId } from '../../../src/core/ids.ts';
import type { TaskProcessEvents } from '../../../src/core/ports/task-processes.ts';
import { until } from '../../kit/until.ts';

const [ONE, TWO] = [sessionId('one'), sessionId('two')];

/** A collector that is idle after `idleMs` without sessions, with its collections and the forwarded events. */
function collectorFixture(idleMs: number, heapBytes: () => number = () => 0) {
  const collected: string[] = [];
  const passed: string[] = [];
  const events: TaskProcessEvents = {
    opened: (id) => passed.push(`opened ${id}`),
    started: (id, run) => passed.push(`started ${id} ${run}`),
    output: (id, run) => passed.push(`output ${id} ${run}`),
    ended: (id, run) => passed.push(`ended ${id} ${run}`),
    closed: (id) => passed.push(`closed ${id}`),
  };
  const collector = new IdleGarbageCollector(({ type }) => collected.push(type), heapBytes, idleMs);
  return { collected, passed, events: collector.watching(events) };
}

const END = { kind: 'exited', code: 0 } as const;

test('every event is forwarded', async (t) => {
  const { passed, events } = collectorFixture(3_600_000);
  events.opened(ONE, null);
  events.started(ONE, 1);
  events.output(ONE, 1, { stream: 'stdout', lines: ['x'], bytes: 2 });
  events.ended(ONE, 1, END);
  events.closed(ONE);
  t.strictSame(passed, ['opened one', 'started one 1', 'output one 1', 'ended one 1', 'closed one']);
});

test('an idle worker runs a major collection, a busy one a minor collection after 64 buffers', async (t) => {
  const { collected, events } = collectorFixture(0);
  events.opened(ONE, null);
  events.opened(TWO, null);
  for (let run = 1; run <= 64; run++) {
    events.output(ONE, run, { stream: 'stdout', lines: ['x'], bytes: 2 });
    events.ended(ONE, run, END);
  }
  t.strictSame(collected, ['minor', 'minor']);
  events.closed(ONE);
  events.closed(TWO);
  await until('a major collection', () => collected.length > 2);
  t.strictSame(collected, ['minor', 'minor', 'major']);
});

test('a busy worker runs a major collection when its heap has doubled since the last one', (t) => {
  const mib = 1024 * 1024;
  let heap = 64;
  const { collected, events } = collectorFixture(3_600_000, () => heap * mib);
  const work = (): void => {
    for (let run = 1; run <= 64; run++) events.ended(ONE, run, END);
  };
  work();
  t.strictSame(collected, ['minor']);
  heap = 65;
  work();
  t.strictSame(collected, ['minor', 'major'], '65 MiB are in use after it');
  heap = 130;
  work();
  t.strictSame(collected, ['minor', 'major', 'minor']);
  heap = 131;
  work();
  t.strictSame(collected, ['minor', 'major', 'minor', 'major']);
  t.end();
});

test('a worker with a new session is not idle', async (t) => {
  const { collected, events } = collectorFixture(0);
  events.opened(ONE, null);
  events.closed(ONE);
  events.opened(TWO, null);
  // An idle timer of 0 ms would have expired before this one.
  await new Promise((resolve) => setTimeout(resolve, 1));
  t.strictSame(collected, []);
  events.closed(TWO);
  await until('a major collection', () => collected.length > 0);
  t.strictSame(collected, ['major']);
});
