import { Ajv2020 } from 'ajv/dist/2020.js';
import { test } from 'tap';
import { EXPRESSIONS } from '../../../src/adapters/regex/default-expressions.ts';
import { checkEnvironmentTemplate } from '../../../src/openjd/template/check-environment.ts';
import { templateSchema } from '../../../src/openjd/template/schema/template-schema.ts';
import { documentOf, findings, STEP, template, withStep } from './template-text.ts';

const accepts = new Ajv2020({ strict: false }).compile(templateSchema());

const BUNDLE = { extensions: ['FEATURE_BUNDLE_1'] };
const WRAP = { extensions: ['WRAP_ACTIONS', 'EXPR'] };

type Case = readonly [what: string, valid: object, ...invalid: readonly object[]];

const bare = (parts: object, others: object = BUNDLE): object =>
  template({ ...others, steps: [{ name: 'S', ...parts }] });
const action = (parts: object, others: object = BUNDLE): object =>
  withStep({ script: { actions: { onRun: { command: 'x', ...parts } } } }, others);
const amount = (parts: object, others: object = BUNDLE): object =>
  withStep({ hostRequirements: { amounts: [{ name: 'amount.worker.memory', ...parts }] } }, others);
const file = (parts: object, others: object = BUNDLE): object =>
  withStep(
    { script: { ...STEP.script, embeddedFiles: [{ name: 'F', type: 'TEXT', data: 'x', ...parts }] } },
    others,
  );
const environment = (actions: object, others: object = WRAP): object =>
  template({ ...others, jobEnvironments: [{ name: 'E', script: { actions } }] });

const hooks = {
  onWrapEnvEnter: { command: 'x' },
  onWrapTaskRun: { command: 'x' },
  onWrapEnvExit: { command: 'x' },
};
const format = '{{Param.T}}';
const name = (length: number): string => 'n'.repeat(length);
const parameters = (count: number): object[] =>
  Array.from({ length: count }, (_, index) => ({ name: `P${index}`, type: 'INT' }));
const withT = { ...BUNDLE, parameterDefinitions: [{ name: 'T', type: 'STRING' }] };
const T_ONLY = { parameterDefinitions: withT.parameterDefinitions };

/** A valid template of an extension, and invalid ones, among them the same without the extension. */
const CASES: readonly Case[] = [
  [
    'simple actions',
    bare({ bash: { script: 'x', args: ['a'], timeout: 5, cancelation: { mode: 'TERMINATE' } } }),
    bare({ bash: { script: 'x' } }, {}),
    bare({ bash: { script: 'x', command: 'y' } }),
    bare({ bash: { script: '' } }),
    bare({ bash: { script: 'x', let: ['a = 1'] } }),
  ],
  [
    'one script of a step',
    bare({ python: { script: 'x' }, script: null, cmd: null }),
    bare({}),
    bare({}, {}),
    bare({ script: null }, {}),
    bare({ script: STEP.script, python: { script: 'x' } }),
    bare({ node: { script: 'x' }, powershell: { script: 'x' } }),
  ],
  ['a format string as timeout', action({ timeout: format }, withT), action({ timeout: format }, T_ONLY)],
  ['a number as timeout', action({ timeout: '7' }), action({ timeout: 'soon' }), action({ timeout: 0 })],
  [
    'format strings in a cancelation',
    action({ cancelation: { mode: format, notifyPeriodInSeconds: format } }, withT),
    action({ cancelation: { mode: format } }, T_ONLY),
    action({ cancelation: { mode: 'STOP' } }, withT),
    action({ cancelation: { mode: 'TERMINATE', notifyPeriodInSeconds: format } }, withT),
    action({ cancelation: { mode: 'NOTIFY_THEN_TERMINATE', notifyPeriodInSeconds: format } }, T_ONLY),
  ],
  [
    'format strings as amounts',
    amount({ min: format, max: format }, withT),
    amount({ min: format }, T_ONLY),
    amount({ max: format }, T_ONLY),
    amount({ min: -1 }, withT),
  ],
  ['line ends', file({ endOfLine: 'CRLF' }), file({ endOfLine: 'CRLF' }, {}), file({ endOfLine: 'CR' })],
  [
    'longer filenames',
    file({ filename: name(256) }),
    file({ filename: name(65) }, {}),
    file({ filename: name(257) }),
  ],
  ['longer identifiers', file({ name: name(512) }), file({ name: name(65) }, {}), file({ name: name(513) })],
  [
    'longer names of jobs',
    template({ ...BUNDLE, name: name(512) }),
    template({ name: name(129) }),
    template({ ...BUNDLE, name: name(513) }),
  ],
  [
    'longer names of steps',
    withStep({ name: name(512) }, BUNDLE),
    withStep({ name: name(65) }),
    withStep({ name: name(513) }, BUNDLE),
  ],
  [
    'more parameters',
    template({ ...BUNDLE, parameterDefinitions: parameters(200) }),
    template({ parameterDefinitions: parameters(51) }),
    template({ ...BUNDLE, parameterDefinitions: parameters(201) }),
  ],
  [
    'hooks',
    environment({ ...hooks, onExit: { command: 'x' } }),
    environment({ ...hooks, onExit: { command: 'x' } }, { extensions: ['EXPR'] }),
    environment({ ...hooks, onWrapTaskRun: null }),
    environment(hooks, { extensions: ['WRAP_ACTIONS'] }),
  ],
  [
    'an action of an environment',
    environment({ onExit: { command: 'x' } }, {}),
    environment({}, {}),
    environment({ onEnter: null, onExit: null }),
  ],
];

void test('the schema knows the extensions that an operator admits, like the checker', (t) => {
  for (const [what, valid, ...invalid] of CASES) {
    t.same(findings(valid), [], `the checker accepts ${what}`);
    t.ok(accepts(valid), `the schema accepts ${what}: ${JSON.stringify(accepts.errors)}`);
    for (const each of invalid) {
      t.not(findings(each).length, 0, `the checker rejects ${JSON.stringify(each).slice(0, 200)}`);
      t.notOk(accepts(each), `the schema rejects ${JSON.stringify(each).slice(0, 200)}`);
    }
  }
  t.end();
});

void test('the schema knows environment templates', (t) => {
  const base = {
    specificationVersion: 'environment-2023-09',
    environment: { name: 'E', variables: { A: 'b' } },
  };
  const ofActions = (actions: object, others: object = {}): object => ({
    ...base,
    ...others,
    environment: { name: 'E', script: { actions } },
  });
  const isValid = (source: object): boolean =>
    checkEnvironmentTemplate(documentOf(source), { expressions: EXPRESSIONS }).ok;
  const valid = [
    base,
    { ...base, $schema: 'x', extensions: ['EXPR'], parameterDefinitions: [{ name: 'P', type: 'BOOL' }] },
    { ...base, ...BUNDLE, parameterDefinitions: parameters(200) },
    ofActions(hooks, WRAP),
  ];
  const invalid = [
    { ...base, steps: [STEP] },
    { ...base, name: 'Job' },
    { ...base, environment: undefined },
    { ...base, environment: { name: 'E' } },
    { ...base, parameterDefinitions: parameters(51) },
    { ...base, parameterDefinitions: [{ name: 'P', type: 'BOOL' }] },
    ofActions(hooks),
    ofActions({ onEnter: { command: 'x', timeout: '{{Param.T}}' } }, T_ONLY),
    { ...template(), environment: base.environment },
    { ...template(), specificationVersion: 'environment-2023-09' },
  ];
  for (const each of valid) {
    t.ok(isValid(each), 'the checker accepts it');
    t.ok(accepts(each), `the schema accepts it: ${JSON.stringify(accepts.errors)}`);
  }
  for (const each of invalid) {
    const plain: unknown = JSON.parse(JSON.stringify(each));
    t.notOk(isValid(each), `the checker rejects ${JSON.stringify(each).slice(0, 200)}`);
    t.notOk(accepts(plain), `the schema rejects ${JSON.stringify(each).slice(0, 200)}`);
  }
  t.end();
});
