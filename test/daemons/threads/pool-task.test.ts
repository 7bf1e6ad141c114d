import { test } from 'tap';
import { decodeValue } from '../../../src/adapters/lmdb/value-codec.ts';
import { joinPlan } from '../../../daemons/threads/plan-parts.ts';
import { describeQueueEnvironments, prepareTemplate } from '../../../daemons/threads/pool-task.ts';
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
    inherited: {},
    environments: [],
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

const environment = (name: string, parameter: object | null = null): string =>
  JSON.stringify({
    specificationVersion: 'environment-2023-09',
    ...(parameter !== null && { parameterDefinitions: [parameter] }),
    environment: { name, variables: { A: 'b' } },
  });

void test('environments of queue and submission are part of the job, and their errors name them', (t) => {
  const task = {
    kind: 'prepare',
    jobName: '',
    text: JSON.stringify(template()),
    format: 'json',
    values: {},
    inherited: { Packages: 'maya', Gone: 'x' },
    limits: TEMPLATE_LIMITS,
    exprLimits: EXPR_LIMITS,
    extraExtensions: [],
    previews: false,
  } as const;
  const ofQueue = environment('Conda', { name: 'Packages', type: 'STRING' });
  const made = prepareTemplate({
    ...task,
    environments: [
      { origin: 'queue', text: ofQueue, format: 'json' },
      { origin: 'submission', text: environment('Sent'), format: 'yaml' },
    ],
  });
  t.match(made, {
    ok: true,
    job: {
      plan: {
        shape: {
          environments: [{ name: 'Conda' }, { name: 'Sent' }],
          parameters: { Packages: { value: 'maya' } },
        },
      },
      environments: [
        { origin: 'queue', name: 'Conda', text: ofQueue, format: 'json' },
        { origin: 'submission', name: 'Sent', format: 'yaml' },
      ],
    },
  });
  const refused = prepareTemplate({
    ...task,
    environments: [
      { origin: 'queue', text: environment('A'), format: 'json' },
      { origin: 'submission', text: environment('B'), format: 'json' },
      { origin: 'submission', text: '{"specificationVersion": "environment-2023-09"}', format: 'json' },
      { origin: 'submission', text: 'a: [', format: 'yaml' },
    ],
  });
  t.match(refused, {
    ok: false,
    errors: [
      { pointer: '', detail: 'environment 2 of the submission: "environment" is required' },
      { pointer: '', detail: /^environment 3 of the submission: / },
    ],
  });
  t.end();
});

void test('an environment of a queue is checked together with the others', (t) => {
  const check = (subject: number | null, ...texts: readonly string[]) =>
    describeQueueEnvironments({
      kind: 'environments',
      environments: texts.map((text) => ({ text, format: 'json' as const })),
      subject,
      limits: TEMPLATE_LIMITS,
      exprLimits: EXPR_LIMITS,
      extraExtensions: [],
    });
  const first = environment('First', { name: 'P', type: 'INT', minValue: 1, default: 2 });
  const second = environment('Second', { name: 'P', type: 'INT', maxValue: 5 });
  t.match(check(1, first, second), {
    ok: true,
    name: 'Second',
    parameters: [{ name: 'P', type: 'INT', min_value: 1, max_value: 5, default: 2, required: false }],
  });
  t.match(check(null, first), { ok: true, name: '', parameters: [{ name: 'P' }] });
  t.match(check(null), { ok: true, parameters: [] });
  t.same(check(1, first, environment('Second', { name: 'P', type: 'STRING' })), {
    ok: false,
    errors: [
      {
        pointer: '/parameterDefinitions/0',
        detail:
          'the parameter "P" has the type INT in queue environment "First" and STRING in this environment',
      },
    ],
  });
  t.match(check(0, '{"specificationVersion": "environment-2023-09"}', second), {
    ok: false,
    errors: [{ pointer: '', detail: '"environment" is required', line: 1 }],
  });
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
  t.notOk('environments' in decodeValue('template', Buffer.from(rows.template)), 'none were sent');
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
