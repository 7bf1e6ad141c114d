import tap, { test } from 'tap';
import { startAccessStage } from '../attack/access/access-stage.ts';
import { runAttack } from '../attack/access/attack-table.ts';
import { authorization } from '../attack/access/authorization.ts';
import { foreignObjects } from '../attack/access/foreign-objects.ts';
import { massAssignment } from '../attack/access/mass-assignment.ts';

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
});
