import { test, type Test } from 'tap';
import type { AgentEffect } from '../../../actors/agent/agent-system.ts';
import type { AttemptId, TaskId, WorkerId } from '../../../src/core/ids.ts';
import type { WorkerHardware } from '../../../src/core/records/worker.ts';
import type { PresenceReply, StatusMessage } from '../../../src/core/wire/bus-messages.ts';
import {
  AgentFixture,
  alive,
  assignmentOf,
  Disk,
  FARM,
  leases,
  registered,
  stepOf,
  SETTINGS,
  WORKER,
} from './agent-fixture.ts';

const kindsOf = (effects: readonly AgentEffect[]): string[] => effects.map(({ kind }) => kind);

const reportOf = (attempt: string): StatusMessage => ({
  v: 1,
  task_id: `${attempt}-task` as TaskId,
  attempt_id: attempt as AttemptId,
  worker_id: WORKER,
  status: 'succeeded',
  exit_code: 0,
  timestamp: '2026-11-20T11:00:00.000Z',
  session_id: 'earlier',
});

/** A registered worker with one running attempt. */
function withRunning(attempt = 'a'): AgentFixture {
  const fixture = new AgentFixture();
  const [request] = fixture.register();
  if (request === undefined) throw new Error('no lease request');
  fixture.lease(request, leases([assignmentOf(attempt, { cores: 4 })]));
  fixture.opened(attempt);
  fixture.started(attempt, 1);
  fixture.ranForAMoment(attempt);
  fixture.takeEffects();
  return fixture;
}

/** Advances the time until the next announcement, which must be the only effect. */
function nextAnnouncement(
  fixture: AgentFixture,
  withinMs: number,
): Extract<AgentEffect, { kind: 'announce' }> {
  for (let passed = 0; passed <= withinMs; passed += 50) {
    fixture.pass(50);
    const [first, ...rest] = fixture.takeEffects();
    if (first === undefined) continue;
    if (first.kind !== 'announce' || rest.length > 0)
      throw new Error(`unexpected: ${JSON.stringify([first, ...rest])}`);
    return first;
  }
  throw new Error(`no effect within ${withinMs} ms`);
}

const HARDWARE: WorkerHardware = {
  gpuCount: 2,
  gpuMemoryMib: 16_376,
  gpuModels: ['NVIDIA RTX A4000', 'NVIDIA RTX A5000'],
  scratchMib: 512_000,
  osVersion: 'debian-12',
};

test('a worker registers with all its properties, then requests work and sends heartbeats', (t) => {
  const fixture = new AgentFixture({
    settings: {
      ...SETTINGS,
      farm: 'Farm',
      queues: ['fast'],
      capabilities: { hardware: HARDWARE, tags: { gpu: 'true' } },
      computeLocation: 'here',
      exprLimits: { memory: 500_000, operations: 7 },
    },
  });
  t.same(fixture.start(), {
    kind: 'announce',
    token: 1,
    timeoutMs: 10_000,
    announcement: {
      v: 1,
      type: 'register',
      worker_id: WORKER,
      incarnation: 'id-1',
      name: 'node-7',
      hostname: 'node-7.farm',
      farm: 'Farm',
      queues: ['fast'],
      cpu_count: 4,
      memory_mib: 8192,
      gpu_count: 2,
      gpu_memory_mib: 16_376,
      gpu_models: ['NVIDIA RTX A4000', 'NVIDIA RTX A5000'],
      scratch_mib: 512_000,
      os: 'linux',
      os_version: 'debian-12',
      arch: 'x86_64',
      software_version: '0.1.0',
      compute_location: 'here',
      tags: { gpu: 'true' },
      expr_memory_limit: 500_000,
      extensions: ['FEATURE_BUNDLE_1', 'WRAP_ACTIONS'],
      open_attempts: [],
    },
  });
  fixture.deliver('registrar', 'registrar', { type: 'presence.answered', token: 1, reply: registered() });
  t.match(fixture.takeEffects(), [
    { kind: 'announce', token: 2, announcement: { type: 'heartbeat', incarnation: 'id-1', farm_id: FARM } },
    { kind: 'request-lease', queue: '_any', request: { incarnation: 'id-1' }, timeoutMs: 35_000 },
  ]);
  t.end();
});

test('a registration is repeated with growing, spread delays until there is a reply', (t) => {
  const fixture = new AgentFixture();
  fixture.start();
  const waits: number[] = [];
  let last = fixture.now;
  for (let round = 0; round < 8; round++) {
    const announce = nextAnnouncement(fixture, 6000);
    t.equal(announce.announcement.type, 'register');
    waits.push(fixture.now - last);
    last = fixture.now;
  }
  for (const [round, wait] of waits.entries()) {
    const bound = Math.min(5000, 250 * 2 ** round);
    t.ok(wait >= bound / 2 && wait <= bound + 50, `${wait} of ${bound}`);
  }
  t.end();
});

test('a refused registration is logged with its reason and retried', (t) => {
  const fixture = new AgentFixture();
  fixture.answer(fixture.start(), { v: 1, type: 'refused', reason: 'no farm of that name' });
  t.same(fixture.takeEffects(), []);
  t.same(fixture.logged, ['warn: the service refused this worker: no farm of that name']);
  const again = nextAnnouncement(fixture, 30_000);
  t.equal(again.announcement.type, 'register');
  fixture.answer(again, registered());
  t.same(kindsOf(fixture.takeEffects()), ['announce', 'request-lease']);
  t.end();
});

test('a worker stays in its farm when it registers again, until that is refused', (t) => {
  const fixture = new AgentFixture();
  fixture.answer(fixture.start(), registered());
  fixture.takeEffects();
  fixture.pass(5000);
  fixture.answer(fixture.onlyEffect('announce'), { v: 1, type: 'unknown' });
  const again = fixture.onlyEffect('announce');
  t.match(again.announcement, { type: 'register', farm: FARM });
  fixture.answer(again, { v: 1, type: 'refused', reason: 'the service has no such farm' });
  fixture.takeEffects();
  t.match(nextAnnouncement(fixture, 30_000).announcement, { type: 'register', farm: '' });
  t.end();
});

test('heartbeats are sent every five seconds, or six times per short timeout', (t) => {
  for (const [timeoutMs, beatMs] of [
    [30_000, 5000],
    [60_000, 5000],
    [3000, 500],
  ] as const) {
    const fixture = new AgentFixture();
    fixture.answer(fixture.start(), registered({ heartbeat_timeout_ms: timeoutMs }));
    fixture.takeEffects();
    fixture.pass(beatMs - 1);
    t.same(fixture.takeEffects(), []);
    fixture.pass(1);
    t.match(fixture.onlyEffect('announce'), { announcement: { type: 'heartbeat' } });
  }
  t.end();
});

test('the worker id of the service is stored on disk', (t) => {
  const fixture = new AgentFixture();
  fixture.answer(fixture.start(), registered({ worker_id: 'worker-9' as WorkerId }));
  t.equal(fixture.disk.workerId, 'worker-9');
  t.match(fixture.takeEffects(), [
    { announcement: { worker_id: 'worker-9' } },
    { request: { worker_id: 'worker-9' } },
  ]);
  t.end();
});

test('reports of an earlier agent are published again and listed as open until they are confirmed', (t) => {
  const disk = new Disk();
  disk.write([
    { op: 'report-kept', report: reportOf('a') },
    { op: 'report-kept', report: reportOf('b') },
  ]);
  const fixture = new AgentFixture({ disk });
  fixture.deliver('registrar', 'registrar', { type: 'agent.start' });
  const [announce, ...reports] = fixture.takeEffects();
  t.match(announce, { announcement: { open_attempts: ['a', 'b'] } });
  t.same(reports, [
    { kind: 'report', report: reportOf('a') },
    { kind: 'report', report: reportOf('b') },
  ]);
  fixture.deliver('registrar', 'registrar', {
    type: 'presence.answered',
    token: 1,
    reply: registered({ closed: ['a' as AttemptId] }),
  });
  t.same([...disk.kept.keys()], ['b']);
  const heartbeat = fixture.takeEffects().find((effect) => effect.kind === 'announce');
  t.match(
    heartbeat,
    { announcement: { type: 'heartbeat', open_attempts: ['a', 'b'] } },
    'published before they were confirmed',
  );
  t.match(nextAnnouncement(fixture, 6000), { announcement: { open_attempts: ['b'] } });
  t.end();
});

test('a worker that is unknown to the service registers again, and its tasks continue', (t) => {
  const fixture = withRunning();
  fixture.pass(5000);
  const heartbeat = fixture.onlyEffect('announce');
  t.match(heartbeat.announcement, { open_attempts: ['a'], incarnation: 'id-1' });
  fixture.answer(heartbeat, { v: 1, type: 'unknown' });
  const register = fixture.onlyEffect('announce');
  t.match(register.announcement, { type: 'register', incarnation: 'id-1', open_attempts: ['a'] });
  fixture.answer(register, registered());
  t.match(fixture.onlyEffect('announce').announcement, { type: 'heartbeat', open_attempts: ['a'] });
  t.end();
});

test('a reply of a restarted service cancels open lease requests, which are lost', (t) => {
  const fixture = new AgentFixture();
  fixture.start();
  fixture.deliver('registrar', 'registrar', { type: 'presence.answered', token: 1, reply: registered() });
  const asked = fixture.takeEffects().find((effect) => effect.kind === 'request-lease');
  fixture.deliver('registrar', 'registrar', { type: 'presence.answered', token: 2, reply: alive() });
  t.same(fixture.takeEffects(), [], 'the same start of the service');
  const { token } = nextAnnouncement(fixture, 6000);
  const reply = { v: 1, type: 'alive', service: 'service-2', closed: [] } as const;
  fixture.deliver('registrar', 'registrar', { type: 'presence.answered', token, reply });
  t.same(fixture.takeEffects(), [{ kind: 'give-up-leases' }]);
  const { requestId = '' } = asked ?? {};
  fixture.deliver('poller', 'poller', { type: 'lease.unanswered', requestId, reason: 'timed-out' });
  t.match(
    fixture.takeEffects(),
    [{ kind: 'request-lease', queue: '_any' }],
    'new requests are sent immediately',
  );
  t.end();
});

test('a heartbeat timeout that changes with a restart of the service applies from the first reply', (t) => {
  const fixture = withRunning();
  t.equal(fixture.contactLeftMs, 23_000);
  const { token } = nextAnnouncement(fixture, 6000);
  const reply = {
    v: 1,
    type: 'alive',
    heartbeat_timeout_ms: 6000,
    service: 'service-2',
    closed: [],
  } as const;
  fixture.deliver('registrar', 'registrar', { type: 'presence.answered', token, reply });
  t.same(
    fixture.takeEffects().map(({ kind }) => kind),
    ['give-up-leases'],
  );
  t.equal(fixture.contactLeftMs, 5000);
  fixture.pass(999);
  t.same(fixture.takeEffects(), []);
  fixture.pass(1);
  t.equal(fixture.onlyEffect('announce').announcement.type, 'heartbeat');
  fixture.pass(2999);
  t.same(
    fixture.takeEffects().filter(({ kind }) => kind !== 'announce'),
    [],
  );
  fixture.pass(1);
  t.ok(
    fixture.takeEffects().some(({ kind }) => kind === 'terminate-action'),
    'four seconds after the last answered heartbeat was sent',
  );
  t.end();
});

test('a repeated reply, or one for an earlier incarnation, changes nothing', (t) => {
  const fixture = new AgentFixture();
  const first = fixture.start();
  fixture.answer(first, registered());
  fixture.takeEffects();
  fixture.answer(first, registered());
  fixture.answer(first, { v: 1, type: 'unknown' });
  fixture.answer({ ...first, token: 99 }, { v: 1, type: 'refused', reason: 'x' });
  t.same(fixture.takeEffects(), []);
  t.end();
});

test('an attempt that the service has closed is stopped within the grace, without a report', (t) => {
  const fixture = withRunning();
  fixture.pass(5000);
  fixture.answer(fixture.onlyEffect('announce'), alive('a'));
  t.same(fixture.takeEffects(), [{ kind: 'terminate-action', sessionId: 'a', run: 1 }]);
  fixture.pass(2999);
  t.same(fixture.takeEffects(), []);
  fixture.pass(1);
  t.same(fixture.takeEffects(), [{ kind: 'kill-action', sessionId: 'a', run: 1 }]);
  fixture.ended('a', 1, { kind: 'signaled', signal: 'SIGKILL' });
  t.same(fixture.takeEffects(), [
    { kind: 'close-session', sessionId: 'a', closing: { keepDirectory: false } },
  ]);
  fixture.closed('a');
  t.same(kindsOf(fixture.takeEffects()), ['unfollow-cancels', 'request-lease']);
  t.same(fixture.disk.reports, []);
  t.end();
});

test('without contact for two thirds of the timeout all tasks are stopped and given back by a new incarnation', (t) => {
  const fixture = withRunning();
  const lastHeard = fixture.now;
  t.equal(fixture.contactLeftMs, 23_000, 'the supervisors wait for the grace of the worker');
  for (let beats = 0; beats < 3; beats++)
    t.equal(nextAnnouncement(fixture, 6000).announcement.type, 'heartbeat');
  fixture.pass(lastHeard + 19_999 - fixture.now);
  t.same(fixture.takeEffects(), []);
  fixture.pass(1);
  t.same(fixture.takeEffects(), [{ kind: 'terminate-action', sessionId: 'a', run: 1 }]);
  fixture.pass(3000);
  t.same(fixture.takeEffects(), [{ kind: 'kill-action', sessionId: 'a', run: 1 }]);
  fixture.ended('a', 1, { kind: 'signaled', signal: 'SIGKILL' });
  t.same(
    fixture.takeEffects(),
    [{ kind: 'close-session', sessionId: 'a', closing: { keepDirectory: false } }],
    'no registration while a task runs',
  );
  fixture.closed('a');
  const [unfollow, register] = fixture.takeEffects();
  t.equal(unfollow?.kind, 'unfollow-cancels');
  t.match(register, { announcement: { type: 'register', open_attempts: { length: 0 } } });
  t.notMatch(register, { announcement: { incarnation: 'id-1' } });
  t.same(fixture.disk.reports, []);
  t.equal(fixture.contactLeftMs, null, 'no task is left to supervise');
  t.end();
});

test('a heartbeat extends the contact from its sending, not from its reply', (t) => {
  const fixture = withRunning();
  fixture.pass(5000);
  const heartbeat = fixture.onlyEffect('announce');
  const saidAt = fixture.now;
  fixture.pass(14_000);
  const later = fixture.takeEffects();
  t.same(kindsOf(later), ['announce', 'announce']);
  fixture.answer(heartbeat, alive());
  t.equal(fixture.contactLeftMs, 9000, 'of 23 s');
  fixture.pass(saidAt + 20_000 - fixture.now - 1);
  t.same(kindsOf(fixture.takeEffects()), ['announce'], 'a heartbeat, and no task is stopped');
  fixture.pass(1);
  t.ok(fixture.takeEffects().some(({ kind }) => kind === 'terminate-action'));
  t.end();
});

test('a reply that arrived while the agent was stalled does not extend the contact', (t) => {
  const fixture = withRunning();
  fixture.pass(5000);
  const heartbeat = fixture.onlyEffect('announce');
  fixture.stall(14_000);
  fixture.answer(heartbeat, alive());
  fixture.pass(0);
  fixture.takeEffects();
  fixture.pass(1500);
  t.match(fixture.takeEffects(), [{ kind: 'terminate-action' }], 'the time since the contact before counts');
  t.end();
});

test('an attempt whose processes were killed by their supervisor is given back, and others are kept', (t) => {
  const fixture = new AgentFixture();
  const [request] = fixture.register();
  fixture.lease(
    request as NonNullable<typeof request>,
    leases([assignmentOf('a', { cores: 2 }), assignmentOf('b', { cores: 2 })]),
  );
  for (const attempt of ['a', 'b']) {
    fixture.opened(attempt);
    fixture.started(attempt, 1);
  }
  fixture.takeEffects();
  fixture.ended('a', 1, { kind: 'fenced' });
  t.same(fixture.takeEffects(), [
    { kind: 'close-session', sessionId: 'a', closing: { keepDirectory: false } },
  ]);
  fixture.closed('a');
  const [unfollow, register, ...rest] = fixture.takeEffects();
  t.equal(unfollow?.kind, 'unfollow-cancels');
  t.match(register, { announcement: { type: 'register', open_attempts: ['b'] } });
  t.same(rest, [], 'no work is requested before the new registration');
  t.notMatch(register, { announcement: { incarnation: 'id-1' } });
  fixture.pass(20_000);
  t.ok(
    fixture.takeEffects().some((effect) => effect.kind === 'terminate-action' && effect.sessionId === 'b'),
    'the contact is still valid',
  );
  t.end();
});

function leaving(t: Test, fixture: AgentFixture): void {
  fixture.deliver('registrar', 'registrar', { type: 'agent.leave', atOnce: true });
  fixture.deliver('registrar', 'registrar', { type: 'agent.leave', atOnce: false });
  t.match(fixture.logged.at(-1), /^info: shutting down$/);
}

const DEPARTED: PresenceReply = { v: 1, type: 'departed' };

test('an immediate shutdown stops the tasks without reports and departs', (t) => {
  const fixture = withRunning();
  leaving(t, fixture);
  t.same(fixture.takeEffects(), [{ kind: 'kill-action', sessionId: 'a', run: 1 }]);
  fixture.ended('a', 1, 0);
  t.same(fixture.takeEffects(), [
    { kind: 'close-session', sessionId: 'a', closing: { keepDirectory: false } },
  ]);
  fixture.closed('a');
  const [, departure, ...rest] = fixture.takeEffects();
  t.same(departure, {
    kind: 'announce',
    token: 3,
    timeoutMs: 3000,
    announcement: { v: 1, type: 'deregister', worker_id: WORKER, farm_id: FARM, incarnation: 'id-1' },
  });
  t.same(rest, []);
  t.same(fixture.disk.reports, []);
  fixture.answer(departure as Parameters<AgentFixture['answer']>[0], DEPARTED);
  t.same(fixture.takeEffects(), [{ kind: 'stopped' }]);
  fixture.pass(60_000);
  t.same(fixture.takeEffects(), []);
  t.end();
});

test('a shutdown completes without a reply to the departure', (t) => {
  const fixture = new AgentFixture();
  fixture.register();
  leaving(t, fixture);
  const departure = fixture.onlyEffect('announce');
  fixture.deliver('registrar', 'registrar', {
    type: 'presence.unanswered',
    token: departure.token,
    reason: 'timed out',
  });
  t.same(fixture.takeEffects(), [{ kind: 'stopped' }]);
  t.end();
});

test('a worker that was never registered shuts down without a departure', (t) => {
  const fixture = new AgentFixture();
  fixture.start();
  leaving(t, fixture);
  t.same(fixture.takeEffects(), [{ kind: 'stopped' }]);
  fixture.pass(60_000);
  t.same(fixture.takeEffects(), []);
  t.end();
});

test('a worker with an unconfirmed report keeps sending heartbeats and shuts down without a departure', (t) => {
  for (const isConfirmed of [true, false]) {
    const fixture = withRunning();
    fixture.ended('a', 1, 0);
    fixture.closed('a');
    fixture.takeEffects();
    leaving(t, fixture);
    const heartbeat = fixture.takeEffects().find((effect) => effect.kind === 'announce');
    t.match(heartbeat, { announcement: { type: 'heartbeat', open_attempts: ['a'] } });
    if (isConfirmed) {
      fixture.answer(heartbeat as Parameters<AgentFixture['answer']>[0], alive('a'));
      t.match(fixture.takeEffects(), [{ announcement: { type: 'deregister' } }]);
    } else {
      fixture.pass(4999);
      const said = fixture.takeEffects();
      t.notOk(said.some(({ kind }) => kind === 'stopped'));
      const beats = said.filter((effect) => effect.kind === 'announce');
      t.equal(beats.length, 9, 'twice a second: the report may reach the service after a heartbeat');
      fixture.pass(1);
      t.ok(fixture.takeEffects().some(({ kind }) => kind === 'stopped'));
      t.same([...fixture.disk.kept.keys()], ['a']);
    }
  }
  t.end();
});

function draining(fixture: AgentFixture): AgentEffect[] {
  fixture.deliver('registrar', 'registrar', { type: 'agent.leave', atOnce: false });
  return fixture.takeEffects();
}

test('a draining worker finishes its task, reports it and departs', (t) => {
  const fixture = withRunning();
  const [heartbeat, ...rest] = draining(fixture);
  t.match(heartbeat, { announcement: { type: 'heartbeat', open_attempts: ['a'], draining: true } });
  t.same(rest, [], 'nothing is stopped or requested');
  fixture.answer(heartbeat as Parameters<AgentFixture['answer']>[0], alive());
  t.same(
    fixture.passInContact(59_000).filter(({ kind }) => kind !== 'announce'),
    [],
  );
  fixture.ended('a', 1, 0);
  fixture.closed('a');
  fixture.drained('a');
  const last = fixture.takeEffects().find((effect) => effect.kind === 'announce');
  t.match(last, { announcement: { type: 'heartbeat', open_attempts: ['a'] } });
  fixture.answer(last as Parameters<AgentFixture['answer']>[0], alive('a'));
  t.match(fixture.takeEffects(), [{ announcement: { type: 'deregister' } }]);
  t.end();
});

test('tasks that exceed the drain timeout, or a second signal, are stopped and given back', (t) => {
  for (const isSecond of [true, false]) {
    const fixture = withRunning();
    draining(fixture);
    if (isSecond) fixture.deliver('registrar', 'registrar', { type: 'agent.leave', atOnce: true });
    else fixture.passInContact(60_000);
    const stops = isSecond ? fixture.takeEffects() : fixture.passInContact(5_000);
    t.match(
      stops.filter(({ kind }) => kind.endsWith('-action')),
      [{ kind: 'kill-action', sessionId: 'a' }],
    );
    fixture.ended('a', 1, { kind: 'signaled', signal: 'SIGKILL' });
    fixture.closed('a');
    t.same(fixture.disk.reports, []);
    t.ok(
      fixture
        .takeEffects()
        .some((effect) => effect.kind === 'announce' && effect.announcement.type === 'deregister'),
    );
  }
  t.end();
});

test('environment exits that exceed their time limit are killed', (t) => {
  const fixture = new AgentFixture();
  fixture.answer(fixture.start(), registered());
  const request = fixture.takeEffects().find((effect) => effect.kind === 'request-lease');
  if (request === undefined) throw new Error('no lease request');
  const onExit = { command: 'release', args: [] };
  const steps = { job_environments: [{ name: 'Licence', variables: {}, onExit, embeddedFiles: [] }] };
  fixture.lease(request, leases([assignmentOf('a', { cores: 4 })], stepOf(steps)));
  fixture.opened('a');
  fixture.started('a', 1);
  fixture.takeEffects();
  draining(fixture);
  fixture.passInContact(60_000);
  fixture.ended('a', 1, { kind: 'signaled', signal: 'SIGTERM' });
  t.match(
    fixture.takeEffects().filter(({ kind }) => kind.endsWith('-action')),
    [{ kind: 'start-action', sessionId: 'a', action: { run: 2 } }],
  );
  t.match(
    fixture.passInContact(15_000).filter(({ kind }) => kind.endsWith('-action')),
    [{ kind: 'kill-action', sessionId: 'a', run: 2 }],
  );
  fixture.ended('a', 2, { kind: 'signaled', signal: 'SIGKILL' });
  fixture.closed('a');
  t.same(fixture.disk.reports, []);
  t.ok(
    fixture
      .takeEffects()
      .some((effect) => effect.kind === 'announce' && effect.announcement.type === 'deregister'),
  );
  t.end();
});

test('a short timeout has a short grace: no process runs when the service reclaims the tasks', (t) => {
  const timeoutMs = 6000;
  const fixture = new AgentFixture();
  const heardAt = fixture.now;
  fixture.answer(fixture.start(), registered({ heartbeat_timeout_ms: timeoutMs }));
  const request = fixture.takeEffects().find((effect) => effect.kind === 'request-lease');
  if (request === undefined) throw new Error('no lease request');
  fixture.lease(request, leases([assignmentOf('a', { cores: 4 })]));
  fixture.opened('a');
  fixture.started('a', 1);
  fixture.takeEffects();
  const stops: [kind: string, after: number][] = [];
  while (fixture.now < heardAt + timeoutMs) {
    fixture.pass(50);
    for (const { kind } of fixture.takeEffects())
      if (kind === 'terminate-action' || kind === 'kill-action') stops.push([kind, fixture.now - heardAt]);
  }
  t.same(stops, [
    ['terminate-action', 4000],
    ['kill-action', 5000],
  ]);
  t.end();
});

test('a draining worker that loses contact stops its tasks', (t) => {
  const fixture = withRunning();
  draining(fixture);
  fixture.pass(20_000);
  t.match(
    fixture.takeEffects().filter(({ kind }) => kind.endsWith('-action')),
    [{ kind: 'terminate-action', sessionId: 'a' }],
  );
  fixture.ended('a', 1, { kind: 'signaled', signal: 'SIGTERM' });
  fixture.closed('a');
  t.match(
    fixture.takeEffects().filter(({ kind }) => kind === 'announce'),
    [{ announcement: { type: 'deregister' } }],
    'it departs and does not register again',
  );
  t.end();
});

test('a worker departs only after an idle session has exited its environments', (t) => {
  for (const atOnce of [false, true]) {
    const fixture = new AgentFixture();
    const [request] = fixture.register();
    if (request === undefined) throw new Error('no lease request');
    const onExit = { command: 'release', args: [] };
    const job_environments = [{ name: 'Licence', variables: {}, onExit, embeddedFiles: [] }];
    const step = stepOf({ job_environments, ready_left: 1 });
    fixture.lease(request, leases([assignmentOf('a', { cores: 4 })], step));
    fixture.opened('a');
    fixture.started('a', 1);
    fixture.ended('a', 1, 0);
    fixture.drained('a');
    fixture.deliver('registrar', 'registrar', {
      type: 'reports.confirmed',
      attemptIds: ['a' as AttemptId],
    });
    fixture.takeEffects();
    fixture.deliver('registrar', 'registrar', { type: 'agent.leave', atOnce });
    const effects = fixture.takeEffects();
    const isDeparting = (sent: readonly AgentEffect[]): boolean =>
      sent.some((effect) => effect.kind === 'announce' && effect.announcement.type === 'deregister');
    t.ok(
      effects.some(({ kind }) => kind === 'start-action'),
      'the exit runs',
    );
    t.notOk(isDeparting(effects));
    fixture.started('a', 2);
    fixture.ended('a', 2, 0);
    t.notOk(isDeparting(fixture.takeEffects()), 'the session is not closed');
    fixture.closed('a');
    t.ok(isDeparting(fixture.takeEffects()));
  }
  t.end();
});

test('a late reply to an earlier incarnation does not make the worker register again', (t) => {
  const fixture = withRunning();
  fixture.pass(5000);
  const heartbeat = fixture.onlyEffect('announce');
  fixture.pass(20_000);
  fixture.ended('a', 1, { kind: 'signaled', signal: 'SIGTERM' });
  fixture.closed('a');
  const register = fixture
    .takeEffects()
    .findLast((effect) => effect.kind === 'announce' && effect.announcement.type === 'register');
  fixture.answer(register as Extract<AgentEffect, { kind: 'announce' }>, registered());
  fixture.takeEffects();
  fixture.answer(heartbeat, { v: 1, type: 'unknown' });
  t.same(fixture.takeEffects(), [], 'the reply is about the incarnation before');
  t.end();
});

const OFFERED = { hardware: HARDWARE, tags: { gpu: 'true' } };
const MORE = { hardware: HARDWARE, tags: { gpu: 'true', blender: 'true' } };

/** A registered worker without pending effects. */
function registeredWorker(): AgentFixture {
  const fixture = new AgentFixture({ settings: { ...SETTINGS, capabilities: OFFERED } });
  fixture.start();
  fixture.deliver('registrar', 'registrar', { type: 'presence.answered', token: 1, reply: registered() });
  fixture.takeEffects();
  return fixture;
}

test('changed capabilities are sent in a registration of the same incarnation, and tasks continue', (t) => {
  const fixture = registeredWorker();
  fixture.deliver('registrar', 'registrar', { type: 'capabilities.found', capabilities: MORE });
  const renewal = fixture.onlyEffect('announce');
  t.match(renewal.announcement, {
    type: 'register',
    incarnation: 'id-1',
    tags: MORE.tags,
    open_attempts: [],
  });
  fixture.deliver('registrar', 'registrar', {
    type: 'presence.answered',
    token: renewal.token,
    reply: registered(),
  });
  t.same(fixture.takeEffects(), [], 'the open lease request stays open');
  fixture.deliver('registrar', 'registrar', { type: 'announce.due' });
  t.match(fixture.onlyEffect('announce').announcement, { type: 'heartbeat' }, 'it is sent once');
  t.end();
});

test('a renewal without a reply is repeated with the next heartbeat', (t) => {
  const fixture = registeredWorker();
  fixture.deliver('registrar', 'registrar', { type: 'capabilities.found', capabilities: MORE });
  const { token } = fixture.onlyEffect('announce');
  fixture.deliver('registrar', 'registrar', { type: 'presence.unanswered', token, reason: 'lost' });
  t.same(fixture.takeEffects(), []);
  fixture.deliver('registrar', 'registrar', { type: 'announce.due' });
  t.match(fixture.takeEffects(), [
    { kind: 'announce', announcement: { type: 'heartbeat' } },
    { kind: 'announce', announcement: { type: 'register', tags: MORE.tags } },
  ]);
  t.end();
});

test('a refused renewal is not repeated, and the worker stays registered', (t) => {
  const fixture = registeredWorker();
  fixture.deliver('registrar', 'registrar', { type: 'capabilities.found', capabilities: MORE });
  const { token } = fixture.onlyEffect('announce');
  const reply: PresenceReply = { v: 1, type: 'refused', reason: 'the farm has no queue "fast"' };
  fixture.deliver('registrar', 'registrar', { type: 'presence.answered', token, reply });
  t.match(fixture.logged.at(-1), /refused the changed worker capabilities: the farm has no queue "fast"/);
  fixture.deliver('registrar', 'registrar', { type: 'announce.due' });
  t.match(fixture.onlyEffect('announce').announcement, { type: 'heartbeat' });
  t.end();
});

test('capabilities that change before the first reply are sent with the next registration', (t) => {
  const fixture = new AgentFixture({ settings: { ...SETTINGS, capabilities: OFFERED } });
  fixture.start();
  fixture.deliver('registrar', 'registrar', { type: 'capabilities.found', capabilities: MORE });
  t.same(fixture.takeEffects(), []);
  fixture.deliver('registrar', 'registrar', { type: 'presence.answered', token: 1, reply: registered() });
  fixture.takeEffects();
  fixture.deliver('registrar', 'registrar', { type: 'announce.due' });
  t.match(fixture.takeEffects(), [
    { kind: 'announce', announcement: { type: 'heartbeat' } },
    { kind: 'announce', announcement: { type: 'register', tags: MORE.tags } },
  ]);
  t.end();
});
