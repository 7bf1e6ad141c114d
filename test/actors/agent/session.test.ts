import { test } from 'tap';
import { AGENT_LIMITS } from '../../../actors/agent/agent-limits.ts';
import type { AgentEffect } from '../../../actors/agent/agent-system.ts';
import { USER_CANCEL_REASON } from '../../../src/core/lifecycle/failure-reasons.ts';
import type { AttemptId } from '../../../src/core/ids.ts';
import type { ActionStart } from '../../../src/core/ports/task-processes.ts';
import type { Assignment, StepAssignment } from '../../../src/core/wire/bus-messages.ts';
import { action, AgentFixture, assignmentOf, environment, leases, stepOf, WORKER } from './agent-fixture.ts';

type Started = Extract<AgentEffect, { kind: 'start-action' }>;

/** One session on a worker, with its effects. */
class Session extends AgentFixture {
  readonly directory: string;

  constructor(step: Partial<StepAssignment> = {}, assignment: Partial<Assignment> = {}) {
    super();
    const [request] = this.register();
    if (request === undefined) throw new Error('no lease request');
    this.lease(request, leases([assignmentOf('a', { cores: 4, ...assignment })], stepOf(step)));
    const opening = this.takeEffects().find((effect) => effect.kind === 'open-session');
    this.directory = opening?.kind === 'open-session' ? opening.opening.directory : '';
  }

  /** Returns the started action. Other effects since the last call must be reports, logs and failed exits. */
  next(): ActionStart {
    const effects = this.takeEffects().filter(
      ({ kind }) => kind !== 'report' && kind !== 'ship-logs' && kind !== 'exit-failed',
    );
    const [start] = effects;
    if (effects.length !== 1 || start?.kind !== 'start-action') {
      throw new Error(`expected one action: ${JSON.stringify(effects)}`);
    }
    return start.action;
  }

  /** Runs everything to its end without failures. Returns the commands in order. */
  runAll(lines: Readonly<Record<string, readonly string[]>> = {}): string[] {
    this.opened('a');
    const commands: string[] = [];
    for (;;) {
      const start = this.takeEffects().find((effect): effect is Started => effect.kind === 'start-action');
      if (start === undefined) return commands;
      const { command, run } = start.action;
      commands.push(command);
      this.started('a', run);
      this.output('a', run, lines[command] ?? []);
      this.ended('a', run, 0);
    }
  }

  /** Ends the processes and stores the logs. */
  finish(): void {
    this.closed('a');
    this.drained('a');
  }

  /** The terminal report, or null. */
  get report(): object | null {
    return this.disk.reports[0] ?? null;
  }
}

const commandsOf = (effects: readonly AgentEffect[]): string[] =>
  effects.flatMap((effect) => (effect.kind === 'start-action' ? [effect.action.command] : []));

const actionKinds = (effects: readonly AgentEffect[]): string[] =>
  effects.map(({ kind }) => kind).filter((kind) => kind.endsWith('-action'));

const outer = environment('Outer', {
  variables: { LEVEL: 'outer', OUTER: '1' },
  onEnter: action('enter-outer'),
  onExit: action('exit-outer'),
});
const inner = environment('Inner', {
  variables: { LEVEL: 'inner' },
  onEnter: action('enter-inner'),
  onExit: action('exit-inner'),
});
const NESTED = { job_environments: [outer], step_environments: [inner] };

test('environments are entered in order, the task runs, environments are exited in reverse', (t) => {
  const fixture = new Session(NESTED);
  t.same(fixture.runAll({ render: ['done'] }), [
    'enter-outer',
    'enter-inner',
    'render',
    'exit-inner',
    'exit-outer',
  ]);
  t.equal(fixture.report, null, 'no report before everything has ended');
  fixture.closed('a');
  t.equal(fixture.report, null, 'the logs are stored first');
  fixture.drained('a');
  t.same(fixture.report, {
    v: 1,
    task_id: 'a-task',
    attempt_id: 'a',
    worker_id: 'worker-1',
    status: 'succeeded',
    exit_code: 0,
    timestamp: '2026-11-20T12:00:00.000Z',
    session_id: fixture.directory.replace('/w/sessions/', ''),
  });
  t.notOk(fixture.has('session', 'a'));
  t.end();
});

test('the end of a session is followed by its report and a request for more work', (t) => {
  const fixture = new Session();
  fixture.runAll();
  fixture.finish();
  t.same(
    fixture.takeEffects().map(({ kind }) => kind),
    ['unfollow-cancels', 'request-lease'],
  );
  t.end();
});

test('running is reported once, when the first process has started', (t) => {
  const fixture = new Session(NESTED);
  fixture.opened('a');
  fixture.next();
  fixture.started('a', 1);
  fixture.pass(AGENT_LIMITS.runningHoldMs - 1);
  t.same(fixture.takeEffects(), [], 'it may end in a moment');
  fixture.pass(1);
  t.match(fixture.takeEffects(), [{ kind: 'report', report: { status: 'running', attempt_id: 'a' } }]);
  fixture.ended('a', 1, 0);
  fixture.takeEffects();
  fixture.started('a', 2);
  t.same(fixture.takeEffects(), []);
  t.end();
});

test('an environment without a script runs nothing', (t) => {
  const fixture = new Session({ job_environments: [environment('Plain', { variables: { A: '1' } })] });
  fixture.opened('a');
  t.same(fixture.next().variables, { OPENJD_SESSION_WORKING_DIR: fixture.directory, A: '1' });
  t.end();
});

test('format strings resolve parameters, the session and files of their script, which are written before each run', (t) => {
  const fixture = new Session(
    {
      job_parameters: { Scene: { type: 'PATH', value: '/proj/a.blend' } },
      job_environments: [
        environment('Env', {
          variables: { SCENE: '{{Param.Scene}} in {{Session.WorkingDirectory}}' },
          embeddedFiles: [
            { name: 'Setup', filename: 'setup.sh', runnable: true, data: 'echo {{RawParam.Scene}}' },
          ],
          onEnter: action('{{Env.File.Setup}}'),
          onExit: action('{{Env.File.Setup}}', { args: ['{{Session.HasPathMappingRules}}'] }),
        }),
      ],
      script: {
        onRun: action('python', {
          args: ['{{Task.File.Main}}', '{{ Task.Param.Frame }}', '{{Session.PathMappingRulesFile}}', ''],
        }),
        embeddedFiles: [{ name: 'Main', runnable: false, data: 'frame = {{Task.RawParam.Frame}}' }],
      },
    },
    { parameters: { Frame: { type: 'INT', value: '12' } } },
  );
  const { directory } = fixture;
  const rules = { path: `${directory}/path_mapping_rules.json`, data: '{}', runnable: false };
  const setup = {
    path: `${directory}/embedded_files/environment-0/setup.sh`,
    data: 'echo /proj/a.blend',
    runnable: true,
  };
  const variables = { OPENJD_SESSION_WORKING_DIR: directory, SCENE: `/proj/a.blend in ${directory}` };
  fixture.opened('a');
  t.same(fixture.next(), {
    run: 1,
    command: setup.path,
    args: [],
    variables,
    files: [rules, setup],
    keepsChildren: true,
  });
  fixture.ended('a', 1, 0);
  const run = fixture.next();
  const main = run.args[0] ?? '';
  t.match(main, new RegExp(`^${directory}/embedded_files/task/id-[0-9]+$`));
  t.same(run, {
    run: 2,
    command: 'python',
    args: [main, '12', rules.path, ''],
    variables,
    keepsChildren: false,
    files: [rules, { path: main, data: 'frame = 12', runnable: false }],
  });
  fixture.ended('a', 2, 0);
  t.same(fixture.next(), {
    run: 3,
    command: setup.path,
    args: ['false'],
    variables,
    files: [rules, setup],
    keepsChildren: true,
  });
  t.end();
});

test('an unresolvable format string fails the task with its location and name', (t) => {
  const failureOf = (step: Partial<StepAssignment>): unknown => {
    const fixture = new Session(step);
    fixture.opened('a');
    t.same(commandsOf(fixture.takeEffects()), []);
    fixture.finish();
    return fixture.report;
  };
  const script = (rest: Partial<StepAssignment['script']>): Partial<StepAssignment> => ({
    script: { onRun: action('render'), embeddedFiles: [], ...rest },
  });
  const message = (text: string): object => ({ status: 'failed', message: text });
  t.match(
    failureOf(script({ onRun: action('{{Param.Gone}}') })),
    message('command: the value Param.Gone does not exist here'),
  );
  t.match(
    failureOf(script({ onRun: action('x', { args: ['ok', '{{Env.File.E}}'] }) })),
    message('argument 2: the value Env.File.E does not exist here'),
  );
  t.match(
    failureOf(script({ embeddedFiles: [{ name: 'F', runnable: false, data: '{{Nope}}' }] })),
    message('embedded file F: the value Nope does not exist here'),
  );
  for (const filename of ['', '.', '..', 'a/b', 'a\\b', 'a\0b']) {
    t.match(
      failureOf(script({ embeddedFiles: [{ name: 'F', filename, runnable: false, data: 'x' }] })),
      message('the file name of embedded file F must be a plain name without a path'),
    );
  }
  t.match(
    failureOf({ job_environments: [environment('E', { variables: { V: '{{Task.Param.X}}' } })] }),
    message('environment E, onEnter: variable V: the value Task.Param.X does not exist here'),
  );
  t.end();
});

test('the report names the memory and CPU time of the task, and an out-of-memory kill', (t) => {
  const outOfMemory = { limitMib: 2048, requestedMib: 2048, wasOwnLimit: true };
  const reportFor = (end: Parameters<AgentFixture['ended']>[2]): unknown => {
    const fixture = new Session();
    fixture.opened('a');
    fixture.ended('a', 1, end, { maxRssMib: 2048, cpuMs: 1250, outOfMemory });
    fixture.finish();
    const { status, max_rss_mib, cpu_seconds, message } = fixture.report as Record<string, unknown>;
    return { status, max_rss_mib, cpu_seconds, message };
  };
  const used = { max_rss_mib: 2048, cpu_seconds: 1.25 };
  const message = 'out of memory: the task used 2,048 MiB of its limit of 2,048 MiB (requested 2,048 MiB)';
  t.same(reportFor({ kind: 'signaled', signal: 'SIGKILL' }), { status: 'failed', ...used, message });
  t.same(reportFor(137), { status: 'failed', ...used, message }, 'a child of the program was ended');
  t.same(reportFor(0), { status: 'succeeded', ...used, message: undefined }, 'the program has coped');
  t.end();
});

test('the report names an excess of the disk quota, however the task ended', (t) => {
  const reportFor = (end: Parameters<AgentFixture['ended']>[2], usedMib: number | null): unknown => {
    const fixture = new Session();
    fixture.opened('a');
    const reason = usedMib === null ? 'it took longer than 300 s' : '';
    fixture.ended('a', 1, end, { cpuMs: 1250, overQuota: { quotaMib: 204_800, usedMib, reason } });
    fixture.finish();
    const { status, cpu_seconds, message } = fixture.report as Record<string, unknown>;
    return { status, cpu_seconds, message };
  };
  const failed = { status: 'failed', cpu_seconds: 1.25 };
  const message =
    'disk quota exceeded: the directory of the session used 204,801 MiB of its quota of 204,800 MiB';
  t.same(reportFor({ kind: 'signaled', signal: 'SIGKILL' }, 204_801), { ...failed, message });
  t.same(reportFor(0, 204_801), { ...failed, message }, 'it has ended at the same moment');
  t.same(reportFor({ kind: 'signaled', signal: 'SIGKILL' }, null), {
    ...failed,
    message:
      'disk quota: the directory of the session, with a quota of 204,800 MiB, could not be counted: it took longer than 300 s',
  });
  t.end();
});

test('the report explains how the task ended', (t) => {
  const reportFor = (end: Parameters<AgentFixture['ended']>[2], lines: string[] = []): unknown => {
    const fixture = new Session();
    fixture.opened('a');
    fixture.output('a', 1, lines);
    fixture.ended('a', 1, end);
    fixture.finish();
    const { status, exit_code, message } = fixture.report as Record<string, unknown>;
    return { status, exit_code, message };
  };
  t.same(reportFor(3), { status: 'failed', exit_code: 3, message: 'failed (exit 3)' });
  t.same(reportFor({ kind: 'signaled', signal: 'SIGSEGV' }), {
    status: 'failed',
    exit_code: undefined,
    message: 'killed by SIGSEGV',
  });
  t.same(reportFor({ kind: 'not-started', reason: 'command not found: render' }), {
    status: 'failed',
    exit_code: undefined,
    message: 'command not found: render',
  });
  t.same(reportFor(0, ['openjd_fail: first', 'openjd_fail: no licence']), {
    status: 'failed',
    exit_code: 0,
    message: 'no licence',
  });
  t.same(reportFor(2, ['openjd_fail: x'.padEnd(9000, 'x')]), {
    status: 'failed',
    exit_code: 2,
    message: 'x'.repeat(4096),
  });
  t.end();
});

test('a session that cannot be created fails the task', (t) => {
  const fixture = new Session(NESTED);
  fixture.opened('a', 'the session’s directory could not be made: ENOSPC');
  t.same(fixture.takeEffects(), [
    { kind: 'close-session', sessionId: 'a', closing: { keepDirectory: false } },
  ]);
  fixture.finish();
  t.match(fixture.report, { status: 'failed', message: 'the session’s directory could not be made: ENOSPC' });
  t.end();
});

test('a failed task still runs the exits', (t) => {
  const fixture = new Session(NESTED);
  fixture.opened('a');
  for (const run of [1, 2]) fixture.ended('a', run, 0);
  fixture.takeEffects();
  fixture.ended('a', 3, 1);
  t.equal(fixture.next().command, 'exit-inner');
  fixture.ended('a', 4, 7);
  t.equal(fixture.next().command, 'exit-outer', 'a failing exit does not stop the others');
  fixture.ended('a', 5, 0);
  fixture.finish();
  t.match(fixture.report, {
    status: 'failed',
    exit_code: 1,
    message: 'failed (exit 1); environment Inner, onExit: failed (exit 7)',
  });
  t.end();
});

test('a failing onEnter fails the task, and only tried environments are exited', (t) => {
  const fixture = new Session(NESTED);
  fixture.opened('a');
  fixture.ended('a', 1, 0);
  fixture.takeEffects();
  fixture.ended('a', 2, 4);
  t.equal(fixture.next().command, 'exit-inner');
  fixture.ended('a', 3, 0);
  t.equal(fixture.next().command, 'exit-outer');
  fixture.ended('a', 4, 0);
  fixture.finish();
  t.match(fixture.report, {
    status: 'failed',
    exit_code: 4,
    message: 'environment Inner, onEnter: failed (exit 4)',
  });
  t.end();
});

test('a failing onExit is reported for a task that succeeded', (t) => {
  const fixture = new Session({ job_environments: [outer] });
  fixture.opened('a');
  fixture.ended('a', 1, 0);
  fixture.ended('a', 2, 0);
  fixture.ended('a', 3, { kind: 'not-started', reason: 'command not found: exit-outer' });
  fixture.finish();
  t.match(fixture.report, {
    status: 'succeeded',
    message: 'environment Outer, onExit: command not found: exit-outer',
  });
  t.end();
});

test('an onExit that cannot be resolved does not stop the others', (t) => {
  const bad = environment('Bad', { onExit: action('{{Task.Param.X}}') });
  const fixture = new Session({ job_environments: [outer, bad] });
  fixture.opened('a');
  fixture.ended('a', 1, 0);
  fixture.takeEffects();
  fixture.ended('a', 2, 0);
  t.equal(fixture.next().command, 'exit-outer');
  fixture.ended('a', 3, 0);
  fixture.finish();
  t.match(fixture.report, {
    status: 'succeeded',
    message: 'environment Bad, onExit: command: the value Task.Param.X does not exist here',
  });
  t.end();
});

test('inner environments override outer ones, and directives override variables of their environment', (t) => {
  const fixture = new Session(NESTED);
  const directory = { OPENJD_SESSION_WORKING_DIR: fixture.directory };
  fixture.opened('a');
  t.same(fixture.next().variables, { ...directory, LEVEL: 'outer', OUTER: '1' });
  fixture.output('a', 1, ['openjd_env: LEVEL=changed', 'openjd_env: TOOL=x', 'openjd_unset_env: OUTER']);
  fixture.output('a', 1, ['openjd_env: "LINES=a\\nb"'], 'stderr');
  fixture.ended('a', 1, 0);
  const outerVariables = { ...directory, LEVEL: 'changed', TOOL: 'x', OUTER: null, LINES: 'a\nb' };
  t.same(fixture.next().variables, { ...outerVariables, LEVEL: 'inner' });
  fixture.output('a', 2, ['openjd_unset_env: TOOL']);
  fixture.ended('a', 2, 0);
  t.same(fixture.next().variables, { ...outerVariables, LEVEL: 'inner', TOOL: null });
  fixture.output('a', 3, ['openjd_env: TASK=no', 'openjd_unset_env: LEVEL']);
  fixture.ended('a', 3, 0);
  t.same(
    fixture.next().variables,
    { ...outerVariables, LEVEL: 'inner', TOOL: null },
    'a task changes no variables',
  );
  fixture.ended('a', 4, 0);
  t.same(fixture.next().variables, outerVariables, 'variables of the inner environment are removed with it');
  t.end();
});

test('output lines are logged unchanged, an invalid progress with a note', (t) => {
  const fixture = new Session();
  fixture.opened('a');
  fixture.takeEffects();
  fixture.output('a', 1, ['openjd_progress: 50', 'openjd_progress: 101', 'plain', 'openjd_status: saving']);
  fixture.pass(100);
  const shipped = fixture
    .takeEffects()
    .flatMap((effect) => (effect.kind === 'ship-logs' ? effect.chunks : []));
  t.same(
    shipped.map(({ data }) => data),
    [
      [
        'openjd_progress: 50',
        'openjd_progress: 101 -- ERROR: Progress must be a floating point value between 0.0 and 100.0, inclusive.',
        'plain',
        'openjd_status: saving',
        '',
      ].join('\n'),
    ],
  );
  t.end();
});

test('an invalid directive cancels the action, which fails', (t) => {
  const fixture = new Session({ job_environments: [outer] });
  fixture.opened('a');
  fixture.takeEffects();
  fixture.output('a', 1, ['openjd_env: 1A=b', 'OPENJD_ENV: A=b']);
  t.same(actionKinds(fixture.takeEffects()), ['kill-action']);
  fixture.ended('a', 1, { kind: 'signaled', signal: 'SIGKILL' });
  fixture.ended('a', 2, 0);
  fixture.finish();
  t.match(fixture.report, {
    status: 'failed',
    message: 'environment Outer, onEnter: Failed to parse environment variable assignment.',
  });
  t.end();
});

test('a timeout cancels the action by its own method and is reported as a timeout', (t) => {
  const fixture = new Session({
    script: { onRun: action('render', { timeoutSeconds: 60 }), embeddedFiles: [] },
  });
  fixture.opened('a');
  fixture.passInContact(90_000);
  fixture.started('a', 1);
  t.same(actionKinds(fixture.passInContact(59_000)), [], 'the timeout starts with the process');
  t.same(actionKinds(fixture.passInContact(1000)), ['kill-action']);
  fixture.ended('a', 1, { kind: 'signaled', signal: 'SIGKILL' });
  fixture.finish();
  t.match(fixture.report, { status: 'failed', message: 'timed out after 60 s' });
  t.end();
});

test('an onExit without a timeout gets five minutes', (t) => {
  const fixture = new Session({ job_environments: [outer] });
  fixture.opened('a');
  fixture.ended('a', 1, 0);
  fixture.ended('a', 2, 0);
  fixture.started('a', 3);
  fixture.takeEffects();
  t.same(actionKinds(fixture.passInContact(299_000)), []);
  t.same(actionKinds(fixture.passInContact(1000)), ['kill-action']);
  fixture.ended('a', 3, { kind: 'signaled', signal: 'SIGKILL' });
  fixture.finish();
  t.match(fixture.report, {
    status: 'succeeded',
    message: 'environment Outer, onExit: timed out after 300 s',
  });
  t.end();
});

test('a cancel with notice kills the process after the notice period', (t) => {
  for (const [period, seconds] of [
    [{ notifyPeriodSeconds: 10 }, 10],
    [{}, 120],
  ] as const) {
    const fixture = new Session({
      job_environments: [outer],
      script: {
        onRun: action('render', { cancelation: { mode: 'NOTIFY_THEN_TERMINATE', ...period } }),
        embeddedFiles: [],
      },
    });
    fixture.opened('a');
    fixture.ended('a', 1, 0);
    fixture.started('a', 2);
    fixture.takeEffects();
    fixture.deliver('poller', 'poller', {
      type: 'attempt.cancel',
      attemptId: 'a' as AttemptId,
      reason: USER_CANCEL_REASON,
    });
    t.same(fixture.takeEffects(), [
      { kind: 'notify-action', sessionId: 'a', run: 2, notifyEndAt: fixture.now + seconds * 1000 },
    ]);
    fixture.deliver('poller', 'poller', {
      type: 'attempt.cancel',
      attemptId: 'a' as AttemptId,
      reason: 'again',
    });
    t.same(fixture.takeEffects(), []);
    t.same(actionKinds(fixture.passInContact(seconds * 1000 - 1)), []);
    t.same(actionKinds(fixture.passInContact(1)), ['kill-action']);
    fixture.ended('a', 2, 0);
    t.equal(fixture.next().command, 'exit-outer', 'the environments are exited');
    fixture.ended('a', 3, 0);
    fixture.finish();
    t.match(
      fixture.report,
      { status: 'canceled', message: USER_CANCEL_REASON },
      'also when the process exits with 0',
    );
  }
  t.end();
});

test('a cancel without a method kills at once, and during onEnter enters no more environments', (t) => {
  const fixture = new Session(NESTED);
  fixture.opened('a');
  fixture.takeEffects();
  fixture.deliver('poller', 'poller', { type: 'attempt.cancel', attemptId: 'a' as AttemptId, reason: 'x' });
  t.same(fixture.takeEffects(), [{ kind: 'kill-action', sessionId: 'a', run: 1 }]);
  fixture.ended('a', 1, { kind: 'signaled', signal: 'SIGKILL' });
  t.equal(fixture.next().command, 'exit-outer');
  fixture.ended('a', 2, 0);
  fixture.finish();
  t.match(fixture.report, { status: 'canceled', message: 'x' });
  t.end();
});

test('a cancel works before the session is open and has no effect after its end', (t) => {
  const early = new Session();
  early.deliver('poller', 'poller', { type: 'attempt.cancel', attemptId: 'a' as AttemptId, reason: 'x' });
  t.same(early.takeEffects(), []);
  early.opened('a');
  t.same(early.takeEffects(), [{ kind: 'close-session', sessionId: 'a', closing: { keepDirectory: false } }]);
  early.finish();
  t.match(early.report, { status: 'canceled' });

  const late = new Session();
  late.opened('a');
  late.ended('a', 1, 0);
  late.deliver('poller', 'poller', { type: 'attempt.cancel', attemptId: 'a' as AttemptId, reason: 'x' });
  late.finish();
  t.match(late.report, { status: 'succeeded' });
  late.takeEffects();
  late.deliver('poller', 'poller', { type: 'attempt.cancel', attemptId: 'a' as AttemptId, reason: 'x' });
  t.same(late.takeEffects(), []);
  t.end();
});

test('a session that is being canceled continues when the service closes the attempt', (t) => {
  const fixture = new Session({
    script: {
      onRun: action('render', { cancelation: { mode: 'NOTIFY_THEN_TERMINATE' } }),
      embeddedFiles: [],
    },
  });
  fixture.opened('a');
  fixture.deliver('poller', 'poller', { type: 'attempt.cancel', attemptId: 'a' as AttemptId, reason: 'x' });
  fixture.takeEffects();
  fixture.deliver('poller', 'poller', { type: 'attempt.revoked', attemptId: 'a' as AttemptId });
  t.same(fixture.takeEffects(), []);
  t.end();
});

test('a session stopped by a shutdown exits its environments and reports nothing', (t) => {
  const fixture = new Session(NESTED);
  fixture.opened('a');
  fixture.ended('a', 1, 0);
  fixture.ended('a', 2, 0);
  fixture.takeEffects();
  fixture.deliverToSession('a', { type: 'session.stop', graceMs: 3000 });
  t.same(fixture.takeEffects(), [{ kind: 'terminate-action', sessionId: 'a', run: 3 }]);
  fixture.ended('a', 3, { kind: 'signaled', signal: 'SIGTERM' });
  t.match(
    fixture.takeEffects(),
    [{ kind: 'start-action', sessionId: 'a', action: { run: 4 } }],
    'the inner exit',
  );
  fixture.ended('a', 4, 1);
  t.match(
    fixture.takeEffects(),
    [
      { kind: 'exit-failed', sessionId: 'a' },
      { kind: 'start-action', sessionId: 'a', action: { run: 5 } },
    ],
    'the outer exit',
  );
  fixture.ended('a', 5, 0);
  t.same(fixture.takeEffects(), [
    { kind: 'close-session', sessionId: 'a', closing: { keepDirectory: false } },
  ]);
  fixture.closed('a');
  t.equal(fixture.report, null);
  t.notOk(fixture.has('session', 'a'));
  t.end();
});

test('an interrupted session stops, skips its exits and reports nothing', (t) => {
  const fixture = new Session(NESTED);
  fixture.opened('a');
  fixture.ended('a', 1, 0);
  fixture.takeEffects();
  fixture.deliverToSession('a', { type: 'session.interrupt', graceMs: 3000 });
  t.same(fixture.takeEffects(), [{ kind: 'terminate-action', sessionId: 'a', run: 2 }]);
  fixture.pass(3000);
  t.same(fixture.takeEffects(), [{ kind: 'kill-action', sessionId: 'a', run: 2 }]);
  fixture.ended('a', 2, 0);
  t.same(fixture.takeEffects(), [
    { kind: 'close-session', sessionId: 'a', closing: { keepDirectory: false } },
  ]);
  fixture.closed('a');
  t.equal(fixture.report, null);
  t.notOk(fixture.has('session', 'a'));
  t.end();
});

test('a task that had ended keeps its result when its exits are interrupted', (t) => {
  for (const how of ['interrupt', 'fence'] as const) {
    const fixture = new Session(NESTED);
    fixture.opened('a');
    for (const run of [1, 2, 3]) fixture.ended('a', run, 0);
    fixture.takeEffects();
    if (how === 'interrupt') {
      fixture.deliverToSession('a', { type: 'session.interrupt', graceMs: 3000 });
      t.same(fixture.takeEffects(), [{ kind: 'terminate-action', sessionId: 'a', run: 4 }]);
      fixture.ended('a', 4, { kind: 'signaled', signal: 'SIGTERM' });
    } else {
      fixture.ended('a', 4, { kind: 'fenced' });
    }
    t.same(
      fixture.takeEffects(),
      [
        { kind: 'exit-failed', sessionId: 'a' },
        { kind: 'close-session', sessionId: 'a', closing: { keepDirectory: false } },
      ],
      'the outer exit is skipped',
    );
    fixture.finish();
    t.match(fixture.report, { status: 'succeeded', exit_code: 0 });
  }
  t.end();
});

test('the report waits for the logs, but not for long', (t) => {
  const fixture = new Session();
  fixture.opened('a');
  fixture.output('a', 1, ['last words']);
  fixture.ended('a', 1, 0);
  fixture.closed('a');
  t.equal(fixture.report, null);
  fixture.passInContact(4999);
  t.equal(fixture.report, null);
  fixture.passInContact(1);
  t.match(fixture.report, { status: 'succeeded' });
  t.end();
});

test('late messages of an earlier action change nothing', (t) => {
  const fixture = new Session(NESTED);
  fixture.opened('a');
  fixture.ended('a', 1, 0);
  fixture.takeEffects();
  fixture.ended('a', 1, 9);
  fixture.deliverToSession('a', { type: 'action.overdue', run: 1 });
  fixture.deliverToSession('a', { type: 'action.kill-due', run: 1 });
  t.same(fixture.takeEffects(), []);
  fixture.ended('a', 2, 0);
  t.equal(fixture.next().command, 'render');
  t.end();
});

test('a session with lost state is closed and its attempt given back', (t) => {
  const fixture = new Session();
  fixture.opened('a');
  fixture.takeEffects();
  // A second task for a session is an error, and an actor that throws loses its state.
  const task = { assignment: assignmentOf('b'), workerId: WORKER, isLast: true };
  fixture.deliverToSession('a', { type: 'session.task', task });
  t.match(fixture.takeEffects(), [
    { kind: 'forget-staging', sessionId: 'a' },
    { kind: 'close-session', sessionId: 'a', closing: { keepDirectory: false } },
    { kind: 'announce', announcement: { type: 'register', open_attempts: { length: 0 } } },
  ]);
  t.same(fixture.disk.reports, []);
  t.end();
});
