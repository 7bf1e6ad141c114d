import { test } from 'tap';
import { DiagnosticLog } from '../../../src/core/diagnostics/diagnostic-log.ts';
import { nanosOf } from '../../../src/core/diagnostics/nano-time.ts';
import { note, type DiagnosticLevel } from '../../../src/core/diagnostics/record.ts';
import { startApi } from '../kit/api-fixture.ts';

const LOGS = '/api/v1/diagnostics/logs';
const SECOND = '2026-11-20T10:00:00';

interface Found {
  readonly records: readonly { readonly msg: string }[];
}

const filled = (): DiagnosticLog => {
  const log = new DiagnosticLog(2000);
  const add = (component: string, fraction: string, level: DiagnosticLevel, msg: string, attrs = {}): void =>
    log.add(component, nanosOf(`${SECOND}.${fraction}Z`) ?? 0n, note(level, msg, attrs));
  add('server', '000000001', 'DEBUG', 'a');
  add('worker:w1', '000000002', 'WARN', 'b', { task_id: 'T1', reason: 'why' });
  add('server', '000000003', 'ERROR', 'c', { task_id: 'T1' });
  add('server', '5', 'INFO', 'd');
  return log;
};

void test('returns filtered records in order of time', async (t) => {
  const { api, client } = await startApi(t);
  t.same((await client.get(LOGS)).body, { records: [] });
  const log = filled();
  for (const record of log.records({ limit: 10 })) api.diagnostics?.add(record.component, record.at, record);
  const all = await client.get(LOGS);
  t.equal(all.status, 200);
  t.strictSame(all.body, {
    records: [
      { ts: `${SECOND}.000000001Z`, component: 'server', level: 'DEBUG', msg: 'a' },
      {
        ts: `${SECOND}.000000002Z`,
        component: 'worker:w1',
        level: 'WARN',
        msg: 'b',
        attrs: { task_id: 'T1', reason: 'why' },
      },
      {
        ts: `${SECOND}.000000003Z`,
        component: 'server',
        level: 'ERROR',
        msg: 'c',
        attrs: { task_id: 'T1' },
      },
      { ts: `${SECOND}.500000000Z`, component: 'server', level: 'INFO', msg: 'd' },
    ],
  });
  const cases: [string, string][] = [
    ['component=server', 'acd'],
    ['component=worker:w1', 'b'],
    ['component=worker', ''],
    ['level=DEBUG', 'abcd'],
    ['level=INFO', 'bcd'],
    ['level=WARN', 'bc'],
    ['level=ERROR', 'c'],
    ['task_id=T1', 'bc'],
    ['task_id=T', ''],
    [`since=${SECOND}.000000002Z`, 'cd'],
    [`since=${SECOND}.5Z`, ''],
    [`since=${SECOND}.499999999Z`, 'd'],
    ['since=2026-11-20T11:00:00.000000002%2B01:00', 'cd'],
    ['limit=2', 'cd'],
    ['limit=1&level=WARN', 'c'],
    ['component=server&level=INFO&task_id=T1&limit=1000', 'c'],
    ['unknown=1', 'abcd'],
  ];
  for (const [query, expected] of cases) {
    const { records } = (await client.get(`${LOGS}?${query}`)).body as Found;
    t.equal(records.map(({ msg }) => msg).join(''), expected, query);
  }
});

void test('the newest 1,000 records are the default and the maximum', async (t) => {
  const { api, client } = await startApi(t);
  for (let each = 1; each <= 1500; each++)
    api.diagnostics?.add('server', BigInt(each), note('INFO', String(each), {}));
  const { records } = (await client.get(LOGS)).body as Found;
  t.equal(records.length, 1000);
  t.equal(records[0]?.msg, '501');
  t.equal(records.at(-1)?.msg, '1500');
  api.diagnostics = null;
  const off = await client.get(LOGS);
  t.match(off, {
    status: 503,
    body: { title: 'Service Unavailable', detail: 'diagnostics are disabled: diagnostics.buffer_size is 0' },
  });
  const wrong = [
    'level=warn',
    'level=FATAL',
    'limit=0',
    'limit=1001',
    'limit=x',
    'since=yesterday',
    'since=',
  ];
  for (const query of [...wrong, 'since=2026-02-30T00:00:00Z'])
    t.equal((await client.get(`${LOGS}?${query}`)).status, 400, query);
  t.match(await client.send('POST', LOGS), { status: 405 });
});
