import { test } from 'tap';
import { JoinDesk } from '../../../daemons/server/join-desk.ts';
import { RefusedKeys } from '../../../daemons/server/refused-keys.ts';
import { createMemoryStore, type MemoryStore } from '../../../src/adapters/memory/memory-store.ts';
import { randomSecrets } from '../../../src/adapters/identity/random-secrets.ts';
import { replyTo } from '../../../actors/kernel/address.ts';
import { newUserKey, signText } from '../../../src/adapters/nats/user-keys.ts';
import { joinedCredential, revokeCredential } from '../../../src/core/bus-identity/credentials.ts';
import { workerId } from '../../../src/core/ids.ts';
import { refused } from '../../../src/core/problems.ts';
import { put, type Change } from '../../../src/core/records/change-set.ts';
import { keys } from '../../../src/core/records/tables.ts';
import { renewalText } from '../../../src/core/wire/join-messages.ts';
import { joinToken } from '../../core/bus-identity/kit.ts';
import { NO_CALLBACKS } from '../../kit/commit-callbacks.ts';

const NOW = 1_795_000_000_000;
const WORKER = workerId('01a206e1-4ada-7000-969c-c180114036ad');
const SECRET = randomSecrets.create();
const TOKEN = joinToken({ digest: randomSecrets.digest(SECRET) });

/** Stores a row. */
function write(store: MemoryStore, change: Change): void {
  store.commit({ version: 1, shard: 0, sequence: 1, changes: [change] }, NO_CALLBACKS);
  store.flushAll();
}

/** A desk whose actors refuse everything; `asked` are the types of their messages. */
function startDesk() {
  const store = createMemoryStore();
  const asked: string[] = [];
  const logged: string[] = [];
  const clock = { ms: 0 };
  const desk = new JoinDesk({
    store,
    actors: {
      ask: (make) => {
        const { message } = make(replyTo('desk'));
        asked.push(message.type);
        return Promise.resolve(refused('forbidden', 'refused by the actor'));
      },
    },
    secrets: randomSecrets,
    authority: { caPem: 'ca', urls: ['tls://farm:1'], issueWorker: () => Promise.resolve('jwt') },
    lifetimeMs: 1000,
    steadyNow: () => clock.ms,
    log: (_level, text, attributes) => logged.push(`${text} ${JSON.stringify(attributes)}`),
  });
  return { desk, store, asked, logged, clock };
}

const request = (change: object = {}): string =>
  JSON.stringify({
    v: 1,
    type: 'join',
    token_id: TOKEN.id,
    secret: SECRET,
    name: 'n',
    nkey: newUserKey().publicKey,
    ...change,
  });

test('only a request with the secret of the token reaches the actors', async (t) => {
  const { desk, store, asked, logged } = startDesk();
  t.match(await desk.joinRequested(TOKEN.id, request()), { type: 'refused', reason: /does not exist/ });
  write(store, put('joinToken', keys.joinToken(TOKEN.id), TOKEN));
  const wrong = randomSecrets.create();
  for (const text of [
    request({ secret: wrong }),
    request({ token_id: 'other' }),
    request({ secret: '' }),
    request({ name: '' }),
    request({ name: 'a\nb' }),
    request({ nkey: 'UAAA' }),
    request({ v: 2 }),
    request({ type: 'renew' }),
    '{}',
    '[',
    '',
    `{"a":${'['.repeat(2000)}`,
  ])
    t.match(await desk.joinRequested(TOKEN.id, text), { type: 'refused' }, text.slice(0, 80));
  t.strictSame(asked, []);
  t.match(await desk.joinRequested(TOKEN.id, request()), { reason: 'refused by the actor' });
  t.strictSame(asked, ['credential.join']);
  t.ok(logged.length > 0 && logged.length <= 5, 'a flood writes few lines');
  t.notMatch(logged.join(), new RegExp(`${SECRET}|${wrong}`));
});

test('a token with many failures is refused for a time, and others are not', async (t) => {
  const { desk, store, asked, clock } = startDesk();
  write(store, put('joinToken', keys.joinToken(TOKEN.id), TOKEN));
  for (let failure = 0; failure < 20; failure += 1) await desk.joinRequested(TOKEN.id, '{}');
  t.match(await desk.joinRequested(TOKEN.id, request()), { reason: /too many/, retry_after_ms: 3000 });
  t.strictSame(asked, []);
  t.match(await desk.joinRequested('another', '{}'), { reason: /invalid/ });
  clock.ms = 3000;
  t.match(await desk.joinRequested(TOKEN.id, request()), { reason: 'refused by the actor' });
});

test('a renewal needs the signature of the present key', async (t) => {
  const { desk, store, asked } = startDesk();
  const present = newUserKey();
  const next = newUserKey();
  const key = { key: present.publicKey, expiresAt: NOW + 1000 };
  const worker = { workerId: WORKER, name: 'n', farmId: null };
  const credential = joinedCredential(undefined, worker, TOKEN, key, NOW);
  write(store, put('workerCredential', keys.workerCredential(WORKER), credential));
  const at = '2026-11-23T05:00:00Z';
  const signed = (seed: string, text: string, of: string = WORKER): string =>
    JSON.stringify({
      v: 1,
      type: 'renew',
      worker_id: of,
      nkey: next.publicKey,
      issued_at: at,
      signature: signText(seed, text),
    });
  const text = renewalText(WORKER, next.publicKey, at);
  const invalid = { type: 'refused', reason: /not valid/ };
  t.match(await desk.renewalRequested(WORKER, signed(next.seed, text)), invalid, 'of the new key');
  t.match(await desk.renewalRequested(WORKER, signed(present.seed, `${text}x`)), invalid, 'of another text');
  const other = workerId('01a206e1-4ada-7000-969c-000000000000');
  t.match(await desk.renewalRequested(other, signed(present.seed, text)), { reason: /another worker/ });
  t.match(await desk.renewalRequested(other, signed(present.seed, text, other)), invalid, 'no credential');
  t.strictSame(asked, []);
  t.match(await desk.renewalRequested(WORKER, signed(present.seed, text)), {
    reason: 'refused by the actor',
  });
  t.strictSame(asked, ['credential.renew']);
});

test('refused keys are sent until the bus confirms them', async (t) => {
  const store = createMemoryStore();
  const worker = { workerId: WORKER, name: 'n', farmId: null };
  const credential = joinedCredential(undefined, worker, TOKEN, { key: 'U', expiresAt: NOW + 1000 }, NOW);
  const sent: (readonly string[])[] = [];
  const warned: string[] = [];
  let confirm: () => void = () => undefined;
  const confirmed = new Promise<void>((resolve) => {
    confirm = resolve;
  });
  const refusals = new RefusedKeys({
    store: { ...store, refresh: () => undefined },
    authority: {
      refuse: (list) => {
        sent.push(list);
        if (sent.length === 1) return Promise.reject(new Error('the server has gone'));
        confirm();
        return Promise.resolve();
      },
    },
    now: () => NOW,
    warn: (text) => warned.push(text),
  });
  write(store, put('workerCredential', keys.workerCredential(WORKER), revokeCredential(credential, NOW)));
  refusals.changed();
  await confirmed;
  await refusals.close();
  t.strictSame(sent, [['U'], ['U']]);
  t.equal(warned.length, 1);
});
