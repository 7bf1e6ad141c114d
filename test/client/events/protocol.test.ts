import { test } from 'tap';
import type { Effect } from '../../../client/events/effects.ts';
import { PHASES, Protocol, type Input, type Phase } from '../../../client/events/protocol.ts';

const START = 1_000_000;

/** A protocol with a constant random number, and its effects. */
function channel(chance = 0): {
  readonly protocol: Protocol;
  readonly take: (input: Input, atMs?: number) => readonly Effect[];
} {
  const protocol = new Protocol(START, () => chance);
  return { protocol, take: (input, atMs = 0) => protocol.apply(input, START + atMs) };
}

/** A protocol that is live on its first connection. */
function live(chance = 0): ReturnType<typeof channel> {
  const made = channel(chance);
  made.take({ is: 'time' });
  made.take({ is: 'opened', connection: 1 });
  return made;
}

const text = (frame: object): Input => ({ is: 'message', connection: 1, text: JSON.stringify(frame) });
const ack = (seq: number, clientSeq: number, error = ''): Input =>
  text({ type: 'ack', subject: 'jobs', seq, payload: { client_seq: clientSeq, error } });
const push = (seq: number): Input => text({ type: 'push', subject: 'jobs', seq, payload: { seq } });
const gap = (seq: number): Input =>
  text({ type: 'error', subject: 'jobs', seq, payload: { code: 'gap', message: 'lost' } });
const subscribe = (listener: number, since: number | 'now' = 'now'): Input => ({
  is: 'subscribe',
  listener,
  subject: 'jobs',
  since,
});
const asked = (since: number, seq: number): Effect => ({
  do: 'send',
  text: JSON.stringify({ type: 'subscribe', subject: 'jobs', seq, payload: { since_seq: since } }),
});
const told = (listener: number, is: 'ready' | 'gap'): Effect => ({
  do: 'deliver',
  listener,
  delivery: { is },
});
const event = (listener: number, seq: number): Effect => ({
  do: 'deliver',
  listener,
  delivery: { is: 'event', seq, payload: { seq } },
});
const ping = (seq: number): Effect => ({
  do: 'send',
  text: JSON.stringify({ type: 'ping', subject: '', seq, payload: {} }),
});

test('every state changes exactly as its row of the table says', (t) => {
  const into: Readonly<Record<Phase, readonly Input[]>> = {
    connecting: [],
    live: [{ is: 'opened', connection: 1 }],
    waiting: [{ is: 'lost', connection: 1, reason: 'x' }],
    closed: [{ is: 'close' }],
  };
  const triggers = {
    opened: { is: 'opened', connection: 1 },
    lost: { is: 'lost', connection: 1, reason: 'x' },
    retry: { is: 'retry' },
    close: { is: 'close' },
  } as const;
  for (const phase of ['connecting', 'live', 'waiting', 'closed'] as const) {
    for (const trigger of ['opened', 'lost', 'retry', 'close'] as const) {
      const { protocol, take } = channel();
      take({ is: 'time' });
      for (const input of into[phase]) take(input);
      t.equal(protocol.phase, phase);
      const effects = take(triggers[trigger]);
      const next = PHASES[phase][trigger];
      t.equal(protocol.phase, next ?? phase, `${trigger} of ${phase}`);
      t.equal(
        effects.some((effect) => effect.do === 'state'),
        next !== undefined,
      );
    }
  }
  t.end();
});

test('events of an earlier connection are ignored', (t) => {
  const { protocol, take } = live();
  take({ is: 'lost', connection: 1, reason: 'cut' });
  t.same(take({ is: 'retry' }), [{ do: 'open', connection: 2 }, { do: 'state' }]);
  for (const input of [
    { is: 'opened', connection: 1 },
    { is: 'lost', connection: 1, reason: 'again' },
    { is: 'message', connection: 1, text: '{}' },
  ] as const)
    t.same(take(input), []);
  t.equal(protocol.phase, 'connecting');
  t.end();
});

test('an attempt to connect ends after the timeout', (t) => {
  const { protocol, take } = channel();
  t.same(take({ is: 'time' }), [{ do: 'open', connection: 1 }, { do: 'state' }]);
  t.equal(protocol.wakeAt, START + 15_000);
  t.same(take({ is: 'time' }, 14_999), []);
  t.same(take({ is: 'time' }, 15_000), [{ do: 'drop' }, { do: 'state' }]);
  t.match(protocol, {
    phase: 'waiting',
    since: START + 15_000,
    reason: 'the connection was not opened in time',
  });
  t.end();
});

test('delays between attempts grow, are half random, and reset after a stable connection', (t) => {
  for (const [chance, waits] of [
    [0, [250, 500, 1_000, 2_000, 4_000, 8_000, 15_000, 15_000]],
    [0.5, [375, 750, 1_500, 3_000, 6_000, 12_000, 22_500, 22_500]],
  ] as const) {
    const { protocol, take } = channel(chance);
    take({ is: 'time' });
    const seen = waits.map((_, n) => {
      take({ is: 'lost', connection: n + 1, reason: '429' });
      const wait = (protocol.wakeAt ?? 0) - START;
      take({ is: 'retry' });
      return wait;
    });
    t.same(seen, waits);
    const connection = waits.length + 1;
    take({ is: 'opened', connection });
    take({ is: 'lost', connection, reason: 'ended at once' }, 9_999);
    t.equal(
      (protocol.wakeAt ?? 0) - START - 9_999,
      waits.at(-1),
      'a short connection does not reset the delay',
    );
    take({ is: 'retry' }, 10_000);
    take({ is: 'opened', connection: connection + 1 }, 10_000);
    take({ is: 'lost', connection: connection + 1, reason: 'cut' }, 20_000);
    t.equal((protocol.wakeAt ?? 0) - START - 20_000, waits[0]);
  }
  t.end();
});

test('a connection is lost if a ping gets no answer within ten seconds', (t) => {
  for (const [chance, pingAt] of [
    [0, 20_000],
    [0.5, 25_000],
    [0.999, 29_990],
  ] as const) {
    const { protocol, take } = live(chance);
    t.equal(protocol.wakeAt, START + pingAt);
    t.same(take({ is: 'time' }, pingAt), [ping(1)]);
    t.equal(protocol.wakeAt, START + pingAt + 10_000);
    const pong = text({ type: 'pong', subject: '', seq: 1, payload: {} });
    t.same(take(pong, pingAt + 5), []);
    t.match(protocol, { lastFrameAt: START + pingAt + 5, wakeAt: START + 2 * pingAt + 5 });
    t.same(take({ is: 'time' }, 2 * pingAt + 5), [ping(2)]);
    t.same(take({ is: 'time' }, 2 * pingAt + 10_005), [{ do: 'drop' }, { do: 'state' }]);
    t.match(protocol, { phase: 'waiting', reason: 'the server did not answer a ping' });
  }
  const { take } = live();
  t.same(take({ is: 'retry' }, 7), [ping(1)], 'a retry sends a ping at once');
  t.same(take({ is: 'retry' }, 8), [], 'and only once');
  t.same(take(push(1), 9), [], 'any message counts as an answer');
  t.same(take({ is: 'time' }, 10_007), []);
  t.end();
});

test('invalid messages and error replies are reported and have no other effect', (t) => {
  const { protocol, take } = live();
  take(subscribe(1));
  take(ack(10, 1));
  const broken = [
    null,
    '',
    '{',
    'null',
    '[]',
    '{"type":"push"}',
    '{"type":"news","subject":"jobs","seq":1,"payload":{}}',
    '{"type":"push","subject":"jobs","seq":"11","payload":{}}',
    '{"type":"push","subject":"jobs","seq":11,"payload":[]}',
    '{"type":"push","subject":1,"seq":11,"payload":{}}',
    '{"type":"ack","subject":"jobs","seq":11,"payload":{"client_seq":"1","error":""}}',
    '{"type":"ack","subject":"jobs","seq":11,"payload":{"client_seq":1}}',
    '{"type":"error","subject":"jobs","seq":11,"payload":{"code":"gap"}}',
  ];
  for (const each of broken) {
    const message = `invalid message from the server: ${each ?? 'bytes'}`;
    t.same(take({ is: 'message', connection: 1, text: each }), [{ do: 'problem', message }]);
  }
  const long = take({ is: 'message', connection: 1, text: 'x'.repeat(1_000) });
  t.same(long, [{ do: 'problem', message: `invalid message from the server: ${'x'.repeat(100)}` }]);
  const bad = text({
    type: 'error',
    subject: '',
    seq: 0,
    payload: { code: 'bad-frame', message: 'no JSON' },
  });
  t.same(take(bad), [{ do: 'problem', message: 'the server rejected a message: bad-frame: no JSON' }]);
  t.same(take(push(11)), [event(1, 11)]);
  t.equal(protocol.phase, 'live');
  t.end();
});

test('listeners of a subject share the subscription, each from its own position', (t) => {
  const { take } = live();
  t.same(take(subscribe(1)), [asked(0, 1)]);
  t.same(take(subscribe(2)), [], 'the reply to the first applies to both');
  t.same(take(push(9)), [], 'nothing before the reply');
  t.same(take(ack(10, 1)), [told(1, 'ready'), told(2, 'ready')]);
  t.same(take(push(10)), [], 'retained events are not new');
  t.same(take(push(11)), [event(1, 11), event(2, 11)]);
  t.same(take(subscribe(3)), [told(3, 'ready')]);
  t.same(take(subscribe(4, 11)), [told(4, 'ready')]);
  t.same(take(subscribe(5, 9)), [asked(9, 2)], 'a listener that needs older events subscribes again');
  t.same(
    take(push(12)),
    [1, 2, 3, 4].map((id) => event(id, 12)),
  );
  t.same(take(ack(12, 2)), [told(5, 'ready')]);
  t.same(take(push(10)), [event(5, 10)]);
  t.same([...take(push(11)), ...take(push(12))], [event(5, 11), event(5, 12)]);
  t.same(
    take(push(13)),
    [1, 2, 3, 4, 5].map((id) => event(id, 13)),
  );
  for (const listener of [1, 2, 3, 4]) t.same(take({ is: 'unsubscribe', listener }), []);
  t.same(take({ is: 'unsubscribe', listener: 5 }), [
    { do: 'send', text: JSON.stringify({ type: 'unsubscribe', subject: 'jobs', seq: 3, payload: {} }) },
  ]);
  t.same(take({ is: 'unsubscribe', listener: 5 }), [], 'duplicates are delivered once');
  t.same(take(push(14)), []);
  t.end();
});

test('a listener continues from its position after a loss, and is notified of missed events', (t) => {
  const { take } = live();
  const again = (connection: number): readonly Effect[] => {
    take({ is: 'lost', connection, reason: 'cut' });
    take({ is: 'retry' });
    return take({ is: 'opened', connection: connection + 1 });
  };
  const on = (connection: number, input: Input): readonly Effect[] =>
    take(input.is === 'message' ? { ...input, connection } : input);
  take(subscribe(1));
  take(ack(10, 1));
  take(push(11));
  t.same(again(1), [asked(11, 2), { do: 'state' }]);
  t.same(on(2, ack(13, 2)), [], 'ready is delivered once');
  t.same([...on(2, push(12)), ...on(2, push(13))], [event(1, 12), event(1, 13)]);
  t.same(on(2, gap(20)), [told(1, 'gap')]);
  t.same(on(2, push(21)), [event(1, 21)]);
  t.same(on(2, push(23)), [told(1, 'gap'), event(1, 23)], 'a missing number causes a gap, reported or not');

  t.same(again(2), [asked(23, 3), { do: 'state' }]);
  t.same(on(3, ack(5, 3)), [told(1, 'gap')], 'a service with other numbers has been restarted');
  t.same(on(3, push(6)), [event(1, 6)]);
  t.end();
});

test('a subscription without a connection is sent when one opens', (t) => {
  const { take } = channel();
  t.same(take(subscribe(1, 7)), []);
  t.same(take(subscribe(2)), []);
  take({ is: 'time' });
  t.same(take({ is: 'opened', connection: 1 }), [asked(7, 1), { do: 'state' }]);
  take({ is: 'close' });
  t.same(take(subscribe(3)), [], 'and never after close');
  t.end();
});

test('a rejected subject is requested again by the next listener and on the next connection', (t) => {
  const { take } = live();
  const refused = (listener: number): Effect => ({
    do: 'deliver',
    listener,
    delivery: { is: 'refused', reason: 'none are kept' },
  });
  take(subscribe(1));
  t.same(take(ack(0, 1, 'none are kept')), [refused(1)]);
  t.same(take(subscribe(2)), [asked(0, 2)]);
  t.same(take(ack(0, 2, 'none are kept')), [refused(1), refused(2)]);
  take({ is: 'lost', connection: 1, reason: 'cut' });
  take({ is: 'retry' });
  t.same(take({ is: 'opened', connection: 2 }), [asked(0, 3), { do: 'state' }]);
  const answer = ack(4, 3);
  t.same(take({ ...answer, connection: 2 } as Input), [told(1, 'ready'), told(2, 'ready')]);
  t.end();
});
