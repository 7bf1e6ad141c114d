import { test } from 'tap';
import { done } from '../../../src/core/problems.ts';
import { put } from '../../../src/core/records/change-set.ts';
import { keys } from '../../../src/core/records/tables.ts';
import type { UsagePoolRecord } from '../../../src/core/records/usage-pool.ts';
import { startApi } from '../kit/api-fixture.ts';
import { T0, uuid } from '../kit/records.ts';

const POOL = uuid('a', 1);
const RULE = {
  name: 'license',
  match: { exit_codes: [70], log: '(?i)no license' },
  action: 'requeue',
  max_times: 100,
  backoff_seconds: 60,
} as const;
const STORED = {
  name: 'license',
  exitCodes: [70],
  log: '(?i)no license',
  outOfMemory: false,
  action: 'requeue',
  maxTimes: 100,
  backoffSeconds: 60,
  pool: '',
  raise: null,
} as const;

const pool = (changes: Partial<UsagePoolRecord> = {}): UsagePoolRecord => ({
  version: 1,
  id: POOL,
  name: 'nuke',
  maxConcurrent: 4,
  serverHint: '',
  slot: 1,
  createdAt: T0,
  updatedAt: T0,
  ...changes,
});

void test('rules of a pool are checked, sent to the catalog and shown with their version', async (t) => {
  const { api, client } = await startApi(t);
  api.answer = () => done(pool({ retryRules: [STORED] }));
  const body = { name: 'nuke', max_concurrent: 4 };
  const made = await client.json('POST', '/api/v1/usage-pools', { ...body, retry_rules: [RULE] });
  t.match(made, { status: 201, body: { retry_rules: [RULE], retry_rules_version: /^[0-9a-f]{8}$/ } });
  t.match(api.asked.at(-1), { message: { input: { retryRules: [STORED] } } });
  api.write(put('usagePool', keys.usagePool(POOL), pool()));
  const replace = async (retry_rules?: unknown): Promise<unknown> => {
    const sent = retry_rules === undefined ? body : { ...body, retry_rules };
    await client.json('PUT', `/api/v1/usage-pools/${POOL}`, sent);
    const asked = api.asked.at(-1) as { message: { input: object } } | undefined;
    return asked?.message.input;
  };
  t.notOk('retryRules' in ((await replace()) as object), 'absent keeps the stored rules');
  t.match(await replace(null), { retryRules: [] });
  t.match(await replace([]), { retryRules: [] });
  const wrong = await client.json('POST', '/api/v1/usage-pools', {
    ...body,
    retry_rules: [{ ...RULE, match: { log: '(' } }],
  });
  t.match(wrong, {
    status: 400,
    body: { detail: /\/retry_rules\/0\/match\/log: is not a pattern in the syntax of RE2/ },
  });
});

void test('a pool that is held back shows until when and why', async (t) => {
  const { api, client } = await startApi(t);
  const hold = { since: T0, until: T0 + 60_000, times: 2, reason: 'no license', policy: '0123abcd' };
  api.now = T0 + 59_999;
  api.write(put('usagePool', keys.usagePool(POOL), pool({ hold })));
  t.match(await client.get(`/api/v1/usage-pools/${POOL}`), {
    status: 200,
    body: {
      hold: { times: 2, reason: 'no license', version: '0123abcd', until: '2026-11-20T10:01:00.000Z' },
    },
  });
  api.now = T0 + 60_000;
  api.write(put('usagePool', keys.usagePool(POOL), pool({ hold, updatedAt: T0 + 1 })));
  t.notOk('hold' in ((await client.get(`/api/v1/usage-pools/${POOL}`)).body as object), 'not after its end');
});
