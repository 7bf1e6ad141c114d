import { test } from 'tap';
import { decodeValue } from '../../../src/adapters/lmdb/value-codec.ts';
import { joinPlan } from '../../../daemons/threads/plan-parts.ts';
import { prepareTemplate } from '../../../daemons/threads/pool-task.ts';
import { EXPR_LIMITS } from '../../../src/openjd/expr/expr-limits.ts';
import { KNOWN_EXTENSIONS } from '../../../src/openjd/template/extensions.ts';
import { TEMPLATE_LIMITS } from '../../../src/openjd/template/template-limits.ts';
import { STEP, template, withStep } from '../../openjd/template/template-text.ts';

const prepare = (text: string, previews = false) =>
  prepareTemplate({
    text,
    format: 'json',
    values: {},
    limits: TEMPLATE_LIMITS,
    exprLimits: EXPR_LIMITS,
    previews,
  });

/** `pointer: detail` of what the service has against a template. */
function refusals(source: object): string[] {
  const result = prepare(JSON.stringify(source));
  return result.ok ? [] : result.errors.map(({ pointer, detail }) => `${pointer}: ${detail}`);
}

void test('a submission may ask for what this version runs, and for nothing else', (t) => {
  t.same(refusals(template({ extensions: KNOWN_EXTENSIONS })), []);
  t.same(refusals(template({ extensions: ['EXPR', 'FEATURE_BUNDLE_1'] })), [
    '/extensions/1: unknown extension "FEATURE_BUNDLE_1"',
  ]);
  const pool = { amounts: [{ name: 'amount.worker.usagepool.nuke', min: 1 }] };
  t.same(refusals(withStep({ hostRequirements: pool })), []);
  t.end();
});

void test('a step whose script does not fit the bus is refused', (t) => {
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

void test('rows of a large job are encoded with it, those of a small one and of a dry run are not', (t) => {
  const data = 'ä'.repeat(270_000);
  const embeddedFiles = [{ name: 'Data', type: 'TEXT', data }];
  const large = JSON.stringify(withStep({ script: { actions: { onRun: { command: 'x' } }, embeddedFiles } }));
  const prepared = prepare(large);
  if (!prepared.ok || prepared.job.rows === null) throw new Error(JSON.stringify(prepared));
  const { rows, plan: parts } = prepared.job;
  const plan = decodeValue('plan', Buffer.from(rows.plan));
  t.equal(plan.steps[0]?.script.embeddedFiles[0]?.data, data);
  t.strictSame(JSON.parse(JSON.stringify(joinPlan(parts))), plan);
  t.ok(JSON.stringify(parts.shape).length < 1000, 'what a step runs is not in its shape');
  t.strictSame(decodeValue('template', Buffer.from(rows.template)), {
    version: 1,
    format: 'json',
    text: large,
  });
  t.same([rows.plan.byteOffset, rows.template.byteOffset], [0, 0], 'buffers of their own, to be given away');
  for (const other of [prepare(JSON.stringify(withStep({}))), prepare(large, true)]) {
    t.ok(other.ok && other.job.rows === null);
  }
  t.end();
});
