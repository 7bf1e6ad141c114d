import fc from 'fast-check';
import { test } from 'tap';
import type { AgentEffect } from '../../../actors/agent/agent-world.ts';
import { splitText } from '../../../actors/agent/shipper/split-text.ts';
import type { AttemptId, SessionId, TaskId } from '../../../src/core/ids.ts';
import type { OutputStream } from '../../../src/core/ports/task-processes.ts';
import type { LogMessage } from '../../../src/core/wire/bus-messages.ts';
import { AgentHouse } from './agent-house.ts';

const ATTEMPT = 'a' as AttemptId;
const OF = { taskId: 't' as TaskId, sessionId: 's' as SessionId };
const KIB = 1024;

class Shipping extends AgentHouse {
  lines(lines: readonly string[], stream: OutputStream = 'stdout', bytes = sizeOf(lines)): void {
    this.tell('shipper', ATTEMPT, { type: 'logs.lines', ...OF, batch: { stream, lines, bytes } });
  }

  finish(): void {
    this.tell('shipper', ATTEMPT, { type: 'logs.finish', ...OF });
  }

  stored(stored: number, failure: string | null = null): void {
    this.tell('shipper', ATTEMPT, { type: 'logs.stored', stored, failure });
  }
}

const sizeOf = (lines: readonly string[]): number =>
  lines.reduce((sum, line) => sum + Buffer.byteLength(line) + 1, 0);

const chunksIn = (effects: readonly AgentEffect[]): LogMessage[] =>
  effects.flatMap((effect) => (effect.kind === 'ship-logs' ? effect.chunks : []));

const consumedIn = (effects: readonly AgentEffect[]): number =>
  effects.reduce((sum, effect) => sum + (effect.kind === 'output-consumed' ? effect.bytes : 0), 0);

test('lines gather for a moment and leave as one chunk; what is stored lets the process write on', (t) => {
  const house = new Shipping();
  house.lines(['one', 'two']);
  house.pass(50);
  house.lines(['three']);
  house.pass(49);
  t.same(house.said(), []);
  house.pass(1);
  t.same(house.said(), [
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
  house.stored(1);
  t.same(house.said(), [{ kind: 'output-consumed', sessionId: 's', bytes: 14 }]);
  t.end();
});

test('streams are not mixed in a chunk, and keep their order', (t) => {
  const house = new Shipping();
  house.lines(['a']);
  house.lines(['b'], 'stderr');
  house.lines(['c']);
  t.match(chunksIn(house.said()), [{ seq_num: 1, stream: 'stdout', data: 'a\n' }]);
  house.pass(100);
  t.same(house.said(), [], 'one batch is under way at a time');
  house.stored(1);
  t.match(chunksIn(house.said()), [
    { seq_num: 2, stream: 'stderr', data: 'b\n' },
    { seq_num: 3, stream: 'stdout', data: 'c\n' },
  ]);
  t.end();
});

test('a chunk is at most 32 KiB; a longer line is cut between characters', (t) => {
  const house = new Shipping();
  house.lines(['x'.repeat(20 * KIB), 'y'.repeat(20 * KIB)]);
  t.match(chunksIn(house.said()), [{ seq_num: 1, data: `${'x'.repeat(20 * KIB)}\n` }]);
  house.stored(1);
  house.said();
  house.lines([`z${'é'.repeat(20 * KIB)}`], 'stderr');
  house.finish();
  house.stored(8);
  const chunks = chunksIn(house.said());
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

test('a text that is cut and joined is the same text', (t) => {
  fc.assert(
    fc.property(
      fc.string({ unit: 'binary', maxLength: 60 }),
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

test('what is not stored is sent again in order, and holds the process back', (t) => {
  const house = new Shipping();
  for (const line of ['a', 'b', 'c']) {
    house.lines([line], line === 'b' ? 'stderr' : 'stdout');
  }
  house.finish();
  house.said();
  house.stored(0, 'disconnected');
  t.same(house.said(), []);
  house.pass(250);
  t.same(
    chunksIn(house.said()).map(({ seq_num }) => seq_num),
    [1, 2, 3],
  );
  house.stored(1, 'timed out');
  const after = house.said();
  t.equal(consumedIn(after), 2);
  t.same(chunksIn(after), []);
  house.pass(250);
  t.same(
    chunksIn(house.said()).map(({ seq_num }) => seq_num),
    [2, 3],
  );
  house.stored(2);
  t.equal(consumedIn(house.said()), 4);
  t.notOk(house.has('shipper', ATTEMPT), 'it is over');
  t.end();
});

test('when the bus takes nothing for long, output is dropped with a mark in its place', (t) => {
  const house = new Shipping();
  house.lines(['kept']);
  house.pass(100);
  house.said();
  house.stored(0, 'disconnected');
  house.pass(9999);
  t.equal(consumedIn(house.said()), 0);
  house.lines(['held']);
  t.equal(consumedIn(house.said()), 0);
  house.pass(1);
  t.equal(consumedIn(house.said()), 10, 'the process may write on');
  house.lines(['gone', 'gone too']);
  t.equal(consumedIn(house.said()), 14);
  house.stored(1);
  house.lines(['back']);
  house.finish();
  house.stored(8);
  house.stored(8);
  const chunks = chunksIn(house.said());
  t.match(chunks, [
    { seq_num: 2, stream: 'stdout', data: 'held\n' },
    {
      seq_num: 3,
      stream: 'stderr',
      data: '[callsheet] 2 lines (14 bytes) of output were dropped here: the bus did not take them\n',
    },
    { seq_num: 4, stream: 'stdout', data: 'back\n' },
  ]);
  t.notOk(house.has('shipper', ATTEMPT));
  t.end();
});

test('the last logs of an attempt are given up after a while', (t) => {
  const house = new Shipping();
  house.lines(['a']);
  house.finish();
  house.stored(0, 'disconnected');
  house.pass(59_999);
  t.ok(house.has('shipper', ATTEMPT));
  house.pass(1);
  t.notOk(house.has('shipper', ATTEMPT));
  t.match(house.logged.at(-1), /^warn: the last lines of a task are given up/);
  house.stored(1);
  t.notOk(house.has('shipper', ATTEMPT), 'late word changes nothing');
  t.end();
});

test('a task that wrote nothing has nothing to ship', (t) => {
  const house = new Shipping();
  house.finish();
  t.same(house.said(), []);
  t.notOk(house.has('shipper', ATTEMPT));
  t.end();
});

test('numbers have no gaps and no line is lost, whatever the bus does', (t) => {
  const step = fc.oneof(
    fc.record({
      do: fc.constant('write' as const),
      lines: fc.array(fc.string({ maxLength: 8 }), { minLength: 1, maxLength: 4 }),
    }),
    fc.record({ do: fc.constant('store' as const), count: fc.nat(8), fails: fc.boolean() }),
    fc.record({ do: fc.constant('wait' as const), ms: fc.nat(400) }),
  );
  fc.assert(
    fc.property(fc.array(step, { maxLength: 30 }), (steps) => {
      const house = new Shipping();
      const written: string[] = [];
      const received = new Map<number, string>();
      let underWay: LogMessage[] = [];
      const take = (count: number): void => {
        for (const chunk of underWay.slice(0, count)) received.set(chunk.seq_num, chunk.data);
        underWay = [];
      };
      const hear = (): void => {
        const chunks = chunksIn(house.said());
        if (chunks.length > 0) underWay = chunks;
      };
      for (const each of steps) {
        if (each.do === 'write') {
          written.push(...each.lines);
          house.lines(each.lines);
        } else if (each.do === 'wait') {
          house.pass(each.ms);
        } else if (underWay.length > 0) {
          const count = each.fails ? Math.min(each.count, underWay.length - 1) : underWay.length;
          take(count);
          house.stored(count, each.fails ? 'away' : null);
        }
        hear();
      }
      house.finish();
      for (let round = 0; round < 40; round++) {
        hear();
        const count = underWay.length;
        take(count);
        if (count > 0) house.stored(count);
        else house.pass(200);
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
