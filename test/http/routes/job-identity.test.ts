import { test } from 'tap';
import type { ServiceEnvelope } from '../../../actors/service/service-messages.ts';
import type { AuthSettings } from '../../../http/ports.ts';
import { done } from '../../../src/core/problems.ts';
import { put } from '../../../src/core/records/change-set.ts';
import { keys } from '../../../src/core/records/tables.ts';
import type { Answer } from '../kit/contract-check.ts';
import type { ApiFixture } from '../kit/api-fixture.ts';
import { accountChanges, startSignedIn, type PersonName, type SignedInApi } from '../kit/signed-in.ts';
import { FARM, farmRecord, jobChanges, jobNumber, jobRecord, QUEUE, queueRecord } from '../kit/records.ts';

const TEMPLATE = { specificationVersion: 'jobtemplate-2023-09', name: 'fractal' };

type Setting = Partial<AuthSettings>;

async function stage(t: Parameters<typeof startSignedIn>[0], setting: Setting = {}): Promise<SignedInApi> {
  const started = await startSignedIn(t, setting);
  const { api } = started;
  api.write(put('farm', keys.farm(FARM), farmRecord()), put('queue', keys.queue(QUEUE), queueRecord()));
  api.answer = ({ message }: ServiceEnvelope) => {
    if (message.type !== 'job.submit') return done([]);
    const { owner, submitter, once } = message.submission;
    const job = jobRecord({ owner, submitter });
    if (once !== undefined) {
      const { rowKey, fingerprint, expiresAt } = once;
      const inherited = { maxAttempts: 3, retryDelaySeconds: 10, failureLimit: 0 };
      api.write(put('idempotencyKey', rowKey, { version: 1, fingerprint, expiresAt, job, inherited }));
    }
    return done(job);
  };
  return started;
}

const submit = (
  { as }: SignedInApi,
  name: PersonName,
  query: Readonly<Record<string, string>> = {},
  headers: Readonly<Record<string, string>> = {},
): Promise<Answer> => {
  const all = new URLSearchParams({ farm_id: FARM, queue_id: QUEUE, ...query });
  return as(name).json('POST', `/api/v1/jobs?${all.toString()}`, TEMPLATE, headers);
};

/** Owner and submitter of the last job that was submitted. */
const submitted = ({ asked }: ApiFixture): string => {
  const message = asked.at(-1)?.message;
  return message?.type === 'job.submit'
    ? `${message.submission.owner} ${message.submission.submitter}`
    : 'nothing';
};

void test('the owner is oneself in any spelling, or anyone for those who may submit for others', async (t) => {
  const it = await stage(t);
  const { api } = it;
  for (const query of [{}, { owner: '' }, { owner: 'ALICE' }, { submitter: 'root', owner: 'Alice' }]) {
    t.equal((await submit(it, 'alice', query)).status, 201);
    t.equal(submitted(api), 'alice alice', JSON.stringify(query));
  }
  t.equal((await submit(it, 'oscar', { owner: 'alice', submitter: 'bob' })).status, 201);
  t.equal(submitted(api), 'alice oscar');
  t.equal((await submit(it, 'root', { owner: 'BOB' })).status, 201);
  t.equal(submitted(api), 'bob root', 'as the account is spelled');
});

void test('another owner needs jobs.submit_as, and an account', async (t) => {
  const it = await stage(t);
  const { api } = it;
  const count = api.asked.length;
  for (const owner of ['bob', 'missing', ' alice', 'alice2']) {
    t.match(
      await submit(it, 'alice', { owner }),
      { status: 403, body: { detail: /jobs\.submit_as/ } },
      `${owner}, whether or not there is such an account`,
    );
  }
  t.match(await submit(it, 'alice', { owner: 'bob', dry_run: 'true' }), { status: 403 });
  t.match(await submit(it, 'oscar', { owner: 'missing' }), {
    status: 400,
    body: { detail: '/query/owner: there is no account missing' },
  });
  t.match(await submit(it, 'oscar', { owner: 'missing', dry_run: 'true' }), { status: 400 });
  t.equal(api.asked.length, count, 'no farm was asked');
  t.same(api.prepared, [], 'no template was looked at');
  const [user] = accountChanges('gone', 'user');
  if (user?.table !== 'user' || user.op !== 'put') throw new Error('no account');
  api.write(
    { ...user, value: { ...user.value, disabled: true } },
    put('username', keys.username('gone'), { version: 1, userId: user.value.id }),
  );
  t.equal((await submit(it, 'oscar', { owner: 'gone' })).status, 201, 'a disabled account is known');
});

void test('auth.validate_job_owner can be off', async (t) => {
  const it = await stage(t, { validateJobOwner: false });
  t.equal((await submit(it, 'oscar', { owner: 'missing' })).status, 201);
  t.equal(submitted(it.api), 'missing oscar');
  t.equal((await submit(it, 'alice', { owner: 'missing' })).status, 403);
});

void test('an upstream job of someone else is refused like one that does not exist', async (t) => {
  const it = await stage(t);
  it.api.write(...jobChanges({ id: jobNumber(2), owner: 'bob' }, []));
  const detailOf = async (name: PersonName, id: string): Promise<string> => {
    const { status, body } = await submit(it, name, { depends_on: id });
    return `${status} ${(body as { detail?: string }).detail?.replace(id, 'ID') ?? ''}`;
  };
  const unknown = await detailOf('alice', jobNumber(77));
  t.match(unknown, /^400 .*the farm has no job ID/);
  t.equal(await detailOf('alice', jobNumber(2)), unknown);
  t.match(await detailOf('bob', jobNumber(2)), /^201/);
  t.match(await detailOf('oscar', jobNumber(2)), /^201/);
});

void test('an Idempotency-Key belongs to one account, and its reply to those who may see the job', async (t) => {
  const it = await stage(t);
  const { api } = it;
  const once = { 'idempotency-key': 'abc' };
  t.equal((await submit(it, 'alice', {}, once)).status, 201);
  const other = await submit(it, 'bob', {}, once);
  t.match(other, { status: 201 });
  t.notOk('idempotency-replayed' in other.headers);
  t.equal(submitted(api), 'bob bob');
  t.match(await submit(it, 'alice', {}, once), { status: 201, headers: { 'idempotency-replayed': 'true' } });
  t.equal((await submit(it, 'oscar', { owner: 'bob' }, once)).status, 201);
  const [demoted] = accountChanges('oscar', 'user');
  if (demoted === undefined) throw new Error('no account');
  api.write(demoted);
  t.match(await submit(it, 'oscar', { owner: 'bob' }, once), {
    status: 403,
    body: { detail: 'the job of this Idempotency-Key belongs to another user' },
  });
});

const SETTINGS = { farm_id: FARM, name: 'day' };

void test('run_as_user and run_as_group of a queue need isolation.manage, also as null', async (t) => {
  const { api, as } = await stage(t);
  api.answer = () => done(queueRecord());
  const path = `/api/v1/queues/${QUEUE}`;
  const isolations = [
    { run_as_user: 'render' },
    { run_as_user: null },
    { run_as_group: null },
    { run_as_user: 'render', run_as_group: 'artists' },
  ];
  for (const fields of isolations) {
    const body = { ...SETTINGS, ...fields };
    const refused = { status: 403, body: { detail: /^run_as_.*isolation\.manage$/ } };
    t.match(await as('oscar').json('POST', '/api/v1/queues', body), refused, JSON.stringify(fields));
    t.match(await as('oscar').json('PUT', path, body), refused, JSON.stringify(fields));
    t.match(await as('oscar').json('PUT', '/api/v1/queues/none', body), refused);
  }
  t.same(api.asked, [], 'nothing was changed');
  t.equal(
    (await as('oscar').json('PUT', path, { ...SETTINGS, run_as_user: 7 })).status,
    400,
    'the body first',
  );
  t.equal((await as('oscar').json('POST', '/api/v1/queues', SETTINGS)).status, 201);
  t.equal((await as('oscar').json('PUT', path, SETTINGS)).status, 200, 'without them, they stay');
  t.notMatch(JSON.stringify(api.asked), /runAs/);
  for (const fields of isolations) {
    const body = { ...SETTINGS, run_as_user: 'render', ...fields };
    t.equal((await as('root').json('PUT', path, body)).status, 200);
  }
  t.match(api.asked.at(-1), { message: { input: { runAsUser: 'render', runAsGroup: 'artists' } } });
});
