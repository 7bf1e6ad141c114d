import tap, { test } from 'tap';
import { startAccessStage } from '../attack/access/access-stage.ts';
import { runAttack } from '../attack/access/attack-table.ts';
import { authorization } from '../attack/access/authorization.ts';
import { foreignObjects } from '../attack/access/foreign-objects.ts';
import { massAssignment } from '../attack/access/mass-assignment.ts';
import { until } from '../kit/until.ts';
import { WebSocketClient } from '../kit/web-socket.ts';

/** Cases of each table that run here; `npm run attack` runs all. */
const SHORT = 240;

tap.setTimeout(240_000);

void test('a service with accounts withstands attacks on permissions and on what belongs to others', async (t) => {
  const stage = await startAccessStage();
  t.teardown(() => stage.stop(t.passing()));
  for (const table of [authorization, foreignObjects, massAssignment]) {
    t.ok(
      table.casesOf(stage).length >= table.fullCount,
      `at least ${table.fullCount} cases of: ${table.name}`,
    );
    const { tried, violations } = await runAttack(table, stage, SHORT);
    t.equal(tried, SHORT);
    t.strictSame(violations, [], table.name);
  }

  await t.test('a refused subscription is in the audit log', async (t) => {
    const { alice, admin } = stage.people;
    const [foreign] = stage.jobsOf('bob');
    const subject = `jobs/${foreign?.id}/tasks`;
    const client = await WebSocketClient.open(stage.port, alice.as.headers);
    client.send({ type: 'subscribe', subject, seq: 1 });
    t.match(await client.nextWhere((each) => each.type === 'ack'), { payload: { error: /^forbidden/ } });
    client.destroy();
    const path = `/api/v1/audit?outcome=denied&method=SUBSCRIBE&path=${encodeURIComponent(subject)}`;
    await until('the refusal is recorded', async () => {
      const { body } = await admin.as.must('GET', path);
      const [entry] = body['items'] as readonly Record<string, unknown>[];
      return entry?.['actor'] === 'alice' && entry['status'] === 403 && entry['permission'] === 'jobs.read';
    });
  });
});
