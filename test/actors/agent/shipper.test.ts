import fc from 'fast-check';
import { test } from 'tap';
import type { AgentEffect } from '../../../actors/agent/agent-system.ts';
import { splitText } from '../../../actors/agent/shipper/split-text.ts';
import type { AttemptId, SessionId, TaskId } from '../../../src/core/ids.ts';
import type { OutputStream } from '../../../src/core/ports/task-processes.ts';
import type { LogMessage } from '../../../src/core/wire/bus-messages.ts';
import { AgentFixture } from './agent-fixture.ts';

const ATTEMPT = 'a' as AttemptId;
const OF = { taskId: 't' as TaskId, sessionId: 's' as SessionId };
const KIB = 1024;

class Shipping extends AgentFixture {
  lines(lines: readonly string[], stream: OutputStream = 'stdout', bytes = sizeOf(lines)): void {
    this.deliver('shipper', ATTEMPT, { type: 'logs.lines', ...OF, batch: { stream, lines, bytes } });
  }

  finish(): void {
    this.deliver('shipper', ATTEMPT, { type: 'logs.finish', ...OF });
  }

  stored(stored: number, failure: string | null = null): void {
    this.deliver('shipper', ATTEMPT, { type: 'logs.stored', stored, failure });
  }
}

const sizeOf = (lines: readonly string[]): number =>
  lines.reduce((sum, line) => sum + Buffer.byteLength(line) + 1, 0);

const chunksIn = (effects: readonly AgentEffect[]): LogMessage[] =>
  effects.flatMap((effect) => (effect.kind === 'ship-logs' ? effect.chunks : []));

const consumedIn = (effects: readonly AgentEffect[]): number =>
  effects.reduce((sum, effect) => sum + (effect.kind === 'output-consumed' ? effect.bytes : 0), 0);

test('lines are collected for a moment into one chunk, and stored chunks let the process write more', (t) => {
  const fixture = new Shipping();
  fixture.lines(['one', 'two']);
  fixture.pass(50);
  fixture.lines(['three']);
  fixture.pass(49);
  t.same(fixture.takeEffects(), []);
  fixture.pass(1);
  t.same(fixture.takeEffects(), [
    {
      kind: 'ship-logs',
      attemptId: 'a',
      chunks: [
        {
          v: 1,
          task_id: 't',
          attempt_id: 'a',
          seq_num: 1,
          stream: 'stdout',
          data: 'one\ntwo\nthree\n',
          at: '2026-11-20T12:00:00.100Z',
        },
      ],
    },
  ]);
  fixture.stored(1);
  t.same(fixture.takeEffects(), [{ kind: 'output-consumed', sessionId: 's', bytes: 14 }]);
  t.end();
});

test('chunks do not mix streams, and order is kept', (t) => {
  const fixture = new Shipping();
  fixture.lines(['a']);
  fixture.lines(['b'], 'stderr');
  fixture.lines(['c']);
  t.match(chunksIn(fixture.takeEffects()), [{ seq_num: 1, stream: 'stdout', data: 'a\n' }]);
  fixture.pass(100);
  t.same(fixture.takeEffects(), [], 'one batch is in flight at a time');
  fixture.stored(1);
  t.match(chunksIn(fixture.takeEffects()), [
    { seq_num: 2, stream: 'stderr', data: 'b\n' },
    { seq_num: 3, stream: 'stdout', data: 'c\n' },
  ]);
  t.end();
});

test('a chunk is at most 32 KiB, and a longer line is split between characters', (t) => {
  const fixture = new Shipping();
  fixture.lines(['x'.repeat(20 * KIB), 'y'.repeat(20 * KIB)]);
  t.match(chunksIn(fixture.takeEffects()), [{ seq_num: 1, data: `${'x'.repeat(20 * KIB)}\n` }]);
  fixture.stored(1);
  fixture.takeEffects();
  fixture.lines([`z${'é'.repeat(20 * KIB)}`], 'stderr');
  fixture.finish();
  fixture.stored(8);
  const chunks = chunksIn(fixture.takeEffects());
  t.same(
    chunks.map(({ seq_num }) => seq_num),
    [2, 3, 4],
  );
  t.ok(chunks.every(({ data }) => Buffer.byteLength(data) <= 32 * KIB));
  t.equal(
    chunks
      .slice(1)
      .map(({ data }) => data)
      .join(''),
    `z${'é'.repeat(20 * KIB)}\n`,
  );
  t.end();
});

test('splitting and joining a text restores it', (t) => {
  fc.assert(
    fc.property(
      fc.string({ unit: 'binary', maxLength: 60, size: 'max' }),
      fc.integer({ min: 4, max: 20 }),
      (text, bytes) => {
        const pieces = splitText(text, bytes);
        t.equal(pieces.join(''), text);
        t.ok(pieces.every((piece) => Buffer.byteLength(piece) <= bytes));
      },
    ),
  );
  t.end();
});

test('chunks that are not stored are sent again in order, and the process waits', (t) => {
  const fixture = new Shipping();
  for (const line of ['a', 'b', 'c']) {
    fixture.lines([line], line === 'b' ? 'stderr' : 'stdout');
  }
  fixture.finish();
  fixture.takeEffects();
  fixture.stored(0, 'disconnected');
  t.same(fixture.takeEffects(), []);
  fixture.pass(250);
  t.same(
    chunksIn(fixture.takeEffects()).map(({ seq_num }) => seq_num),
    [1, 2, 3],
  );
  fixture.stored(1, 'timed out');
  const after = fixture.takeEffects();
  t.equal(consumedIn(after), 2);
  t.same(chunksIn(after), []);
  fixture.pass(250);
  t.same(
    chunksIn(fixture.takeEffects()).map(({ seq_num }) => seq_num),
    [2, 3],
  );
  fixture.stored(2);
  t.equal(consumedIn(fixture.takeEffects()), 4);
  t.notOk(fixture.has('shipper', ATTEMPT), 'the shipper has ended');
  t.end();
});

test('when the bus accepts nothing for long, output is dropped and replaced by a mark', (t) => {
  const fixture = new Shipping();
  fixture.lines(['kept']);
  fixture.pass(100);
  fixture.takeEffects();
  fixture.stored(0, 'disconnected');
  fixture.pass(9999);
  t.equal(consumedIn(fixture.takeEffects()), 0);
  fixture.lines(['held']);
  t.equal(consumedIn(fixture.takeEffects()), 0);
  fixture.pass(1);
  t.equal(consumedIn(fixture.takeEffects()), 10, 'the process may write more');
  fixture.lines(['gone', 'gone too']);
  t.equal(consumedIn(fixture.takeEffects()), 14);
  fixture.stored(1);
  fixture.lines(['back']);
  fixture.finish();
  fixture.stored(8);
  fixture.stored(8);
  const chunks = chunksIn(fixture.takeEffects());
  t.match(chunks, [
    { seq_num: 2, stream: 'stdout', data: 'held\n' },
    {
      seq_num: 3,
      stream: 'stderr',
      data: '[callsheet] 2 lines (14 bytes) of output were dropped here: the bus did not accept them\n',
    },
    { seq_num: 4, stream: 'stdout', data: 'back\n' },
  ]);
  t.notOk(fixture.has('shipper', ATTEMPT));
  t.end();
});

test('the last logs of an attempt are discarded after a while', (t) => {
  const fixture = new Shipping();
  fixture.lines(['a']);
  fixture.finish();
  fixture.stored(0, 'disconnected');
  fixture.pass(59_999);
  t.ok(fixture.has('shipper', ATTEMPT));
  fixture.pass(1);
  t.notOk(fixture.has('shipper', ATTEMPT));
  t.match(fixture.logged.at(-1), /^warn: discarded the last log lines of a task/);
  fixture.stored(1);
  t.notOk(fixture.has('shipper', ATTEMPT), 'a late reply changes nothing');
  t.end();
});

test('a task without output ships nothing', (t) => {
  const fixture = new Shipping();
  fixture.finish();
  t.same(fixture.takeEffects(), []);
  t.notOk(fixture.has('shipper', ATTEMPT));
  t.end();
});

test('with any behavior of the bus, numbers have no gaps and no line is lost', (t) => {
  const step = fc.oneof(
    fc.record({
      do: fc.constant('write' as const),
      lines: fc.array(fc.string({ maxLength: 8 }), { minLength: 1, maxLength: 4 }),
    }),
    fc.record({ do: fc.constant('store' as const), count: fc.nat(8), fails: fc.boolean() }),
    fc.record({ do: fc.constant('wait' as const), ms: fc.nat(400) }),
  );
  fc.assert(
    fc.property(fc.array(step, { maxLength: 30, size: 'max' }), (steps) => {
      const fixture = new Shipping();
      const written: string[] = [];
      const received = new Map<number, string>();
      let underWay: LogMessage[] = [];
      const take = (count: number): void => {
        for (const chunk of underWay.slice(0, count)) received.set(chunk.seq_num, chunk.data);
        underWay = [];
      };
      const hear = (): void => {
        const chunks = chunksIn(fixture.takeEffects());
        if (chunks.length > 0) underWay = chunks;
      };
      for (const each of steps) {
        if (each.do === 'write') {
          written.push(...each.lines);
          fixture.lines(each.lines);
        } else if (each.do === 'wait') {
          fixture.pass(each.ms);
        } else if (underWay.length > 0) {
          const count = each.fails ? Math.min(each.count, underWay.length - 1) : underWay.length;
          take(count);
          fixture.stored(count, each.fails ? 'away' : null);
        }
        hear();
      }
      fixture.finish();
      for (let round = 0; round < 40; round++) {
        hear();
        const count = underWay.length;
        take(count);
        if (count > 0) fixture.stored(count);
        else fixture.pass(200);
      }
      const numbers = [...received.keys()].sort((a, b) => a - b);
      t.same(
        numbers,
        numbers.map((_, index) => index + 1),
      );
      t.equal(
        numbers.map((number) => received.get(number)).join(''),
        written.map((line) => `${line}\n`).join(''),
      );
    }),
    { numRuns: 60 },
  );
  t.end();
});
