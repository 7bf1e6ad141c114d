import { hash } from '@node-rs/argon2';
import fc from 'fast-check';
import { test } from 'tap';
import { Argon2Passwords } from '../../../src/adapters/identity/argon2-passwords.ts';
import { randomSecrets } from '../../../src/adapters/identity/random-secrets.ts';

const passwords = new Argon2Passwords();

test('a password has its own hash, and no other password has it', async (t) => {
  const hashed = await passwords.hash('correct horse');
  t.match(hashed, { ok: true, value: /^\$argon2id\$v=19\$m=19456,t=2,p=1\$/ });
  const stored = hashed.ok ? hashed.value : '';
  t.same(await passwords.verify(stored, 'correct horse'), { ok: true, value: true });
  t.same(await passwords.verify(stored, 'correct horse '), { ok: true, value: false });
  t.same(await passwords.verify(stored, ''), { ok: true, value: false });
  t.same(await passwords.verify(null, 'correct horse'), { ok: true, value: false });
  t.notSame(await passwords.hash('correct horse'), hashed, 'with a salt of its own');
});

test('any text is a password, in full', async (t) => {
  await fc.assert(
    fc.asyncProperty(fc.string({ unit: 'binary', maxLength: 200, size: 'max' }), async (text) => {
      const hashed = await passwords.hash(text);
      const stored = hashed.ok ? hashed.value : '';
      const [same, more] = [await passwords.verify(stored, text), await passwords.verify(stored, `${text}x`)];
      return same.ok && same.value && more.ok && !more.value;
    }),
    { numRuns: 20 },
  );
  t.pass();
});

test('hashes with weaker parameters are outdated', async (t) => {
  const weaker = [
    await hash('x', { memoryCost: 19_455, timeCost: 2, parallelism: 1 }),
    await hash('x', { memoryCost: 19_456, timeCost: 1, parallelism: 1 }),
    '$argon2i$v=19$m=19456,t=2,p=1$c2FsdHNhbHQ$aGFzaA',
    '$argon2id$v=16$m=19456,t=2,p=1$c2FsdHNhbHQ$aGFzaA',
  ];
  for (const each of weaker) t.ok(passwords.isOutdated(each), each);
  const stronger = await hash('x', { memoryCost: 20_000, timeCost: 3, parallelism: 2 });
  t.notOk(passwords.isOutdated(stronger));
});

test('few hashes run at the same time, and a flood is refused without waiting', async (t) => {
  const flood = await Promise.all(Array.from({ length: 100 }, () => passwords.hash('x')));
  t.equal(flood.filter(({ ok }) => ok).length, 66, '2 run and 64 wait');
  t.match(await passwords.hash('x'), { ok: true }, 'all have been released');
});

test('secrets are long and different, and their digest is SHA-256', async (t) => {
  const secrets = new Set(Array.from({ length: 1000 }, () => randomSecrets.create()));
  t.equal(secrets.size, 1000);
  for (const secret of secrets) if (!/^[A-Za-z0-9_-]{43}$/.test(secret)) t.fail(secret);
  t.equal(randomSecrets.digest('abc'), 'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad');
});
