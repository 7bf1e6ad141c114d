import fc from 'fast-check';
import { test } from 'tap';
import {
  ackFrame,
  errorFrame,
  pongFrame,
  pushFrame,
  readClientFrame,
} from '../../../src/core/wire/socket-messages.ts';

void test('parses the frames of a client', async (t) => {
  const cases: [string, object][] = [
    ['{"type":"ping"}', { type: 'ping', seq: 0 }],
    ['{"type":"ping","seq":7,"subject":5,"payload":"x","more":1}', { type: 'ping', seq: 7 }],
    ['{"type":"subscribe","subject":"jobs"}', { type: 'subscribe', subject: 'jobs', sinceSeq: 0, seq: 0 }],
    [
      '{"type":"subscribe","subject":"jobs","payload":{"since_seq":9007199254740991,"more":1},"seq":3}',
      { type: 'subscribe', subject: 'jobs', sinceSeq: 9007199254740991, seq: 3 },
    ],
    [
      '{"type":"subscribe","subject":"jobs","payload":null,"seq":null}',
      { type: 'subscribe', subject: 'jobs', sinceSeq: 0, seq: 0 },
    ],
    ['{"type":"unsubscribe","subject":"x","payload":4}', { type: 'unsubscribe', subject: 'x', seq: 0 }],
  ];
  for (const [text, frame] of cases) t.strictSame(readClientFrame(text), { ok: true, frame }, text);
});

void test('unknown frame types are rejected', async (t) => {
  const cases: [string, string, string][] = [
    ['', 'bad-frame', 'the frame is not valid JSON'],
    ['{', 'bad-frame', 'the frame is not valid JSON'],
    ['null', 'bad-frame', 'the frame is not a JSON object'],
    ['[]', 'bad-frame', 'the frame is not a JSON object'],
    ['{}', 'bad-frame', 'type must be a string'],
    ['{"type":1}', 'bad-frame', 'type must be a string'],
    ['{"type":"push"}', 'unknown-type', 'the type push is not one of subscribe, unsubscribe, ping'],
    ['{"type":"ping","seq":-1}', 'bad-frame', 'seq must be an integer of at least 0'],
    ['{"type":"ping","seq":1.5}', 'bad-frame', 'seq must be an integer of at least 0'],
    ['{"type":"ping","seq":"1"}', 'bad-frame', 'seq must be an integer of at least 0'],
    ['{"type":"subscribe"}', 'bad-frame', 'subject must be a string'],
    ['{"type":"subscribe","subject":""}', 'bad-frame', 'subject must be a string'],
    [
      `{"type":"subscribe","subject":"${'x'.repeat(257)}"}`,
      'bad-frame',
      'subject is longer than 256 characters',
    ],
    ['{"type":"subscribe","subject":"jobs","payload":[]}', 'bad-frame', 'payload must be an object'],
    [
      '{"type":"subscribe","subject":"jobs","payload":{"since_seq":9007199254740992}}',
      'bad-frame',
      'since_seq must be an integer of at least 0',
    ],
    [`"${'x'.repeat(5000)}"`, 'bad-frame', 'the frame is longer than 4096 characters'],
    [`${'['.repeat(17)}`, 'bad-frame', 'the frame is nested deeper than 16 levels'],
  ];
  for (const [text, code, message] of cases) {
    t.strictSame(readClientFrame(text), { ok: false, code, message }, text.slice(0, 60));
  }
});

void test('any input is a frame or an error, and formatted frames round-trip', async (t) => {
  fc.assert(
    fc.property(fc.oneof(fc.string(), fc.json()), (text) => {
      const read = readClientFrame(text);
      return read.ok ? JSON.parse(text) !== null : read.message.length > 0;
    }),
  );
  const seq = fc.nat();
  const subject = fc.string({ minLength: 1, maxLength: 256, size: 'max' });
  fc.assert(
    fc.property(subject, seq, seq, (name, since, own) => {
      const text = JSON.stringify({
        type: 'subscribe',
        subject: name,
        seq: own,
        payload: { since_seq: since },
      });
      t.strictSame(readClientFrame(text), {
        ok: true,
        frame: { type: 'subscribe', subject: name, sinceSeq: since, seq: own },
      });
    }),
    { numRuns: 50 },
  );
});

void test('every envelope of the service has all four fields', async (t) => {
  t.strictSame(JSON.parse(pushFrame('jobs', 4, { a: 1 })), {
    type: 'push',
    subject: 'jobs',
    seq: 4,
    payload: { a: 1 },
  });
  t.strictSame(JSON.parse(ackFrame('jobs', 4, 2, '')), {
    type: 'ack',
    subject: 'jobs',
    seq: 4,
    payload: { client_seq: 2, error: '' },
  });
  t.strictSame(JSON.parse(errorFrame('jobs', 4, 'gap', 'lost')), {
    type: 'error',
    subject: 'jobs',
    seq: 4,
    payload: { code: 'gap', message: 'lost' },
  });
  t.strictSame(JSON.parse(pongFrame(9)), { type: 'pong', subject: '', seq: 9, payload: {} });
});
