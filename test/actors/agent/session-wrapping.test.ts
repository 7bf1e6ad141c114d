import { test } from 'tap';
import type { AgentEffect } from '../../../actors/agent/agent-system.ts';
import type { AttemptId } from '../../../src/core/ids.ts';
import type { ActionStart } from '../../../src/core/ports/task-processes.ts';
import type { StepAssignment } from '../../../src/core/wire/bus-messages.ts';
import type { HookPlan } from '../../../src/openjd/template/plan.ts';
import { action, AgentFixture, assignmentOf, environment, leases, stepOf } from './agent-fixture.ts';

type Started = Extract<AgentEffect, { kind: 'start-action' }>;

/** A session of one task, with its effects since the last look. */
class Session extends AgentFixture {
  seen: readonly AgentEffect[] = [];

  constructor(step: Partial<StepAssignment>) {
    super();
    const [request] = this.register();
    if (request === undefined) throw new Error('no lease request');
    const extensions = ['WRAP_ACTIONS', 'EXPR', 'FEATURE_BUNDLE_1'];
    this.lease(request, leases([assignmentOf('a', { cores: 4 })], stepOf({ extensions, ...step })));
    this.takeEffects();
    this.opened('a');
  }

  /** Returns the process that was started, or null. */
  next(): ActionStart | null {
    this.seen = this.takeEffects();
    return this.seen.find((effect): effect is Started => effect.kind === 'start-action')?.action ?? null;
  }

  /** Runs the started process to its end. Returns it, or null if none was started. */
  ran(lines: readonly string[] = [], exitCode = 0): ActionStart | null {
    const start = this.next();
    if (start === null) return null;
    this.started('a', start.run);
    this.output('a', start.run, lines);
    this.ended('a', start.run, exitCode);
    return start;
  }

  finish(): object | undefined {
    this.closed('a');
    this.drained('a');
    return this.disk.reports[0];
  }
}

const actionKinds = (effects: readonly AgentEffect[]): string[] =>
  effects.map(({ kind }) => kind).filter((kind) => kind.endsWith('-action'));

const shown = (start: ActionStart | null): readonly string[] =>
  start === null ? [] : [start.command, ...start.args];

const hook = (word: string, rest: Partial<HookPlan> = {}): HookPlan => ({
  command: word,
  args: ['{{WrappedAction.Command}}', '{{WrappedAction.Args}}'],
  ...rest,
});
const WRAP = { onEnvEnter: hook('wrap-enter'), onTaskRun: hook('wrap-run'), onEnvExit: hook('wrap-exit') };
const wrapper = environment('W', { onEnter: action('enter-w'), onExit: action('exit-w'), wrap: WRAP });
const before = environment('Before', { onEnter: action('enter-before'), onExit: action('exit-before') });
const inner = environment('Inner', {
  variables: { A: '1' },
  onEnter: action('enter-inner', { args: ['x y', '{{ [1, 2] }}'] }),
  onExit: action('exit-inner'),
});
const plain = environment('Plain', { variables: { B: '2' } });
const task = { onRun: action('render', { args: ['-f'] }), embeddedFiles: [] };

void test('hooks replace the actions of inner environments and of the task, and no others', (t) => {
  const session = new Session({
    job_environments: [before, wrapper],
    step_environments: [inner, plain],
    script: task,
  });
  const commands = [];
  for (let start = session.ran(); start !== null; start = session.ran()) commands.push(shown(start));
  t.same(commands, [
    ['enter-before'],
    ['enter-w'],
    ['wrap-enter', 'enter-inner', 'x y', '1', '2'],
    ['wrap-run', 'render', '-f'],
    ['wrap-exit', 'exit-inner'],
    ['exit-w'],
    ['exit-before'],
  ]);
  t.match(session.finish(), { status: 'succeeded' });
  t.end();
});

void test('a hook knows the variables, the timeout, the cancelation and the owner of the action', (t) => {
  const args = [
    '{{ WrappedAction.Environment }}',
    '{{ repr_py(WrappedAction.Timeout) }}',
    '{{ repr_py(WrappedAction.Cancelation.Mode) }}',
    '{{ repr_py(WrappedAction.Cancelation.NotifyPeriodInSeconds) }}',
  ];
  const ofEnvironment = { command: 'h', args: [...args, '{{ WrappedEnv.Name }}'] };
  const wrap = {
    onEnvEnter: ofEnvironment,
    onTaskRun: { command: 'h', args: [...args, '{{ WrappedStep.Name }}'] },
    onEnvExit: ofEnvironment,
  };
  const onRun = action('render', {
    timeoutSeconds: 60,
    cancelation: { mode: 'NOTIFY_THEN_TERMINATE', notifyPeriodSeconds: 120 },
  });
  const session = new Session({
    job_environments: [environment('W', { variables: { W: 'w' }, onEnter: action('enter-w'), wrap })],
    step_environments: [inner],
    script: { onRun, embeddedFiles: [] },
  });
  session.ran(['openjd_env: ID=7', 'openjd_env: GONE=1']);
  t.same(shown(session.ran(['openjd_env: SET_BY=inner', 'openjd_unset_env: GONE'])), [
    'h',
    'W=w',
    'ID=7',
    'GONE=1',
    'A=1',
    'None',
    'None',
    'None',
    'Inner',
  ]);
  const run = session.ran();
  t.same(shown(run), [
    'h',
    'W=w',
    'ID=7',
    'A=1',
    'SET_BY=inner',
    '60',
    "'NOTIFY_THEN_TERMINATE'",
    '120',
    'Step',
  ]);
  t.match(run?.variables, { ID: '7', SET_BY: 'inner', GONE: null }, 'the process has them as well');
  t.same(
    shown(session.ran()).slice(-4),
    ['None', 'None', 'None', 'Inner'],
    'no default for the wrapped onExit',
  );
  t.end();
});

const FORWARDED = {
  timeout: '{{WrappedAction.Timeout}}',
  mode: '{{WrappedAction.Cancelation.Mode}}',
  notifyPeriod: '{{WrappedAction.Cancelation.NotifyPeriodInSeconds}}',
};

/** Starts a wrapped task whose hook has these format strings. */
function wrappedTask(onRun: Parameters<typeof action>[1], formats: HookPlan['formats'] = FORWARDED): Session {
  const wrap = { ...WRAP, onTaskRun: hook('wrap-run', { formats }) };
  return new Session({
    job_environments: [environment('W', { wrap })],
    script: { onRun: action('render', onRun), embeddedFiles: [] },
  });
}

void test('a hook forwards the timeout and the cancelation of the action', (t) => {
  const cancelation = { mode: 'NOTIFY_THEN_TERMINATE', notifyPeriodSeconds: 7 } as const;
  const session = wrappedTask({ timeoutSeconds: 60, cancelation });
  session.started('a', session.next()?.run ?? 0);
  t.same(actionKinds(session.passInContact(59_000)), []);
  t.same(actionKinds(session.passInContact(1000)), ['notify-action']);
  t.same(actionKinds(session.passInContact(7000)), ['kill-action']);
  session.ended('a', 1, 1);
  t.match(session.finish(), { message: 'onWrapTaskRun of environment W: timed out after 60 s' });
  const undeclared = wrappedTask({});
  undeclared.started('a', undeclared.next()?.run ?? 0);
  t.same(actionKinds(undeclared.passInContact(1_000_000)), [], 'no timeout');
  const attemptId = 'a' as AttemptId;
  undeclared.deliverToSession('a', { type: 'session.cancel', attemptId, reason: 'stop' });
  t.same(actionKinds(undeclared.takeEffects()), ['kill-action']);
  t.end();
});

void test('a hook with values that are not valid fails the action', (t) => {
  const cases: readonly (readonly [NonNullable<HookPlan['formats']>, string])[] = [
    [{ timeout: '{{ 0 }}' }, 'timeout: resolves to "0", and must be at least 1'],
    [
      { mode: 'STOP{{ 1 }}' },
      'cancelation mode: resolves to "STOP1", and must be TERMINATE or NOTIFY_THEN_TERMINATE',
    ],
    [
      { mode: '{{ "TERMINATE" }}', notifyPeriod: '5' },
      'notifyPeriodInSeconds is for NOTIFY_THEN_TERMINATE only',
    ],
    [{ notifyPeriod: '{{ 601 }}' }, 'notifyPeriodInSeconds: resolves to "601", and must be at most 600'],
  ];
  for (const [formats, detail] of cases) {
    const session = wrappedTask({}, formats);
    t.equal(session.next(), null);
    t.match(session.finish(), { status: 'failed', message: `onWrapTaskRun of environment W: ${detail}` });
  }
  t.end();
});

void test('a failed hook is a failure of the action, and everything is exited', (t) => {
  const session = new Session({ job_environments: [wrapper], step_environments: [inner], script: task });
  session.ran();
  session.ran([], 3);
  t.same(shown(session.ran([], 4)), ['wrap-exit', 'exit-inner']);
  t.same(shown(session.ran()), ['exit-w']);
  t.match(session.finish(), {
    status: 'failed',
    exit_code: 3,
    message:
      'environment Inner, onEnter: onWrapEnvEnter of environment W: failed (exit 3); environment Inner, onExit: onWrapEnvExit of environment W: failed (exit 4)',
  });
  t.end();
});

void test('two environments that wrap actions cannot be in one session', (t) => {
  const session = new Session({
    job_environments: [wrapper],
    step_environments: [environment('V', { wrap: WRAP })],
  });
  t.equal(session.next(), null);
  t.match(session.finish(), {
    status: 'failed',
    message: 'only one environment of a session can wrap actions: W and V both do',
  });
  t.end();
});

void test('the files of both scripts are written, with their line ends', (t) => {
  const file = (name: string, endOfLine: 'LF' | 'CRLF') => ({
    name,
    filename: name,
    runnable: false,
    data: 'a\r\nb\n{{ "c" }}\n',
    endOfLine,
  });
  const session = new Session({
    job_environments: [environment('W', { wrap: WRAP, embeddedFiles: [file('w', 'CRLF')] })],
    script: { ...task, embeddedFiles: [file('t', 'LF')] },
  });
  const written = session
    .next()
    ?.files.map(({ path, data }) => [path.slice(path.lastIndexOf('/') + 1), data]);
  t.same(written, [
    ['path_mapping_rules.json', '{}'],
    ['t', 'a\nb\nc\n'],
    ['w', 'a\r\nb\r\nc\r\n'],
  ]);
  t.end();
});
