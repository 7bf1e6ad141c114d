import { test } from 'tap';
import { PreparationPool } from '../../../daemons/server/preparation-pool.ts';
import type { PreparationTask } from '../../../daemons/threads/pool-task.ts';
import { EXPR_LIMITS } from '../../../src/openjd/expr/expr-limits.ts';
import { TEMPLATE_LIMITS } from '../../../src/openjd/template/template-limits.ts';
import { slowTemplate } from '../../kit/slow-template.ts';
import { until } from '../../kit/until.ts';

const PATIENT_MS = 60_000;

/** Much shorter than the evaluation of `ENDLESS`, and much longer than that of `PLAIN` in a thread that has just started. */
const SHORT_MS = 50;

const taskOf = (text: string): PreparationTask => ({
  kind: 'prepare',
  jobName: '',
  text,
  format: 'yaml',
  values: {},
  inherited: {},
  environments: [],
  limits: TEMPLATE_LIMITS,
  exprLimits: EXPR_LIMITS,
  extraExtensions: [],
  previews: false,
});
const PLAIN = taskOf('not a template');

/** A template that takes longer than `SHORT_MS`. */
const ENDLESS = taskOf(slowTemplate());

void test('a full queue of one client rejects its new templates, not those of others', async (t) => {
  const pool = new PreparationPool({ threads: 1, deadlineMs: PATIENT_MS, isAnswering: false });
  t.teardown(() => pool.stop());
  const results = Array.from({ length: 258 }, () => pool.prepare('a', PLAIN));
  const other = await pool.prepare('b', PLAIN);
  t.ok('errors' in other, 'another client gets a result');
  const isBusy = (await Promise.all(results)).map((result) => 'busy' in result);
  t.notOk(isBusy.slice(0, 257).includes(true), 'one runs and 256 wait');
  t.strictSame(await results.at(-1), { ok: false, busy: 'client' });
});

void test('a template that exceeds its deadline gets no result, and later ones do', async (t) => {
  const pool = new PreparationPool({ threads: 1, deadlineMs: SHORT_MS, isAnswering: false });
  t.teardown(() => pool.stop());
  t.strictSame(await pool.prepare('a', ENDLESS), { ok: false, deadline: true });
  const verdict = await until('a replacement thread is ready', async () => {
    const result = await pool.prepare('a', PLAIN);
    return 'errors' in result ? result : null;
  });
  t.same(
    verdict.errors.map(({ pointer }) => pointer),
    [''],
  );
});

void test('the deadline does not include the wait for a thread', async (t) => {
  const pool = new PreparationPool({ threads: 1, deadlineMs: PATIENT_MS, isAnswering: false });
  t.teardown(() => pool.stop());
  const slow = taskOf(slowTemplate(30));
  const timed = async (): Promise<number> => {
    const startedAt = performance.now();
    t.ok((await pool.prepare('a', slow)).ok);
    return performance.now() - startedAt;
  };
  // The first evaluation of a thread takes much longer than the next ones.
  const deadlineMs = Math.ceil(2 * (await timed()));
  const count = Math.min(250, Math.ceil((2 * deadlineMs) / (await timed())));

  const short = new PreparationPool({ threads: 1, deadlineMs, isAnswering: false });
  t.teardown(() => short.stop());
  const results = await Promise.all(Array.from({ length: count }, () => short.prepare('a', slow)));
  t.notOk(
    results.some((result) => 'deadline' in result),
    'together they take about twice the deadline of each',
  );
});

void test('a template that waits too long is not looked at', async (t) => {
  const pool = new PreparationPool({ threads: 1, deadlineMs: PATIENT_MS, waitMs: 1, isAnswering: false });
  t.teardown(() => pool.stop());
  const first = pool.prepare('a', taskOf(slowTemplate(100)));
  t.strictSame(await pool.prepare('b', PLAIN), { ok: false, busy: 'service' });
  t.ok((await first).ok);
});
