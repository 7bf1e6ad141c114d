import fc from 'fast-check';
import { test } from 'tap';
import { modeOfValue, secondsOfValue } from '../../../src/openjd/template/action-fields.ts';
import { serviceFeatures } from '../../../src/openjd/template/extensions.ts';
import type { StepPlan } from '../../../src/openjd/template/plan.ts';
import { findings, prepared, refusals, STEP, template, withStep } from './template-text.ts';

const BUNDLE = { extensions: ['FEATURE_BUNDLE_1'] };
const BOTH = { extensions: ['FEATURE_BUNDLE_1', 'EXPR'] };
const ONRUN = '/steps/0/script/actions/onRun';

const parameters = [
  { name: 'T', type: 'INT', default: 5 },
  { name: 'S', type: 'STRING', default: 'x' },
  { name: 'M', type: 'FLOAT', default: 2.5 },
  { name: 'P', type: 'PATH', default: 'p' },
];
const given = (extensions: object): object => ({ ...extensions, parameterDefinitions: parameters });

/** A template whose step has these keys instead of a script. */
const simple = (step: object, others: object = BUNDLE): object =>
  template({ ...given(others), steps: [{ name: 'S', ...step }] });

const action = (parts: object, others: object = BUNDLE): object =>
  withStep({ script: { actions: { onRun: { command: 'x', ...parts } } } }, given(others));

const amounts = (parts: object, others: object = BUNDLE): object =>
  withStep({ hostRequirements: { amounts: [{ name: 'amount.worker.memory', ...parts }] } }, given(others));

function stepOf(source: object, values: Readonly<Record<string, string>> = {}): StepPlan {
  const [step] = prepared(source, values).plan.steps;
  if (step === undefined) throw new Error('no step');
  return step;
}

void test('a simple action is a script with a generated file', (t) => {
  const rest = { args: ['-v', '{{Param.T}}'], timeout: 7, cancelation: { mode: 'TERMINATE' } };
  const script = 'echo {{Param.S}}\n';
  const cases: readonly (readonly [key: string, filename: string, args: readonly string[]])[] = [
    ['bash', 'script.sh', []],
    ['cmd', 'script.bat', ['/C']],
    ['node', 'script.js', []],
    ['powershell', 'script.ps1', ['-File']],
    ['python', 'script.py', []],
  ];
  for (const [key, filename, before] of cases) {
    const step = stepOf(simple({ [key]: { script, ...rest } }));
    t.same(
      step.script,
      {
        onRun: {
          command: key,
          args: [...before, '{{Task.File.script}}', '-v', '{{Param.T}}'],
          timeoutSeconds: 7,
          cancelation: { mode: 'TERMINATE' },
        },
        embeddedFiles: [{ name: 'script', filename, runnable: false, data: script }],
      },
      key,
    );
    t.same(step.requirements.attributes, [], 'every worker runs it');
  }
  t.same(stepOf(simple({ bash: { script: 'x', let: ['a = 1'] } }, BOTH)).script.lets, [
    { name: 'a', expression: '1' },
  ]);
  t.end();
});

void test('errors of simple actions have their positions', (t) => {
  const names = 'bash, cmd, node, powershell, python';
  t.same(findings(simple({})), [`/steps/0: must have "script" or one of ${names}`]);
  t.same(findings(simple({}, {})), ['/steps/0: "script" is required']);
  t.same(findings(simple({ bash: { script: 'x' } }, {})), [
    '/steps/0: "script" is required',
    '/steps/0/bash: "bash" requires the extension FEATURE_BUNDLE_1',
  ]);
  t.same(findings(simple({ ...STEP, python: { script: 'x' } })), [
    '/steps/0/python: a step has one script, and this one has "script" as well',
  ]);
  t.same(findings(simple({ bash: { script: 'x' }, node: { script: 'y' } })), [
    '/steps/0/node: a step has one script, and this one has "bash" as well',
  ]);
  t.same(findings(simple({ bash: { script: '', command: 'x' } })), [
    '/steps/0/bash/script: must not be empty',
    '/steps/0/bash/command: unknown key "command"; known keys are script, args, timeout, cancelation',
  ]);
  t.same(findings(simple({ bash: { script: 'x', let: ['a = 1'] } })), [
    '/steps/0/bash/let: "let" requires the extension EXPR',
  ]);
  t.match(findings(simple({ bash: { script: '{{Task.File.script}}' } })), [
    /^\/steps\/0\/bash\/script: unknown value "Task\.File\.script"/,
  ]);
  t.match(findings(simple({ bash: { script: 'x', args: ['{{Task.File.script}}'] } }, BOTH)), [
    /^\/steps\/0\/bash\/args\/0: Undefined variable: 'Task\.File\.script'/,
  ]);
  t.end();
});

void test('timeouts and notify periods are format strings that are resolved and checked at job creation', (t) => {
  const onRun = action({
    timeout: '{{Param.T}}0',
    cancelation: { mode: 'NOTIFY_THEN_TERMINATE', notifyPeriodInSeconds: ' {{Param.T}} ' },
  });
  const resolved = {
    timeoutSeconds: 50,
    cancelation: { mode: 'NOTIFY_THEN_TERMINATE', notifyPeriodSeconds: 5 },
  };
  t.match(stepOf(onRun).script.onRun, resolved);
  t.same(findings(action({ timeout: '{{Param.T}}' }, {})), [
    `${ONRUN}/timeout: must not be a format string without the extension FEATURE_BUNDLE_1`,
  ]);
  const timeout = action({ timeout: '{{Param.S}}' });
  const wrong = [
    ['0', 'resolves to "0", and must be at least 1'],
    ['-3', 'resolves to "-3", and must be at least 1'],
    ['1.5', 'resolves to "1.5", and must be an integer'],
    ['soon', 'resolves to "soon", and must be an integer'],
    ['99999999999999999999', 'resolves to "99999999999999999999", and must be at most 9007199254740991'],
  ] as const;
  for (const [S, detail] of wrong) t.same(refusals(timeout, { S }), [`${ONRUN}/timeout: ${detail}`]);
  t.equal(stepOf(timeout, { S: '60' }).script.onRun.timeoutSeconds, 60);
  const notify = { mode: 'NOTIFY_THEN_TERMINATE', notifyPeriodInSeconds: '{{Param.T}}' };
  t.same(refusals(action({ cancelation: notify }), { T: '601' }), [
    `${ONRUN}/cancelation/notifyPeriodInSeconds: resolves to "601", and must be at most 600`,
  ]);
  t.match(findings(action({ timeout: '{{Session.WorkingDirectory}}' })), [
    /timeout: .*known on the worker only/,
  ]);
  t.match(findings(action({ timeout: '{{Param.P}}' })), [/timeout: .*a PATH is mapped on the worker/]);
  t.match(findings(action({ timeout: '{{Task.Param.F}}' })), [/timeout: unknown value "Task\.Param\.F"/]);
  t.end();
});

void test('with EXPR a null timeout or mode counts as absent', (t) => {
  const timeout = action({ timeout: '{{ null if Param.T == 5 else Param.T }}' }, BOTH);
  t.equal(stepOf(timeout).script.onRun.timeoutSeconds, undefined);
  t.equal(stepOf(timeout, { T: '6' }).script.onRun.timeoutSeconds, 6);
  const mode = '{{ Param.S if Param.S != "x" else null }}';
  const cancelation = action({ cancelation: { mode, notifyPeriodInSeconds: 9 } }, BOTH);
  t.equal(stepOf(cancelation).script.onRun.cancelation, undefined);
  const S = 'NOTIFY_THEN_TERMINATE';
  t.same(stepOf(cancelation, { S }).script.onRun.cancelation, { mode: S, notifyPeriodSeconds: 9 });
  t.same(refusals(cancelation, { S: 'TERMINATE' }), [
    `${ONRUN}/cancelation/notifyPeriodInSeconds: is for NOTIFY_THEN_TERMINATE only, and the mode resolves to TERMINATE`,
  ]);
  t.same(refusals(cancelation, { S: 'STOP' }), [
    `${ONRUN}/cancelation/mode: resolves to "STOP", and must be TERMINATE or NOTIFY_THEN_TERMINATE`,
  ]);
  t.same(stepOf(action({ timeout: '{{ len(Job.Name + Step.Name) }}' }, BOTH)).script.onRun.timeoutSeconds, 4);
  t.match(findings(action({ timeout: '{{ 0 }}' }, BOTH)), [
    /timeout: resolves to "0", and must be at least 1/,
  ]);
  t.match(findings(action({ timeout: '{{ [1] }}' }, BOTH)), [/timeout: /]);
  t.end();
});

void test('environments have format strings in the same fields', (t) => {
  const environment = {
    name: 'E',
    script: { actions: { onEnter: { command: 'x', timeout: '{{Param.T}}' }, onExit: { command: 'y' } } },
  };
  const source = template({ ...given(BUNDLE), jobEnvironments: [environment] });
  t.match(prepared(source, { T: '3' }).plan.environments, [{ onEnter: { timeoutSeconds: 3 } }]);
  t.same(refusals(source, { T: '0' }), [
    '/jobEnvironments/0/script/actions/onEnter/timeout: resolves to "0", and must be at least 1',
  ]);
  t.same(refusals(withStep({ stepEnvironments: [environment] }, given(BUNDLE)), { T: '-1' }), [
    '/steps/0/stepEnvironments/0/script/actions/onEnter/timeout: resolves to "-1", and must be at least 1',
  ]);
  t.end();
});

void test('amounts are format strings that are checked when they are resolved', (t) => {
  const MIN = '/steps/0/hostRequirements/amounts/0/min';
  const source = amounts({ min: '{{Param.M}}', max: '{{Param.T}}' });
  t.same(stepOf(source).requirements.amounts, [{ name: 'amount.worker.memory', min: 2.5, max: 5 }]);
  t.same(refusals(source, { M: '7' }), [`${MIN}: min 7 is greater than max 5, when resolved`]);
  t.same(refusals(source, { M: '-1' }), [`${MIN}: resolves to "-1", and must be at least 0`]);
  t.match(refusals(source, { T: '0' }), [/\/max: resolves to "0", and must be greater than 0$/]);
  t.match(refusals(amounts({ min: '{{Param.S}}' }), { S: 'inf' }), [
    /\/min: resolves to "inf", and must be a finite decimal number$/,
  ]);
  t.same(findings(amounts({ min: '{{Param.M}}' }, {})), [
    `${MIN}: must not be a format string without the extension FEATURE_BUNDLE_1`,
  ]);
  t.same(stepOf(amounts({ min: '{{ null }}', max: 3 }, BOTH)).requirements.amounts, [
    { name: 'amount.worker.memory', max: 3 },
  ]);
  t.same(refusals(amounts({ min: '{{ null }}' }, BOTH)), [
    '/steps/0/hostRequirements/amounts/0: must have at least one of "min" and "max" when resolved',
  ]);
  const cores = { hostRequirements: { amounts: [{ name: 'amount.worker.vcpu', min: '{{Param.T}}' }] } };
  t.equal(stepOf(withStep(cores, given(BUNDLE))).requirements.cores, 5);
  t.end();
});

void test('the line ends of a file need a worker that writes them', (t) => {
  const file = (endOfLine: string): object =>
    withStep(
      {
        script: {
          actions: { onRun: { command: 'x' } },
          embeddedFiles: [{ name: 'F', type: 'TEXT', data: 'a\n', endOfLine }],
        },
      },
      BUNDLE,
    );
  const needed = [{ name: 'svc:attr.worker.extension.feature_bundle_1', anyOf: ['true'] }];
  for (const endOfLine of ['LF', 'CRLF']) {
    const step = stepOf(file(endOfLine));
    t.match(step.script.embeddedFiles, [{ endOfLine }]);
    t.same(step.requirements.attributes, needed);
  }
  const auto = stepOf(file('AUTO'));
  t.same(auto.script.embeddedFiles, [{ name: 'F', runnable: false, data: 'a\n' }]);
  t.same(auto.requirements.attributes, []);
  t.same(findings(file('CR')), [
    '/steps/0/script/embeddedFiles/0/endOfLine: must be one of AUTO, LF, CRLF, not "CR"',
  ]);
  t.end();
});

void test('names and lists are longer', (t) => {
  const long = (length: number): string => 'n'.repeat(length);
  const source = (length: number, filename: number, count: number, extensions: object): object =>
    template({
      ...extensions,
      name: long(length),
      parameterDefinitions: Array.from({ length: count }, (_, index) => ({
        name: index === 0 ? long(length) : `P${index}`,
        type: 'INT',
        default: 1,
      })),
      jobEnvironments: [{ name: `E${long(length - 1)}`, variables: { A: 'b' } }],
      steps: [
        {
          name: long(length),
          script: {
            actions: { onRun: { command: 'x' } },
            embeddedFiles: [{ name: long(length), type: 'TEXT', filename: long(filename), data: 'x' }],
          },
        },
      ],
    });
  t.same(findings(source(512, 256, 200, BUNDLE)), []);
  t.equal(findings(source(513, 257, 201, BUNDLE)).length, 7);
  t.equal(findings(source(512, 256, 200, {})).length, 7);
  t.same(findings(source(64, 64, 50, {})), []);
  t.end();
});

void test('names of job and step have values in requirements and spaces, but not in a service', (t) => {
  const source = withStep(
    {
      hostRequirements: { attributes: [{ name: 'attr.custom', anyOf: ['{{ Step.Name }}'] }] },
      parameterSpace: {
        taskParameterDefinitions: [{ name: 'T', type: 'STRING', range: ['{{ Job.Name }}'] }],
      },
    },
    { extensions: ['EXPR'] },
  );
  const job = prepared(source);
  t.match(job.plan.steps, [{ requirements: { attributes: [{ anyOf: ['S'] }] } }]);
  t.same(job.farmNotes, ['a farm rejects Job.Name and Step.Name in hostRequirements and parameterSpace']);
  t.match(refusals(source, {}, undefined, serviceFeatures([])), [
    /^\/steps\/0\/hostRequirements\/.*Undefined variable: 'Step.Name'/,
    /^\/steps\/0\/parameterSpace\/.*Undefined variable: 'Job.Name'/,
  ]);
  t.same(prepared(withStep({}, { extensions: ['EXPR'] })).farmNotes, []);
  t.end();
});

void test('an operator admits extensions', (t) => {
  const source = simple({ bash: { script: 'x' } });
  t.same(findings(source, serviceFeatures([])), [
    '/extensions/0: the extension FEATURE_BUNDLE_1 is not accepted here; the operator of a service admits it with openjd.extra_extensions',
  ]);
  t.same(findings(source, serviceFeatures(['FEATURE_BUNDLE_1'])), []);
  t.same(prepared(source).farmNotes, [
    'a farm rejects the extension FEATURE_BUNDLE_1 unless its operator lists it in openjd.extra_extensions',
  ]);
  t.end();
});

void test('only whole seconds in their range are resolved', (t) => {
  fc.assert(
    fc.property(
      fc.bigInt({ min: -(2n ** 70n), max: 2n ** 70n }),
      fc.integer({ min: 1, max: 600 }),
      (value, max) => {
        const read = secondsOfValue(`  ${value} `, max);
        return (
          read.ok === (value >= 1n && value <= BigInt(max)) && (!read.ok || read.value === Number(value))
        );
      },
    ),
  );
  fc.assert(
    fc.property(fc.string(), (text) => {
      const seconds = secondsOfValue(text, 600);
      const isInteger = /^\s*\+?0*[1-9][0-9]*\s*$/.test(text);
      return (!seconds.ok || isInteger) && modeOfValue(text).ok === /^(?:NOTIFY_THEN_)?TERMINATE$/.test(text);
    }),
  );
  t.end();
});
