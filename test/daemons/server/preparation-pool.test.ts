import { test } from 'tap';
import { PreparationPool } from '../../../daemons/server/preparation-pool.ts';
import type { PreparationTask } from '../../../daemons/threads/pool-task.ts';
import { EXPR_LIMITS } from '../../../src/openjd/expr/expr-limits.ts';
import { TEMPLATE_LIMITS } from '../../../src/openjd/template/template-limits.ts';
import { slowTemplate } from '../../kit/slow-template.ts';
import { until } from '../../kit/until.ts';

const PATIENT_MS = 60_000;

const taskOf = (text: string): PreparationTask => ({
  text,
  format: 'yaml',
  values: {},
  limits: TEMPLATE_LIMITS,
  exprLimits: EXPR_LIMITS,
  previews: false,
});
const PLAIN = taskOf('not a template');

void test('a full template queue rejects new templates, not earlier ones', async (t) => {
  const pool = new PreparationPool({ threads: 1, deadlineMs: PATIENT_MS, isAnswering: false });
  t.teardown(() => pool.stop());
  const results = await Promise.all(Array.from({ length: 1_100 }, () => pool.prepare(PLAIN)));
  const isBusy = results.map((result) => 'busy' in result);
  t.notOk(isBusy.slice(0, 1_024).includes(true));
  t.strictSame(results.at(-1), { ok: false, busy: true });
});

void test('a template that exceeds its deadline gets no result, and later ones do', async (t) => {
  const pool = new PreparationPool({ threads: 1, deadlineMs: 300, isAnswering: false });
  t.teardown(() => pool.stop());
  const slow = taskOf(slowTemplate());
  const results = await Promise.all(Array.from({ length: 60 }, () => pool.prepare(slow)));
  t.strictSame(results.at(-1), { ok: false, deadline: true });
  const verdict = await until('a replacement thread is ready', async () => {
    const result = await pool.prepare(PLAIN);
    return 'errors' in result ? result : null;
  });
  t.same(
    verdict.errors.map(({ pointer }) => pointer),
    [''],
  );
});
