import fc from 'fast-check';
import { test } from 'tap';
import { sessionOf, TestAccounts } from '../../../kit/account-words.ts';

const LAST = 'conflict: this is the last enabled administrator: make another account an administrator first';

test('a name is unique whatever its case and composition', async (t) => {
  const accounts = new TestAccounts();
  t.equal(accounts.create('Zoë'), 'ok');
  t.equal(
    accounts.create('ZOE\u0308'),
    'conflict: a user named "ZOE\u0308" already exists (case makes no difference)',
  );
  t.equal(accounts.create('zoe'), 'ok');
  t.same(
    accounts
      .users()
      .map(({ username, role, authSource, disabled }) => [username, role, authSource, disabled]),
    [
      ['Zoë', 'user', 'local', false],
      ['zoe', 'user', 'local', false],
    ],
  );
});

test('the first administrator is created only if there is no account', async (t) => {
  const accounts = new TestAccounts();
  const input = { username: 'root', displayName: '', role: 'admin', passwordHash: 'h' } as const;
  t.equal(accounts.ask({ type: 'user.bootstrap', input }), 'ok');
  t.equal(accounts.ask({ type: 'user.bootstrap', input: { ...input, passwordHash: 'other' } }), 'ok');
  t.equal(accounts.ask({ type: 'user.bootstrap', input: { ...input, username: 'second' } }), 'ok');
  t.same(
    accounts.users().map(({ username, passwordHash }) => [username, passwordHash]),
    [['root', 'h']],
  );
});

test('the last enabled administrator stays one', async (t) => {
  const accounts = new TestAccounts();
  accounts.create('a', 'admin');
  accounts.create('b', 'admin');
  const [a, b] = [accounts.user('a').id, accounts.user('b').id];
  t.equal(accounts.ask({ type: 'user.update', userId: a, changes: { disabled: true } }), 'ok');
  t.equal(accounts.ask({ type: 'user.update', userId: b, changes: { disabled: true } }), LAST);
  t.equal(accounts.ask({ type: 'user.update', userId: b, changes: { role: 'operator' } }), LAST);
  t.equal(accounts.ask({ type: 'user.delete', userId: b }), LAST);
  t.equal(accounts.ask({ type: 'user.update', userId: b, changes: { displayName: 'B' } }), 'ok');
  t.equal(accounts.ask({ type: 'user.delete', userId: a }), 'ok', 'a disabled one can be deleted');
  t.match(accounts.user('b'), { role: 'admin', disabled: false, displayName: 'B' });
});

test('whatever administrators do at the same time, one of them stays enabled', async (t) => {
  const step = fc.record({
    who: fc.nat(3),
    what: fc.constantFrom('disable', 'enable', 'demote', 'promote', 'delete', 'restart'),
  });
  fc.assert(
    fc.property(fc.array(step, { maxLength: 30, size: 'max' }), (steps) => {
      const accounts = new TestAccounts();
      const ids = ['a', 'b', 'c', 'd'].map((name) => {
        accounts.create(name, 'admin');
        return accounts.user(name).id;
      });
      for (const { who, what } of steps) {
        const userId = ids[who] ?? '';
        if (what === 'restart') accounts.restart();
        else if (what === 'delete') accounts.ask({ type: 'user.delete', userId });
        else if (what === 'disable' || what === 'enable')
          accounts.ask({ type: 'user.update', userId, changes: { disabled: what === 'disable' } });
        else
          accounts.ask({
            type: 'user.update',
            userId,
            changes: { role: what === 'demote' ? 'operator' : 'admin' },
          });
        const isSafe = accounts.users().some(({ role, disabled }) => role === 'admin' && !disabled);
        if (!isSafe) throw new Error(`no administrator after ${what} of ${who}`);
      }
    }),
  );
  t.pass();
});

test('a deleted account loses its sessions and keys, and its name is free', async (t) => {
  const accounts = new TestAccounts();
  accounts.create('a', 'admin');
  accounts.create('ann');
  const { id } = accounts.user('ann');
  accounts.signIn('ann', 's1');
  accounts.signIn('a', 's2');
  const key = { digest: 'k1', prefix: 'svc_12345678', name: 'k', expiresAt: null };
  t.equal(accounts.ask({ type: 'key.create', userId: id, key }), 'ok');
  t.equal(accounts.ask({ type: 'user.delete', userId: id }), 'ok');
  t.same([...accounts.sessions().keys()], ['s2']);
  t.same([...accounts.keys().keys()], []);
  t.same([...accounts.store.scan('userApiKey')], []);
  t.same(
    [...accounts.store.scan('username')].map((row) => row.key),
    ['a'],
  );
  t.equal(accounts.ask({ type: 'user.delete', userId: id }), `not-found: no user ${id}`);
  t.equal(accounts.create('ANN'), 'ok');
});

test('a new password ends all sessions of the account, and only of it', async (t) => {
  const accounts = new TestAccounts();
  accounts.create('ann');
  accounts.create('bob');
  for (const digest of ['s1', 's2']) accounts.signIn('ann', digest);
  accounts.signIn('bob', 's3');
  const change = { type: 'user.set-password', userId: accounts.user('ann').id, passwordHash: 'new' } as const;
  const stale = { ...change, expectedHash: 'not the hash', session: null };
  t.match(accounts.ask(stale), /^conflict: the password was changed at the same time/);
  t.equal(accounts.sessions().size, 3);
  const session = sessionOf('s4');
  t.equal(accounts.ask({ ...change, expectedHash: 'hash of ann', session }), 'ok');
  t.same([...accounts.sessions().keys()].sort(), ['s3', 's4']);
  t.equal(accounts.user('ann').passwordHash, 'new');
  t.equal(accounts.ask({ ...change, expectedHash: null, session: null }), 'ok');
  t.same([...accounts.sessions().keys()], ['s3']);
});

test('a hash is replaced only while the account still has it', async (t) => {
  const accounts = new TestAccounts();
  accounts.create('ann');
  const { id: userId } = accounts.user('ann');
  accounts.tell({ type: 'user.rehash', userId, expectedHash: 'other', passwordHash: 'new' });
  t.equal(accounts.user('ann').passwordHash, 'hash of ann');
  accounts.tell({ type: 'user.rehash', userId, expectedHash: 'hash of ann', passwordHash: 'new' });
  t.equal(accounts.user('ann').passwordHash, 'new');
});
