import { test } from 'tap';
import { API_KEYS_PER_USER } from '../../../../src/core/records/api-key.ts';
import { TestAccounts } from '../../../kit/account-words.ts';

const MINUTE_MS = 60_000;

function withAnn(): {
  accounts: TestAccounts;
  userId: string;
  create: (digest: string, expiresAt?: number) => string;
} {
  const accounts = new TestAccounts();
  accounts.create('ann');
  accounts.create('bob');
  const userId = accounts.user('ann').id;
  const create = (digest: string, expiresAt: number | null = null): string =>
    accounts.ask({
      type: 'key.create',
      userId,
      key: { digest, prefix: 'svc_12345678', name: `key ${digest}`, expiresAt },
    });
  return { accounts, userId, create };
}

const keyOf = (digest: string) => ({ digest, prefix: 'svc_12345678', name: 'k', expiresAt: null });

test('a key is created, revoked once, and keeps its row', async (t) => {
  const { accounts, userId, create } = withAnn();
  t.equal(create('k1'), 'ok');
  const made = accounts.keys().get('k1');
  t.match(made, { userId, name: 'key k1', revokedAt: null, lastUsedAt: null, createdAt: accounts.now });
  const keyId = made?.id ?? '';
  const bob = accounts.user('bob').id;
  const revoke = { type: 'key.revoke', userId, keyId } as const;
  t.equal(accounts.ask({ ...revoke, userId: bob }), `not-found: no API key ${keyId}`);
  t.equal(accounts.ask({ ...revoke, keyId: 'other' }), 'not-found: no API key other');
  t.equal(accounts.ask(revoke), 'ok');
  t.equal(accounts.keys().get('k1')?.revokedAt, accounts.now);
  t.equal(accounts.ask(revoke), `not-found: no API key ${keyId}`);
  t.equal(
    accounts.ask({ type: 'key.create', userId: 'unknown', key: keyOf('k2') }),
    'not-found: no user unknown',
  );
});

test('the use of a key is stored at most once a minute', async (t) => {
  const { accounts, create } = withAnn();
  create('k1');
  const use = (): void => accounts.tell({ type: 'key.used', digest: 'k1' });
  const usedAt = (): number | null | undefined => accounts.keys().get('k1')?.lastUsedAt;
  use();
  const first = accounts.now;
  t.equal(usedAt(), first);
  accounts.advance(MINUTE_MS - 1);
  use();
  t.equal(usedAt(), first);
  accounts.advance(1);
  use();
  t.equal(usedAt(), first + MINUTE_MS);
  accounts.tell({ type: 'key.used', digest: 'unknown' });
  t.equal(accounts.keys().size, 1);
});

test('the number of keys of an account is limited', async (t) => {
  const { accounts, userId, create } = withAnn();
  for (let n = 0; n < API_KEYS_PER_USER; n++) t.equal(create(`k${n}`), 'ok');
  t.equal(create('more'), `conflict: limit of ${API_KEYS_PER_USER} API keys reached: revoke one`);
  const keyId = accounts.keys().get('k5')?.id ?? '';
  accounts.ask({ type: 'key.revoke', userId, keyId });
  t.equal(create('more'), 'ok');
  t.ok(accounts.keys().has('k5'), 'the revoked one stays');
});

test('rows of ended keys are bounded: the oldest are removed', async (t) => {
  const { accounts, userId, create } = withAnn();
  for (let n = 0; n < 120; n++) {
    accounts.advance(1);
    create(`k${n}`);
    accounts.ask({ type: 'key.revoke', userId, keyId: accounts.keys().get(`k${n}`)?.id ?? '' });
  }
  create('expired', accounts.now + 1);
  accounts.advance(1);
  create('valid');
  t.equal(accounts.keys().size, 101);
  t.equal([...accounts.store.scan('userApiKey')].length, 101);
  t.notOk(accounts.keys().has('k20'));
  t.ok(accounts.keys().has('expired'));
  t.ok(accounts.keys().has('valid'));
});
