import { test } from 'tap';
import { PreparationPool } from '../../../src/bin/server/preparation-pool.ts';
import { TEMPLATE_LIMITS } from '../../../src/core/openjd/template-limits.ts';

void test('templates beyond what may wait are turned away, and no earlier one', async (t) => {
  const pool = new PreparationPool(1, false);
  t.teardown(() => pool.stop());
  const task = { text: 'not a template', format: 'yaml', values: {}, limits: TEMPLATE_LIMITS } as const;
  const results = await Promise.all(Array.from({ length: 1_100 }, () => pool.prepare(task)));
  const isBusy = results.map((result) => 'busy' in result);
  t.notOk(isBusy.slice(0, 1_024).includes(true));
  t.strictSame(results.at(-1), { ok: false, busy: true });
});
