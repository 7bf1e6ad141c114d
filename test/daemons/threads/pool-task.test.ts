import { test } from 'tap';
import { decodeValue } from '../../../src/adapters/lmdb/value-codec.ts';
import { joinPlan } from '../../../daemons/threads/plan-parts.ts';
import { prepareTemplate } from '../../../daemons/threads/pool-task.ts';
import { EXPR_LIMITS } from '../../../src/openjd/expr/expr-limits.ts';
import { REGISTERED_EXTENSIONS, type ExtraExtension } from '../../../src/openjd/template/extensions.ts';
import { TEMPLATE_LIMITS } from '../../../src/openjd/template/template-limits.ts';
import { STEP, template, withStep } from '../../openjd/template/template-text.ts';

const prepare = (text: string, previews = false, extraExtensions: readonly ExtraExtension[] = []) =>
  prepareTemplate({
    kind: 'prepare',
    jobName: '',
    text,
    format: 'json',
    values: {},
    limits: TEMPLATE_LIMITS,
    exprLimits: EXPR_LIMITS,
    extraExtensions,
    previews,
  });

/** Returns the problems of a template as `pointer: detail`. */
function refusals(source: object, extraExtensions: readonly ExtraExtension[] = []): string[] {
  const result = prepare(JSON.stringify(source), false, extraExtensions);
  return result.ok ? [] : result.errors.map(({ pointer, detail }) => `${pointer}: ${detail}`);
}

void test('a submission may use only the supported extensions', (t) => {
  t.same(refusals(template({ extensions: REGISTERED_EXTENSIONS })), []);
  t.same(refusals(template({ extensions: ['EXPR', 'FEATURE_BUNDLE_1'] })), [
    '/extensions/1: the extension FEATURE_BUNDLE_1 is not accepted here; the operator of a service admits it with openjd.extra_extensions',
  ]);
  const simple = template({
    extensions: ['FEATURE_BUNDLE_1'],
    steps: [{ name: 'S', bash: { script: 'x' } }],
  });
  t.same(refusals(simple, ['FEATURE_BUNDLE_1']), [], 'the operator admits it');
  t.equal(refusals(simple, ['WRAP_ACTIONS']).length, 1);
  const pool = { amounts: [{ name: 'amount.worker.usagepool.nuke', min: 1 }] };
  t.same(refusals(withStep({ hostRequirements: pool })), []);
  t.end();
});

void test('a step with a script that exceeds the bus limit is rejected', (t) => {
  const command = 'x'.repeat(2_000_000);
  const steps = [STEP, { name: 'Large', script: { actions: { onRun: { command } } } }];
  const [only, ...others] = refusals(template({ steps }));
  t.match(
    only,
    /^\/steps\/1: the step's script, bindings and environments take \d+ bytes, more than the \d+/,
  );
  t.same(others, []);
  t.end();
});

void test('rows are encoded by the pool for a large job, and not for a small job or a dry run', (t) => {
  const data = 'ä'.repeat(270_000);
  const embeddedFiles = [{ name: 'Data', type: 'TEXT', data }];
  const large = JSON.stringify(withStep({ script: { actions: { onRun: { command: 'x' } }, embeddedFiles } }));
  const prepared = prepare(large);
  if (!prepared.ok || prepared.job.rows === null) throw new Error(JSON.stringify(prepared));
  const { rows, plan: parts } = prepared.job;
  const plan = decodeValue('plan', Buffer.from(rows.plan));
  t.equal(plan.steps[0]?.script.embeddedFiles[0]?.data, data);
  t.strictSame(JSON.parse(JSON.stringify(joinPlan(parts))), plan);
  t.ok(JSON.stringify(parts.shape).length < 1000, 'the shape of a step excludes its script');
  t.strictSame(decodeValue('template', Buffer.from(rows.template)), {
    version: 1,
    format: 'json',
    text: large,
  });
  t.same(
    [rows.plan.byteOffset, rows.template.byteOffset],
    [0, 0],
    'separate buffers that can be transferred',
  );
  for (const other of [prepare(JSON.stringify(withStep({}))), prepare(large, true)]) {
    t.ok(other.ok && other.job.rows === null);
  }
  t.end();
});
