import { test } from 'tap';
import { accountPart } from '../../../src/adapters/host/account-support.ts';
import { expiryFinding, secretFileFinding } from '../../../src/core/host-check/credential-findings.ts';
import { parseStoredCredential } from '../../../src/core/bus-identity/stored-credential.ts';
import { diskFindings, type DiskFacts } from '../../../src/core/host-check/disk-findings.ts';
import {
  accountFinding,
  queueAccounts,
  rootAt,
  storageFinding,
} from '../../../src/core/host-check/farm-findings.ts';
import { countFindings, failure, isFit, ok, skipped, warning } from '../../../src/core/host-check/finding.ts';
import { isolationFinding } from '../../../src/core/host-check/isolation-findings.ts';

const HOUR_MS = 3_600_000;
const WORKER = '01890a5d-ac96-774b-bcce-b302099a8057';

void test('only a failure makes a host unfit', (t) => {
  t.ok(isFit([ok('a', ''), warning('b', '', ''), skipped('c', '')]));
  t.notOk(isFit([ok('a', ''), failure('b', '', '')]));
  t.same(countFindings([ok('a', ''), failure('b', '', '')]), { ok: 1, warning: 0, failure: 1, skipped: 0 });
  t.end();
});

void test('a file with a secret must be readable by its owner only', (t) => {
  const file = { ok: true, path: '/f', mode: 0o600, isOwn: true } as const;
  t.match(secretFileFinding('k', file), { status: 'ok' });
  for (const mode of [0o640, 0o604, 0o620, 0o601])
    t.match(secretFileFinding('k', { ...file, mode }), { status: 'failure', fix: 'chmod 600 /f' });
  t.match(secretFileFinding('k', { ...file, isOwn: false }), { status: 'failure', fix: /chown/ });
  t.match(secretFileFinding('k', { ok: false, path: '/f', reason: 'ENOENT' }), { status: 'failure' });
  t.end();
});

void test('an expired credential is a failure, and one that expires soon a warning', (t) => {
  const at = (ms: number | null) => expiryFinding('credential', ms, 1000 * HOUR_MS, 'renew').status;
  t.equal(at(null), 'ok');
  t.equal(at(1000 * HOUR_MS), 'failure');
  t.equal(at(1001 * HOUR_MS), 'warning');
  t.equal(at(1025 * HOUR_MS), 'ok');
  t.end();
});

void test('a credential is checked completely, and errors do not show secrets', (t) => {
  const seed = `SU${'A'.repeat(56)}`;
  const whole = {
    v: 1,
    worker_id: WORKER,
    farm_id: null,
    urls: [],
    seed,
    jwt: 'x',
    ca: null,
    expires_at: null,
  };
  t.match(parseStoredCredential(JSON.stringify(whole)), { ok: true, value: { worker_id: WORKER } });
  const refused: readonly [object, RegExp][] = [
    [{ ...whole, v: 2 }, /v: must be 1/],
    [{ ...whole, worker_id: 'w' }, /worker_id: must be a worker id/],
    [{ ...whole, seed: 'SUshort' }, /seed: must be the seed of a user/],
    [{ ...whole, expires_at: 'tomorrow' }, /expires_at: must be an RFC 3339 time/],
    [{ ...whole, jwt: 3 }, /jwt: must be a string/],
    [{ ...whole, urls: 'tls://a' }, /urls: must be a list/],
  ];
  for (const [content, reason] of refused) {
    const parsed = parseStoredCredential(JSON.stringify(content));
    t.match(parsed, { ok: false, reason });
    t.notMatch(JSON.stringify(parsed), /SUshort/);
  }
  for (const content of ['', '{', 'null', '[]']) t.notOk(parseStoredCredential(content).ok, content);
  t.end();
});

void test('the accounts of the served queues are checked once each', (t) => {
  const queues = [
    { id: '1', name: 'a', run_as_user: 'render' },
    { id: '2', name: 'b', run_as_user: 'render' },
    { id: '3', name: 'c', run_as_user: 'render', run_as_group: 'film' },
    { id: '4', name: 'd' },
  ];
  t.same(queueAccounts(queues, []), [
    { user: 'render', group: null, queues: ['a', 'b'] },
    { user: 'render', group: 'film', queues: ['c'] },
  ]);
  t.same(
    queueAccounts(queues, ['b', '3']).map((each) => each.queues),
    [['b'], ['c']],
  );
  t.same(queueAccounts(queues, ['d']), []);
  const account = { user: 'render', group: 'film', queues: ['c'] };
  t.match(accountFinding(account, null), { name: 'account render:film', status: 'ok' });
  t.match(accountFinding(account, 'no such account'), {
    status: 'failure',
    found: /no such account \(queues: c\)/,
  });
  t.end();
});

void test('the root of a storage location is that of the compute location, else the default', (t) => {
  const roots = { site: '/mnt/site', default: '/mnt/all' };
  t.same(rootAt({ roots }, 'site'), { kind: 'directory', path: '/mnt/site' });
  t.same(rootAt({ roots }, 'other'), { kind: 'directory', path: '/mnt/all' });
  t.same(rootAt({ roots }, ''), { kind: 'directory', path: '/mnt/all' });
  t.same(rootAt({ roots: { site: 's3://b/p' } }, 'site'), { kind: 'object store', url: 's3://b/p' });
  t.same(rootAt({ roots: {} }, 'toString'), { kind: 'missing' });
  t.match(storageFinding('a', { kind: 'directory', path: '/m' }, null), { status: 'ok' });
  t.match(storageFinding('a', { kind: 'directory', path: '/m' }, 'EACCES'), {
    status: 'failure',
    found: '/m: EACCES',
  });
  t.match(storageFinding('a', { kind: 'missing' }, null), { status: 'skipped' });
  t.match(storageFinding('a', { kind: 'object store', url: 's3://b' }, null), { status: 'skipped' });
  t.end();
});

void test('worker.dir must be usable, have space, and be reachable for accounts of queues', (t) => {
  const facts: DiskFacts = {
    directory: '/d',
    exists: true,
    fault: null,
    freeBytes: 2 ** 40,
    closedDirectory: null,
  };
  const found = (parts: Partial<DiskFacts>, isPassage = true) =>
    diskFindings({ ...facts, ...parts }, isPassage).map(({ name, status }) => `${name}: ${status}`);
  t.same(found({}), ['worker.dir: ok', 'disk: ok', 'session directories: ok']);
  t.same(found({ fault: 'belongs to another user' }), ['worker.dir: failure']);
  t.same(found({ freeBytes: 2 ** 20 })[1], 'disk: failure');
  t.same(found({ freeBytes: 2 ** 29 })[1], 'disk: warning');
  t.same(found({ closedDirectory: '/root' })[2], 'session directories: failure');
  t.same(found({ closedDirectory: '/root' }, false), ['worker.dir: ok', 'disk: ok']);
  t.end();
});

void test('each reason against accounts of queues has a remedy', (t) => {
  t.match(accountPart(true, 'linux', true, []), { isSupported: true, fix: '' });
  for (const part of [
    accountPart(false, 'linux', true, []),
    accountPart(true, 'darwin', true, []),
    accountPart(true, 'linux', false, []),
    accountPart(true, 'linux', true, ['setpriv']),
  ]) {
    t.match(isolationFinding(part), { name: 'isolation: accounts', status: 'warning' });
    t.not(part.fix, '');
  }
  t.end();
});
