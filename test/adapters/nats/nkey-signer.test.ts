import { createAccount, createOperator, createUser, fromPublic, fromSeed } from '@nats-io/nkeys';
import fc from 'fast-check';
import { test } from 'tap';
import { fastPair, isSignedBy, signingKeyOf } from '../../../src/adapters/nats/nkey-signer.ts';

const makers = [createUser, createAccount, createOperator] as const;
const RUNS = 6;

test('keys and signatures are those of the library', (t) => {
  fc.assert(
    fc.property(fc.constantFrom(...makers), fc.uint8Array({ maxLength: 300, size: 'max' }), (make, bytes) => {
      const pair = make();
      const seed = new TextDecoder().decode(pair.getSeed());
      const key = signingKeyOf(seed);
      t.equal(key.publicKey, pair.getPublicKey());
      t.same(key.sign(bytes), Buffer.from(pair.sign(bytes)));
      const fast = fastPair(fromSeed(pair.getSeed()));
      t.equal(fast.getPublicKey(), key.publicKey);
      t.ok(fromPublic(key.publicKey).verify(bytes, fast.sign(bytes)));
      t.ok(isSignedBy(key.publicKey, bytes, pair.sign(bytes)));
    }),
    { numRuns: RUNS },
  );
  t.end();
});

test('a changed text, signature or key is refused', (t) => {
  const pair = createUser();
  const other = createUser();
  const bytes = Buffer.from('a challenge');
  const signature = pair.sign(bytes);
  t.ok(isSignedBy(pair.getPublicKey(), bytes, signature));
  t.notOk(isSignedBy(other.getPublicKey(), bytes, signature));
  t.notOk(isSignedBy(pair.getPublicKey(), Buffer.from('another challenge'), signature));
  for (const at of [0, 31, 32, 63]) {
    const changed = Uint8Array.from(signature);
    changed[at] = (changed[at] ?? 0) ^ 1;
    t.notOk(isSignedBy(pair.getPublicKey(), bytes, changed), `byte ${at}`);
  }
  for (const length of [0, 63, 65]) t.notOk(isSignedBy(pair.getPublicKey(), bytes, new Uint8Array(length)));
  t.end();
});

test('texts that are not keys are errors', (t) => {
  const seed = new TextDecoder().decode(createUser().getSeed());
  // The last character has bits that are not used.
  const flipped = `${seed.slice(0, -2)}${seed.at(-2) === 'A' ? 'B' : 'A'}${seed.slice(-1)}`;
  for (const text of ['', 'SU', flipped, seed.toLowerCase(), createUser().getPublicKey()])
    t.throws(() => signingKeyOf(text), text);
  for (const text of ['', 'U', seed])
    t.throws(() => isSignedBy(text, Buffer.alloc(1), Buffer.alloc(64)), text);
  t.end();
});
