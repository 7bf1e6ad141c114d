import { test } from 'tap';
import { findings, prepared, template, withStep } from './template-text.ts';

const WRAP = { extensions: ['WRAP_ACTIONS', 'EXPR', 'FEATURE_BUNDLE_1'] };
const ACTIONS = '/jobEnvironments/0/script/actions';

const hooks = (parts: object = {}): object => ({
  onWrapEnvEnter: { command: 'enter' },
  onWrapTaskRun: { command: 'run' },
  onWrapEnvExit: { command: 'exit' },
  ...parts,
});
const environment = (name: string, actions: object, script: object = {}): object => ({
  name,
  script: { actions, ...script },
});
const wrapping = (actions: object, script: object = {}, others: object = WRAP): object =>
  template({ ...others, jobEnvironments: [environment('W', actions, script)] });

void test('the hooks need their extension, and the extension needs EXPR', (t) => {
  t.same(findings(wrapping(hooks(), {}, { extensions: ['EXPR'] })), [
    `${ACTIONS}: must have "onEnter" or "onExit"`,
    ...['onWrapEnvEnter', 'onWrapTaskRun', 'onWrapEnvExit'].map(
      (hook) => `${ACTIONS}/${hook}: "${hook}" requires the extension WRAP_ACTIONS`,
    ),
  ]);
  t.same(findings(template({ extensions: ['WRAP_ACTIONS'] })), [
    '/extensions/0: WRAP_ACTIONS requires the extension EXPR; list EXPR as well',
  ]);
  t.same(findings(wrapping(hooks())), []);
  t.end();
});

void test('an environment has all hooks or none, and a session one environment with hooks', (t) => {
  t.same(findings(wrapping({ onEnter: { command: 'x' }, onWrapTaskRun: { command: 'y' } })), [
    `${ACTIONS}: an environment that wraps actions has all of onWrapEnvEnter, onWrapTaskRun, onWrapEnvExit; add onWrapEnvEnter, onWrapEnvExit`,
  ]);
  const inStep = (name: string): object => ({ stepEnvironments: [environment(name, hooks())] });
  const step = (name: string, parts: object): object => ({
    name,
    script: { actions: { onRun: { command: 'x' } } },
    ...parts,
  });
  const apart = template({ ...WRAP, steps: [step('A', inStep('WA')), step('B', inStep('WB'))] });
  t.same(findings(apart), [], 'each step has its own sessions');
  const both = withStep(inStep('V'), { ...WRAP, jobEnvironments: [environment('W', hooks())] });
  t.same(findings(both), [
    '/steps/0/stepEnvironments/0/script/actions: only one environment of a session can wrap actions, and "W" does so as well',
  ]);
  t.end();
});

void test('the wrapped action is known in the hooks only', (t) => {
  const all = [
    'WrappedAction.Command.upper()',
    'WrappedAction.Args',
    "[e.split('=', 1)[0] for e in WrappedAction.Environment]",
    'WrappedAction.Timeout or 5',
    "WrappedAction.Cancelation.Mode or 'TERMINATE'",
    'WrappedAction.Cancelation.NotifyPeriodInSeconds or 30',
  ].map((expression) => `{{ ${expression} }}`);
  const ofEnvironment = { command: 'x', args: [...all, '{{ WrappedEnv.Name }}'] };
  const ofTask = { command: 'x', args: [...all, '{{ WrappedStep.Name }}', '{{Env.File.F}}'] };
  const good = wrapping(
    hooks({ onWrapEnvEnter: ofEnvironment, onWrapTaskRun: ofTask, onWrapEnvExit: ofEnvironment }),
    { embeddedFiles: [{ name: 'F', type: 'TEXT', data: 'x' }] },
  );
  t.same(findings(good), []);
  const wrong: readonly (readonly [string, object])[] = [
    ['WrappedStep.Name', wrapping(hooks({ onWrapEnvExit: { command: '{{WrappedStep.Name}}' } }))],
    ['WrappedEnv.Name', wrapping(hooks({ onWrapTaskRun: { command: '{{WrappedEnv.Name}}' } }))],
    ['WrappedAction.Command', wrapping({ ...hooks(), onEnter: { command: '{{WrappedAction.Command}}' } })],
    [
      'WrappedAction.Args',
      wrapping(hooks(), { embeddedFiles: [{ name: 'F', type: 'TEXT', data: '{{WrappedAction.Args}}' }] }),
    ],
    ['WrappedAction.Timeout', wrapping(hooks(), { let: ['t = WrappedAction.Timeout'] })],
    [
      'WrappedAction.Command',
      withStep({ script: { actions: { onRun: { command: '{{WrappedAction.Command}}' } } } }, WRAP),
    ],
  ];
  for (const [symbol, source] of wrong) {
    t.match(findings(source), [
      new RegExp(
        `Undefined variable: '${symbol}'[^]*\\n${symbol} cannot be used here: it exists only in onWrap`,
      ),
    ]);
  }
  t.match(
    findings(
      wrapping(hooks({ onWrapTaskRun: { command: 'x', args: ['{{ WrappedAction.Timeout + "s" }}'] } })),
    ),
    [/onWrapTaskRun\/args\/0: Cannot use '\+'/],
  );
  t.end();
});

void test('the plan of a hook has the format strings that the worker resolves', (t) => {
  const forwarded = {
    command: 'x',
    timeout: '{{WrappedAction.Timeout}}',
    cancelation: { mode: '{{WrappedAction.Cancelation.Mode}}', notifyPeriodInSeconds: 20 },
  };
  const literal = {
    command: 'x',
    timeout: 9,
    cancelation: {
      mode: 'NOTIFY_THEN_TERMINATE',
      notifyPeriodInSeconds: '{{WrappedAction.Cancelation.NotifyPeriodInSeconds}}',
    },
  };
  const job = prepared(wrapping(hooks({ onWrapTaskRun: forwarded, onWrapEnvExit: literal })));
  t.same(job.plan.environments[0]?.wrap, {
    onEnvEnter: { command: 'enter', args: [] },
    onTaskRun: {
      command: 'x',
      args: [],
      formats: {
        timeout: '{{WrappedAction.Timeout}}',
        mode: '{{WrappedAction.Cancelation.Mode}}',
        notifyPeriod: '20',
      },
    },
    onEnvExit: {
      command: 'x',
      args: [],
      timeoutSeconds: 9,
      cancelation: { mode: 'NOTIFY_THEN_TERMINATE', notifyPeriodSeconds: 30 },
      formats: { notifyPeriod: '{{WrappedAction.Cancelation.NotifyPeriodInSeconds}}' },
    },
  });
  t.same(job.plan.steps[0]?.requirements.attributes, [
    { name: 'svc:attr.worker.extension.wrap_actions', anyOf: ['true'] },
  ]);
  const withoutBundle = wrapping(
    hooks({ onWrapTaskRun: forwarded }),
    {},
    { extensions: ['WRAP_ACTIONS', 'EXPR'] },
  );
  t.same(findings(withoutBundle), [
    `${ACTIONS}/onWrapTaskRun/timeout: must not be a format string without the extension FEATURE_BUNDLE_1`,
    `${ACTIONS}/onWrapTaskRun/cancelation/mode: must be one of TERMINATE, NOTIFY_THEN_TERMINATE, not "{{WrappedAction.Cancelation.Mode}}"`,
  ]);
  t.end();
});
