import { test } from 'tap';
import type { AgentEffect } from '../../../actors/agent/agent-system.ts';
import type { AttemptId, StepId } from '../../../src/core/ids.ts';
import type { ActionStart } from '../../../src/core/ports/task-processes.ts';
import type { Assignment, StepAssignment } from '../../../src/core/wire/bus-messages.ts';
import { action, AgentFixture, assignmentOf, environment, leases, stepOf } from './agent-fixture.ts';

const SCENE = environment('Scene', {
  variables: { SCENE: 'shot' },
  onEnter: action('load'),
  onExit: action('unload'),
});

/** A worker that gets one task after another of a step with an environment. */
class SessionSequence extends AgentFixture {
  private request: Extract<AgentEffect, { kind: 'request-lease' }> | undefined;

  constructor() {
    super();
    [this.request] = this.register();
  }

  next(
    attempt: string,
    left: number,
    rest: Partial<Assignment> = {},
    step: Partial<StepAssignment> = {},
  ): void {
    const { request } = this;
    if (request === undefined) throw new Error('no lease request');
    const assignment = assignmentOf(attempt, { cores: 4, ...rest });
    const shared = stepOf({ step_environments: [SCENE], ready_left: left, ...step });
    this.lease(request, { ...leases([assignment]), steps: { [assignment.step_id]: shared } });
  }

  /** Returns the effects since the last call. Keeps the lease request for the next lease. */
  heard(): AgentEffect[] {
    const effects = this.takeEffects();
    this.request = effects.find((effect) => effect.kind === 'request-lease') ?? this.request;
    return effects;
  }

  starts(): ActionStart[] {
    return this.heard().flatMap((effect) => (effect.kind === 'start-action' ? [effect.action] : []));
  }

  /** Runs the first task of session `a` to its end and stores its logs. */
  first(left: number): void {
    this.next('a', left);
    this.opened('a');
    this.ended('a', 1, 0);
    this.ended('a', 2, 0);
    this.heard();
  }

  get ends(): Record<string, string> {
    return Object.fromEntries(this.disk.reports.map(({ attempt_id: id, status }) => [id, status]));
  }
}

const commands = (starts: readonly ActionStart[]): string[] => starts.map(({ command }) => command);

test('an environment is entered once for the tasks of its step, which run one after another in one session', (t) => {
  const row = new SessionSequence();
  row.next('a', 2);
  const [, opening] = row.heard();
  row.opened('a');
  t.same(commands(row.starts()), ['load']);
  row.ended('a', 1, 0);
  t.same(commands(row.starts()), ['render']);
  row.ended('a', 2, 0);
  t.same(row.ends, { a: 'succeeded' }, 'the end is reported while the session continues');
  row.heard();
  row.next('b', 1);
  const next = row.heard().filter(({ kind }) => kind !== 'request-lease' && kind !== 'report');
  t.match(next, [
    { kind: 'follow-cancels', taskId: 'b-task' },
    { kind: 'start-action', sessionId: 'a' },
  ]);
  const start = next[1];
  t.match(start?.kind === 'start-action' ? start.action : null, {
    run: 3,
    command: 'render',
    variables: { SCENE: 'shot' },
  });
  row.ended('a', 3, 0);
  row.heard();
  row.next('c', 0);
  row.heard();
  row.ended('a', 4, 0);
  t.same(row.ends, { a: 'succeeded', b: 'succeeded' }, 'the last one waits for the exits');
  t.same(commands(row.starts()), ['unload']);
  row.ended('a', 5, 0);
  row.closed('a');
  t.same(row.ends, { a: 'succeeded', b: 'succeeded', c: 'succeeded' });
  const directory = opening?.kind === 'open-session' ? opening.opening.directory : '';
  t.same(
    new Set(row.disk.reports.map((report) => report.session_id)),
    new Set([directory.replace('/w/sessions/', '')]),
    'all reports name the same session',
  );
  t.notOk(row.has('session', 'a'));
  t.end();
});

test('the cores of an ended task are free while its session waits', (t) => {
  const row = new SessionSequence();
  row.first(1);
  t.equal(row.has('session', 'a'), true);
  row.next('x', 0, { step_id: 'other' as StepId });
  t.match(
    row.heard().find(({ kind }) => kind === 'open-session'),
    { sessionId: 'x' },
    'a task of another step gets its own session',
  );
  t.end();
});

test('an idle session ends after its timeout through its exits, which log to its last task', (t) => {
  const row = new SessionSequence();
  row.first(1);
  t.same(
    row.passInContact(4_999).filter(({ kind }) => kind === 'start-action'),
    [],
  );
  t.match(row.passInContact(1), [{ kind: 'start-action', action: { command: 'unload' } }]);
  row.output('a', 3, ['licence given back']);
  row.ended('a', 3, 2);
  const shipped = row
    .passInContact(200)
    .flatMap((effect) => (effect.kind === 'ship-logs' ? effect.chunks : []));
  t.match(shipped, [{ attempt_id: 'a', seq_num: 1, data: 'licence given back\n' }]);
  row.deliver('shipper', 'a', { type: 'logs.stored', stored: 1, failure: null });
  t.match(row.heard(), [
    {
      kind: 'output-consumed',
    },
    {
      kind: 'ship-logs',
      chunks: [{ seq_num: 2, data: '[callsheet] environment Scene, onExit: failed (exit 2)\n' }],
    },
  ]);
  row.closed('a');
  t.notOk(row.has('session', 'a'));
  t.same(row.ends, { a: 'succeeded' }, 'no further report');
  t.end();
});

test('after the last task of a step was assigned, all its sessions end after their current task', (t) => {
  const row = new SessionSequence();
  const two = (left: number, ...attempts: string[]): void => {
    const step = stepOf({ step_environments: [SCENE], ready_left: left });
    const request = row.heard().find((effect) => effect.kind === 'request-lease') ?? row.register()[0];
    if (request === undefined) throw new Error('no lease request');
    row.lease(
      request,
      leases(
        attempts.map((attempt) => assignmentOf(attempt, { cores: 1 })),
        step,
      ),
    );
  };
  two(2, 'a', 'b');
  for (const attempt of ['a', 'b']) {
    row.opened(attempt);
    row.ended(attempt, 1, 0);
  }
  row.ended('a', 2, 0);
  t.same(row.ends, { a: 'succeeded' });
  row.deliver('poller', 'poller', { type: 'lease.retry', queue: '_any' });
  two(0, 'c');
  row.heard();
  row.ended('b', 2, 0);
  t.same(commands(row.starts()), ['unload'], 'its end waits for its exits');
  t.same(row.ends, { a: 'succeeded' });
  row.ended('b', 3, 0);
  row.closed('b');
  t.same(row.ends, { a: 'succeeded', b: 'succeeded' });
  t.end();
});

test('a session is reused only with the same step and terms', (t) => {
  const row = new SessionSequence();
  row.first(1);
  row.next('b', 0, {}, { compute_location: 'elsewhere' });
  t.match(
    row.heard().find(({ kind }) => kind === 'open-session'),
    { sessionId: 'b' },
  );
  t.end();
});

test('a failed task ends its session', (t) => {
  const row = new SessionSequence();
  row.first(2);
  row.next('b', 1);
  row.heard();
  row.ended('a', 3, 1);
  t.same(commands(row.starts()), ['unload']);
  row.ended('a', 4, 0);
  row.closed('a');
  row.drained('b', 'a');
  t.same(row.ends, { a: 'succeeded', b: 'failed' });
  row.heard();
  row.next('c', 0);
  t.match(
    row.heard().find(({ kind }) => kind === 'open-session'),
    { sessionId: 'c' },
  );
  t.end();
});

test('a cancel reaches the session that runs the task, and a cancel of its earlier task has no effect', (t) => {
  const row = new SessionSequence();
  row.first(2);
  row.next('b', 1);
  row.heard();
  const cancel = (attempt: string): void =>
    row.deliver('poller', 'poller', { type: 'attempt.cancel', attemptId: attempt as AttemptId, reason: 'x' });
  cancel('a');
  t.same(row.heard(), []);
  cancel('b');
  t.match(row.heard(), [{ kind: 'kill-action', sessionId: 'a', run: 3 }]);
  t.end();
});

test('losing contact ends a waiting session', (t) => {
  const row = new SessionSequence();
  row.first(1);
  row.pass(1_000);
  row.deliver('registrar', 'registrar', { type: 'contact.lost' });
  t.match(
    row.heard().filter(({ kind }) => kind === 'close-session'),
    [{ sessionId: 'a' }],
    'its exits are skipped',
  );
  t.end();
});

test('a shutdown ends waiting sessions through their exits', (t) => {
  const row = new SessionSequence();
  row.first(1);
  row.deliver('registrar', 'registrar', { type: 'agent.leave', atOnce: false });
  t.same(commands(row.starts()), ['unload']);
  row.ended('a', 3, 0);
  row.closed('a');
  t.match(
    row.heard().find(({ kind }) => kind === 'announce'),
    { announcement: { type: 'heartbeat' } },
    'the report of the task is pending',
  );
  t.end();
});

test('the tasks of a session run on the same GPUs, whose variables they get', (t) => {
  const row = new SessionSequence();
  row.next('a', 2, { gpus: [0, 2] });
  row.heard();
  row.opened('a');
  const indices = {
    CUDA_VISIBLE_DEVICES: '0,2',
    HIP_VISIBLE_DEVICES: '0,2',
    GPU_DEVICE_ORDINAL: '0,2',
    ZE_AFFINITY_MASK: '0,2',
    NVIDIA_VISIBLE_DEVICES: '0,2',
    CUDA_DEVICE_ORDER: 'PCI_BUS_ID',
  };
  t.match(row.starts(), [{ command: 'load', variables: indices }], 'an environment gets them too');
  row.ended('a', 1, 0);
  t.match(row.starts(), [{ command: 'render', variables: { ...indices, SCENE: 'shot' } }]);
  row.ended('a', 2, 0);
  row.heard();
  row.next('b', 2, { gpus: [0, 2] });
  t.match(row.starts(), [{ command: 'render' }], 'the session continues');
  row.ended('a', 3, 0);
  row.heard();
  row.next('c', 1, { gpus: [1] });
  t.match(
    row.heard().find(({ kind }) => kind === 'open-session'),
    { sessionId: 'c' },
    'a task on another GPU gets its own session',
  );
  t.end();
});

test('a task without assigned GPUs gets none of their variables', (t) => {
  const row = new SessionSequence();
  row.next('a', 0);
  row.heard();
  row.opened('a');
  const [start] = row.starts();
  t.notOk(Object.keys(start?.variables ?? {}).some((name) => /CUDA|HIP|GPU|NVIDIA|ZE_/.test(name)));
  t.end();
});
