import fc from 'fast-check';
import { test } from 'tap';
import type { AgentEffect } from '../../../actors/agent/agent-system.ts';
import type { AttemptId, SessionId, TaskId } from '../../../src/core/ids.ts';
import type { LogMessage } from '../../../src/core/wire/bus-messages.ts';
import { AgentFixture, SETTINGS } from './agent-fixture.ts';

const ATTEMPT = 'a' as AttemptId;
const OF = { taskId: 't' as TaskId, sessionId: 's' as SessionId };

/**
 * A shipper with a bus and a spool. Each effect is answered when the test decides. The bus stores chunks by number,
 * like the service. The spool has space for `room` chunks, and reserved space for ends.
 */
class SpoolHarness extends AgentFixture {
  readonly onBus = new Map<number, string>();
  readonly inSpool: LogMessage[] = [];
  isBusUp = true;
  /** Whether the bus stores chunks but loses its reply. */
  isBusDeaf = false;
  room = Infinity;
  held = 0;
  readonly waiting: AgentEffect[] = [];

  constructor() {
    super({ settings: { ...SETTINGS, spoolsLogs: true } });
  }

  write(...lines: readonly string[]): void {
    const bytes = lines.reduce((sum, line) => sum + line.length + 1, 0);
    this.held += bytes;
    this.deliver('shipper', ATTEMPT, {
      type: 'logs.lines',
      ...OF,
      batch: { stream: 'stdout', lines, bytes },
    });
    this.hear();
  }

  deliverNow(type: 'logs.drain' | 'logs.finish'): void {
    this.deliver('shipper', ATTEMPT, { type, ...OF });
    this.hear();
  }

  wait(ms: number): void {
    this.pass(ms);
    this.hear();
  }

  /** Answers the oldest pending effect. */
  answerNext(): void {
    const effect = this.waiting.shift();
    if (effect !== undefined) this.answerOne(effect);
    this.hear();
  }

  /** Answers all effects, and those that follow. */
  settleAll(): void {
    while (this.waiting.length > 0) this.answerNext();
  }

  text(): string {
    return [...this.onBus.keys()]
      .sort((a, b) => a - b)
      .map((number) => this.onBus.get(number))
      .join('');
  }

  private hear(): void {
    for (const effect of this.takeEffects()) {
      if (effect.kind === 'output-consumed') this.held -= effect.bytes;
      else this.waiting.push(effect);
    }
  }

  private answerOne(effect: AgentEffect): void {
    if (effect.kind === 'ship-logs') {
      const stored = this.publish(effect.chunks);
      const failure = this.failureOf(stored, effect.chunks);
      this.deliver('shipper', ATTEMPT, { type: 'logs.stored', stored, failure });
    } else if (effect.kind === 'ship-spool') {
      const front = this.inSpool.slice(0, 2);
      const stored = this.publish(front);
      this.inSpool.splice(0, stored);
      const isRest = this.inSpool.length > 0;
      const failure = this.failureOf(stored, front);
      this.deliver('shipper', ATTEMPT, { type: 'logs.unspooled', stored, isRest, failure });
    } else if (effect.kind === 'spool-logs') {
      const free = Math.max(0, this.room + (effect.isLast ? 100 : 0) - this.inSpool.length);
      const taken = effect.chunks.slice(0, free);
      this.inSpool.push(...taken);
      const failure = taken.length < effect.chunks.length ? 'full' : null;
      this.deliver('shipper', ATTEMPT, { type: 'logs.spooled', kept: taken.length, failure });
    } else {
      throw new Error(`not expected: ${effect.kind}`);
    }
  }

  private publish(chunks: readonly LogMessage[]): number {
    if (!this.isBusUp) return 0;
    for (const { seq_num: number, data } of chunks) {
      const had = this.onBus.get(number);
      if (had !== undefined && had !== data) throw new Error(`number ${number} was used twice`);
      this.onBus.set(number, data);
    }
    return this.isBusDeaf ? 0 : chunks.length;
  }

  private failureOf(stored: number, chunks: readonly LogMessage[]): string | null {
    return stored < chunks.length ? 'away' : null;
  }
}

test('after a moment without the bus lines go to the spool, and the process continues to write', (t) => {
  const world = new SpoolHarness();
  world.isBusUp = false;
  world.write('one');
  world.wait(100);
  world.settleAll();
  world.wait(899);
  world.settleAll();
  t.equal(world.held, 4, 'the process waits for a moment first');
  world.wait(101);
  world.settleAll();
  t.equal(world.held, 0);
  t.same(
    world.inSpool.map(({ data }) => data),
    ['one\n'],
  );
  for (let at = 0; at < 50; at++) {
    world.write(`line ${at}`);
    world.wait(200);
    world.settleAll();
  }
  t.equal(world.held, 0, 'it does not wait again while the spool has space');
  t.equal(world.onBus.size, 0);

  world.isBusUp = true;
  world.wait(5000);
  world.write('live');
  world.wait(100);
  world.settleAll();
  t.equal(world.text(), `one\n${Array.from({ length: 50 }, (_, at) => `line ${at}\n`).join('')}live\n`);
  t.same(world.inSpool, []);
  t.end();
});

test('new lines wait while the spool is being sent', (t) => {
  const world = new SpoolHarness();
  world.isBusUp = false;
  for (const line of ['a', 'b', 'c', 'd', 'e']) {
    world.write(line);
    world.wait(1200);
    world.settleAll();
  }
  world.isBusUp = true;
  world.wait(5000);
  t.match(world.waiting, [{ kind: 'ship-spool' }]);
  world.answerNext();
  world.write('live');
  world.wait(100);
  t.match(world.waiting, [{ kind: 'ship-spool' }], 'one batch at a time, the spool first');
  t.equal(world.held, 5, 'the process waits until then');
  world.settleAll();
  t.equal(world.text(), 'a\nb\nc\nd\ne\nlive\n');
  t.equal(world.held, 0);
  t.end();
});

test('order is kept if the bus becomes unreachable again while the spool is being sent', (t) => {
  const world = new SpoolHarness();
  world.isBusUp = false;
  for (const line of ['a', 'b', 'c', 'd', 'e']) {
    world.write(line);
    world.wait(1200);
    world.settleAll();
  }
  world.isBusUp = true;
  world.wait(5000);
  world.answerNext();
  world.isBusUp = false;
  world.settleAll();
  world.write('f');
  world.wait(2500);
  world.settleAll();
  t.equal(world.held, 0, 'it is in the spool');
  t.equal(world.text(), 'a\nb\n');
  world.isBusUp = true;
  world.wait(5000);
  world.settleAll();
  t.equal(world.text(), 'a\nb\nc\nd\ne\nf\n');
  t.end();
});

test('chunks in flight to the bus are not spooled before the reply', (t) => {
  const world = new SpoolHarness();
  world.isBusUp = false;
  world.write('one');
  world.wait(100);
  world.answerNext();
  world.write('two');
  world.wait(300);
  t.match(world.waiting, [{ kind: 'ship-logs' }], 'sent again');
  world.wait(2000);
  t.match(world.waiting, [{ kind: 'ship-logs' }]);
  t.equal(world.waiting.length, 1, 'the spool is due, but waits');
  world.isBusUp = true;
  world.settleAll();
  world.write('three');
  world.wait(100);
  world.settleAll();
  t.equal(world.text(), 'one\ntwo\nthree\n');
  t.same(world.inSpool, []);
  t.end();
});

test('beyond the limit output is dropped and replaced by a mark', (t) => {
  const world = new SpoolHarness();
  world.isBusUp = false;
  world.room = 2;
  for (const line of ['a', 'b', 'c']) {
    world.write(line);
    world.wait(1200);
    world.settleAll();
  }
  t.equal(world.held, 2, 'lines without space make the process wait');
  for (let at = 0; at < 100; at++) {
    world.wait(100);
    world.settleAll();
  }
  t.equal(world.held, 0, 'but not for long');
  world.write('gone', 'gone');
  world.write('gone');
  t.equal(world.held, 0);
  world.isBusUp = true;
  world.wait(5000);
  world.settleAll();
  world.write('live');
  world.wait(100);
  world.settleAll();
  const mark = '[callsheet] 3 lines (15 bytes) of output were dropped here: the bus did not accept them\n';
  t.equal(world.text(), `a\nb\nc\n${mark}live\n`);
  t.end();
});

test('an attempt can end once its logs are spooled, and its shipper stays until the bus has them', (t) => {
  const world = new SpoolHarness();
  world.isBusUp = false;
  world.room = 1;
  world.write('a');
  world.wait(1200);
  world.settleAll();
  world.write('b');
  for (let at = 0; at < 120; at++) {
    world.wait(100);
    world.settleAll();
  }
  world.write('gone');
  world.deliverNow('logs.finish');
  world.settleAll();
  t.same(
    world.inSpool.map(({ data }) => data),
    [
      'a\n',
      'b\n',
      '[callsheet] 1 lines (5 bytes) of output were dropped here: the bus did not accept them\n',
    ],
    'the end uses its reserved space, with a mark',
  );
  for (let at = 0; at < 50; at++) {
    world.wait(5000);
    world.settleAll();
  }
  t.ok(world.has('shipper', ATTEMPT));
  t.notOk(world.logged.some((line) => line.includes('given up')));
  world.isBusUp = true;
  world.wait(5000);
  world.settleAll();
  t.notOk(world.has('shipper', ATTEMPT));
  t.match(world.text(), /^a\nb\n\[callsheet\] 1 lines/);
  t.end();
});

test('chunks of an earlier agent are sent when the bus is reachable', (t) => {
  const world = new SpoolHarness();
  world.isBusUp = false;
  world.inSpool.push(
    ...['x', 'y', 'z'].map((data, index) => ({
      v: 1 as const,
      task_id: OF.taskId,
      attempt_id: ATTEMPT,
      seq_num: 5 + index,
      stream: 'stdout' as const,
      data,
      at: '2026-11-20T12:00:00.100Z',
    })),
  );
  world.deliver('shipper', ATTEMPT, { type: 'logs.recovered', taskId: OF.taskId });
  for (let at = 0; at < 50; at++) {
    world.wait(5000);
    world.settleAll();
  }
  t.ok(world.has('shipper', ATTEMPT));
  world.isBusUp = true;
  world.wait(5000);
  world.settleAll();
  t.equal(world.text(), 'xyz');
  t.notOk(world.has('shipper', ATTEMPT));
  t.end();
});

test('a spool that lost its file does not block the shipper', (t) => {
  const world = new SpoolHarness();
  world.isBusUp = false;
  world.write('lost');
  world.wait(1200);
  world.settleAll();
  world.inSpool.length = 0;
  world.write('kept');
  world.isBusUp = true;
  for (let at = 0; at < 10; at++) {
    world.wait(5000);
    world.settleAll();
  }
  t.match(world.text(), 'kept\n');
  world.deliverNow('logs.finish');
  world.settleAll();
  t.notOk(world.has('shipper', ATTEMPT));
  t.end();
});

/** The lines of a log, and the number of lines that its marks replace. */
function linesOf(text: string): { readonly lines: readonly string[]; readonly dropped: number } {
  const lines: string[] = [];
  let dropped = 0;
  for (const line of text.split('\n').slice(0, -1)) {
    const mark = /^\[callsheet\] (\d+) lines/.exec(line);
    if (mark === null) lines.push(line);
    else dropped += Number(mark[1]);
  }
  return { lines, dropped };
}

test('with any behavior of bus and spool there are no gaps, no unmarked losses, a constant order and limited memory', (t) => {
  const step = fc.oneof(
    {
      weight: 6,
      arbitrary: fc.record({ do: fc.constant('write' as const), count: fc.integer({ min: 1, max: 3 }) }),
    },
    {
      weight: 6,
      arbitrary: fc.record({ do: fc.constant('answer' as const), count: fc.integer({ min: 1, max: 4 }) }),
    },
    { weight: 4, arbitrary: fc.record({ do: fc.constant('wait' as const), ms: fc.nat(6000) }) },
    {
      weight: 2,
      arbitrary: fc.record({ do: fc.constant('bus' as const), up: fc.boolean(), deaf: fc.boolean() }),
    },
    { weight: 1, arbitrary: fc.record({ do: fc.constant('room' as const), chunks: fc.nat(6) }) },
    { weight: 1, arbitrary: fc.record({ do: fc.constant('drain' as const) }) },
  );
  fc.assert(
    fc.property(fc.array(step, { maxLength: 80, size: 'max' }), (steps) => {
      const world = new SpoolHarness();
      let written = 0;
      for (const each of steps) {
        // Like a pipe: a process that has to wait does not write.
        if (each.do === 'write' && world.held < 20) {
          world.write(...Array.from({ length: each.count }, () => `l${written++}`));
        }
        if (each.do === 'answer') for (let at = 0; at < each.count; at++) world.answerNext();
        if (each.do === 'wait') world.wait(each.ms);
        if (each.do === 'bus') [world.isBusUp, world.isBusDeaf] = [each.up, each.deaf];
        if (each.do === 'room') world.room = each.chunks;
        if (each.do === 'drain') world.deliverNow('logs.drain');
      }
      [world.isBusUp, world.isBusDeaf] = [true, false];
      for (let round = 0; round < 12; round++) {
        world.settleAll();
        world.wait(2500);
      }
      world.settleAll();
      world.deliverNow('logs.finish');
      for (let round = 0; round < 12; round++) {
        world.settleAll();
        world.wait(2500);
      }
      const numbers = [...world.onBus.keys()].sort((a, b) => a - b);
      t.strictSame(
        numbers,
        numbers.map((_, index) => index + 1),
        'numbers without gaps',
      );
      const { lines, dropped } = linesOf(world.text());
      t.equal(lines.length + dropped, written, 'missing lines are counted');
      const order = lines.map((line) => Number(line.slice(1)));
      t.strictSame(
        order,
        [...order].sort((a, b) => a - b),
        'in order',
      );
      t.equal(world.held, 0, 'the process does not wait in the end');
      t.notOk(world.has('shipper', ATTEMPT), 'the shipper has ended');
    }),
    { numRuns: 300 },
  );
  t.end();
});
