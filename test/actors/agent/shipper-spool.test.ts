import fc from 'fast-check';
import { test } from 'tap';
import type { AgentEffect } from '../../../actors/agent/agent-system.ts';
import type { AttemptId, SessionId, TaskId } from '../../../src/core/ids.ts';
import type { LogMessage } from '../../../src/core/wire/bus-messages.ts';
import { AgentFixture, SETTINGS } from './agent-fixture.ts';

const ATTEMPT = 'a' as AttemptId;
const OF = { taskId: 't' as TaskId, sessionId: 's' as SessionId };

/**
 * A shipper with a bus and a spool: each effect is answered when the test lets it be. The bus keeps chunks by their number, as the
 * service does; the spool has room for `room` chunks, and some more for ends.
 */
class World extends AgentFixture {
  readonly onBus = new Map<number, string>();
  readonly inSpool: LogMessage[] = [];
  isBusUp = true;
  /** The bus stores what it is given and its answer is lost. */
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
    this.tell('shipper', ATTEMPT, { type: 'logs.lines', ...OF, batch: { stream: 'stdout', lines, bytes } });
    this.hear();
  }

  say(type: 'logs.drain' | 'logs.finish'): void {
    this.tell('shipper', ATTEMPT, { type, ...OF });
    this.hear();
  }

  wait(ms: number): void {
    this.pass(ms);
    this.hear();
  }

  /** Answers the oldest effect that waits. */
  answerNext(): void {
    const effect = this.waiting.shift();
    if (effect !== undefined) this.answerOne(effect);
    this.hear();
  }

  /** Answers all, and what follows from the answers. */
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
    for (const effect of this.said()) {
      if (effect.kind === 'output-consumed') this.held -= effect.bytes;
      else this.waiting.push(effect);
    }
  }

  private answerOne(effect: AgentEffect): void {
    if (effect.kind === 'ship-logs') {
      const stored = this.publish(effect.chunks);
      const failure = this.failureOf(stored, effect.chunks);
      this.tell('shipper', ATTEMPT, { type: 'logs.stored', stored, failure });
    } else if (effect.kind === 'ship-spool') {
      const front = this.inSpool.slice(0, 2);
      const stored = this.publish(front);
      this.inSpool.splice(0, stored);
      const isRest = this.inSpool.length > 0;
      const failure = this.failureOf(stored, front);
      this.tell('shipper', ATTEMPT, { type: 'logs.unspooled', stored, isRest, failure });
    } else if (effect.kind === 'spool-logs') {
      const free = Math.max(0, this.room + (effect.isLast ? 100 : 0) - this.inSpool.length);
      const taken = effect.chunks.slice(0, free);
      this.inSpool.push(...taken);
      const failure = taken.length < effect.chunks.length ? 'full' : null;
      this.tell('shipper', ATTEMPT, { type: 'logs.spooled', kept: taken.length, failure });
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

test('after a moment without the bus lines go to the spool, and the process writes on', (t) => {
  const world = new World();
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
  t.equal(world.held, 0, 'with room in the spool it does not wait again');
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

test('while the spool is sent new lines wait behind it', (t) => {
  const world = new World();
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
  t.equal(world.held, 5, 'the process is held back meanwhile');
  world.settleAll();
  t.equal(world.text(), 'a\nb\nc\nd\ne\nlive\n');
  t.equal(world.held, 0);
  t.end();
});

test('a bus that goes again while the spool is sent leaves everything in order', (t) => {
  const world = new World();
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

test('what is on its way to the bus is not spooled before its answer', (t) => {
  const world = new World();
  world.isBusUp = false;
  world.write('one');
  world.wait(100);
  world.answerNext();
  world.write('two');
  world.wait(300);
  t.match(world.waiting, [{ kind: 'ship-logs' }], 'tried again');
  world.wait(2000);
  t.match(world.waiting, [{ kind: 'ship-logs' }]);
  t.equal(world.waiting.length, 1, 'the time of the spool has come, and it waits');
  world.isBusUp = true;
  world.settleAll();
  world.write('three');
  world.wait(100);
  world.settleAll();
  t.equal(world.text(), 'one\ntwo\nthree\n');
  t.same(world.inSpool, []);
  t.end();
});

test('past the bound output is dropped with a mark in its place', (t) => {
  const world = new World();
  world.isBusUp = false;
  world.room = 2;
  for (const line of ['a', 'b', 'c']) {
    world.write(line);
    world.wait(1200);
    world.settleAll();
  }
  t.equal(world.held, 2, 'what has no room holds the process back');
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

test('the end of an attempt is in safety once it is in the spool, and its shipper stays until the bus has it', (t) => {
  const world = new World();
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
  world.say('logs.finish');
  world.settleAll();
  t.same(
    world.inSpool.map(({ data }) => data),
    [
      'a\n',
      'b\n',
      '[callsheet] 1 lines (5 bytes) of output were dropped here: the bus did not accept them\n',
    ],
    'the end takes the room that is kept for it, with a mark',
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

test('what an earlier daemon has left is sent when the bus is there', (t) => {
  const world = new World();
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
  world.tell('shipper', ATTEMPT, { type: 'logs.recovered', taskId: OF.taskId });
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

test('a spool that lost its file does not hold the shipper up', (t) => {
  const world = new World();
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
  world.say('logs.finish');
  world.settleAll();
  t.notOk(world.has('shipper', ATTEMPT));
  t.end();
});

/** The lines of a log, the marks as the lines that they stand for. */
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

test('whatever bus and spool do: no gaps, no line lost without a mark, order kept, memory bounded', (t) => {
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
    fc.property(fc.array(step, { maxLength: 80 }), (steps) => {
      const world = new World();
      let written = 0;
      for (const each of steps) {
        // As a pipe does: a process that is held back does not write.
        if (each.do === 'write' && world.held < 20) {
          world.write(...Array.from({ length: each.count }, () => `l${written++}`));
        }
        if (each.do === 'answer') for (let at = 0; at < each.count; at++) world.answerNext();
        if (each.do === 'wait') world.wait(each.ms);
        if (each.do === 'bus') [world.isBusUp, world.isBusDeaf] = [each.up, each.deaf];
        if (each.do === 'room') world.room = each.chunks;
        if (each.do === 'drain') world.say('logs.drain');
      }
      [world.isBusUp, world.isBusDeaf] = [true, false];
      for (let round = 0; round < 12; round++) {
        world.settleAll();
        world.wait(2500);
      }
      world.settleAll();
      world.say('logs.finish');
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
      t.equal(lines.length + dropped, written, 'what is missing is counted');
      const order = lines.map((line) => Number(line.slice(1)));
      t.strictSame(
        order,
        [...order].sort((a, b) => a - b),
        'in order',
      );
      t.equal(world.held, 0, 'nothing holds the process back in the end');
      t.notOk(world.has('shipper', ATTEMPT), 'and it is over');
    }),
    { numRuns: 300 },
  );
  t.end();
});
