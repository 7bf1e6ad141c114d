import fc from 'fast-check';
import { test } from 'tap';
import { PublishFrames } from '../../../src/adapters/nats/publish-frames.ts';

type Said = readonly [subject: string, text: string];

const frameOf = ([subject, text]: Said): Buffer =>
  Buffer.concat([
    Buffer.from(`PUB ${subject} ${Buffer.byteLength(text)}\r\n`),
    Buffer.from(text),
    Buffer.from('\r\n'),
  ]);

const subject = fc.stringMatching(/^_INBOX\.[a-z0-9]{1,20}$/);
const text = fc.oneof(
  fc.string(),
  fc.string({ unit: 'binary' }),
  fc.string({ unit: 'grapheme' }),
  fc
    .tuple(fc.constantFrom('x', 'é', '日', '🌍', '\ud800'), fc.nat(120_000))
    .map(([unit, times]) => unit.repeat(times)),
);

test('take returns the frames of all added messages, in order', (t) => {
  fc.assert(
    fc.property(fc.array(fc.array(fc.tuple(subject, text), { maxLength: 8 }), { maxLength: 4 }), (turns) => {
      const frames = new PublishFrames();
      const taken: { readonly bytes: readonly Uint8Array[]; readonly expected: Buffer }[] = [];
      for (const turn of turns) {
        for (const said of turn) frames.add(...said);
        const expected = Buffer.concat(turn.map(frameOf));
        t.equal(frames.bytes, expected.length);
        taken.push({ bytes: frames.take(), expected });
        t.equal(frames.bytes, 0);
      }
      // Compared only now: later additions must not change the taken bytes.
      for (const { bytes, expected } of taken) t.ok(Buffer.concat(bytes).equals(expected), 'the same bytes');
    }),
    { numRuns: 60 },
  );
  t.end();
});

test('take returns nothing when nothing was added', (t) => {
  t.same(new PublishFrames().take(), []);
  t.end();
});
