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

/** A registered worker on which one attempt runs. */
function withRunning(attempt = 'a'): AgentFixture {
  const fixture = new AgentFixture();
  const [request] = fixture.register();
  if (request === undefined) throw new Error('no lease request');
  fixture.lease(request, leases([assignmentOf(attempt, { cores: 4 })]));
  fixture.opened(attempt);
  fixture.started(attempt, 1);
  fixture.ranForAMoment(attempt);
  fixture.said();
  return fixture;
}

/** Lets the time pass until the next announcement, which must be all that is said. */
function nextAnnouncement(
  fixture: AgentFixture,
  withinMs: number,
): Extract<AgentEffect, { kind: 'announce' }> {
  for (let passed = 0; passed <= withinMs; passed += 50) {
    fixture.pass(50);
    const [first, ...rest] = fixture.said();
    if (first === undefined) continue;
    if (first.kind !== 'announce' || rest.length > 0)
      throw new Error(`unexpected: ${JSON.stringify([first, ...rest])}`);
    return first;
  }
  throw new Error(`nothing was said within ${withinMs} ms`);
}

const HARDWARE: WorkerHardware = {
  gpuCount: 2,
  gpuMemoryMib: 16_376,
  gpuModels: ['NVIDIA RTX A4000', 'NVIDIA RTX A5000'],
  scratchMib: 512_000,
  osVersion: 'debian-12',
};

test('a worker says all that it offers, then asks for work and beats', (t) => {
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
      open_attempts: [],
    },
  });
  fixture.tell('registrar', 'registrar', { type: 'presence.answered', token: 1, reply: registered() });
  t.match(fixture.said(), [
    { kind: 'announce', token: 2, announcement: { type: 'heartbeat', incarnation: 'id-1', farm_id: FARM } },
    { kind: 'request-lease', queue: '_any', request: { incarnation: 'id-1' }, timeoutMs: 35_000 },
  ]);
  t.end();
});

test('it registers again and again, later each time and spread, until it is answered', (t) => {
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

test('a refused registration is said plainly and tried again', (t) => {
  const fixture = new AgentFixture();
  fixture.answer(fixture.start(), { v: 1, type: 'refused', reason: 'no farm of that name' });
  t.same(fixture.said(), []);
  t.same(fixture.logged, ['warn: the service refused this worker: no farm of that name']);
  const again = nextAnnouncement(fixture, 30_000);
  t.equal(again.announcement.type, 'register');
  fixture.answer(again, registered());
  t.same(kindsOf(fixture.said()), ['announce', 'request-lease']);
  t.end();
});

test('a worker that registers again keeps to its farm, until that is refused', (t) => {
  const fixture = new AgentFixture();
  fixture.answer(fixture.start(), registered());
  fixture.said();
  fixture.pass(5000);
  fixture.answer(fixture.saidOnly('announce'), { v: 1, type: 'unknown' });
  const again = fixture.saidOnly('announce');
  t.match(again.announcement, { type: 'register', farm: FARM });
  fixture.answer(again, { v: 1, type: 'refused', reason: 'the service has no such farm' });
  fixture.said();
  t.match(nextAnnouncement(fixture, 30_000).announcement, { type: 'register', farm: '' });
  t.end();
});

test('it beats every five seconds, or six times in a short timeout', (t) => {
  for (const [timeoutMs, beatMs] of [
    [30_000, 5000],
    [60_000, 5000],
    [3000, 500],
  ] as const) {
    const fixture = new AgentFixture();
    fixture.answer(fixture.start(), registered({ heartbeat_timeout_ms: timeoutMs }));
    fixture.said();
    fixture.pass(beatMs - 1);
    t.same(fixture.said(), []);
    fixture.pass(1);
    t.match(fixture.saidOnly('announce'), { announcement: { type: 'heartbeat' } });
  }
  t.end();
});

test('the service’s name for the worker is kept on the disk', (t) => {
  const fixture = new AgentFixture();
  fixture.answer(fixture.start(), registered({ worker_id: 'worker-9' as WorkerId }));
  t.equal(fixture.disk.workerId, 'worker-9');
  t.match(fixture.said(), [
    { announcement: { worker_id: 'worker-9' } },
    { request: { worker_id: 'worker-9' } },
  ]);
  t.end();
});

test('reports of an earlier daemon are said again and listed as open until they are confirmed', (t) => {
  const disk = new Disk();
  disk.write([
    { op: 'report-kept', report: reportOf('a') },
    { op: 'report-kept', report: reportOf('b') },
  ]);
  const fixture = new AgentFixture({ disk });
  fixture.tell('registrar', 'registrar', { type: 'agent.start' });
  const [announce, ...reports] = fixture.said();
  t.match(announce, { announcement: { open_attempts: ['a', 'b'] } });
  t.same(reports, [
    { kind: 'report', report: reportOf('a') },
    { kind: 'report', report: reportOf('b') },
  ]);
  fixture.tell('registrar', 'registrar', {
    type: 'presence.answered',
    token: 1,
    reply: registered({ closed: ['a' as AttemptId] }),
  });
  t.same([...disk.kept.keys()], ['b']);
  const heartbeat = fixture.said().find((effect) => effect.kind === 'announce');
  t.match(
    heartbeat,
    { announcement: { type: 'heartbeat', open_attempts: ['a', 'b'] } },
    'said before it was settled',
  );
  t.match(nextAnnouncement(fixture, 6000), { announcement: { open_attempts: ['b'] } });
  t.end();
});

test('a service that does not know the worker is registered with again, and what runs goes on', (t) => {
  const fixture = withRunning();
  fixture.pass(5000);
  const heartbeat = fixture.saidOnly('announce');
  t.match(heartbeat.announcement, { open_attempts: ['a'], incarnation: 'id-1' });
  fixture.answer(heartbeat, { v: 1, type: 'unknown' });
  const register = fixture.saidOnly('announce');
  t.match(register.announcement, { type: 'register', incarnation: 'id-1', open_attempts: ['a'] });
  fixture.answer(register, registered());
  t.match(fixture.saidOnly('announce').announcement, { type: 'heartbeat', open_attempts: ['a'] });
  t.end();
});

test('when another start of the service answers, open lease requests are given up: it does not know them', (t) => {
  const fixture = new AgentFixture();
  fixture.start();
  fixture.tell('registrar', 'registrar', { type: 'presence.answered', token: 1, reply: registered() });
  const asked = fixture.said().find((effect) => effect.kind === 'request-lease');
  fixture.tell('registrar', 'registrar', { type: 'presence.answered', token: 2, reply: alive() });
  t.same(fixture.said(), [], 'the same start');
  const { token } = nextAnnouncement(fixture, 6000);
  const reply = { v: 1, type: 'alive', service: 'service-2', closed: [] } as const;
  fixture.tell('registrar', 'registrar', { type: 'presence.answered', token, reply });
  t.same(fixture.said(), [{ kind: 'give-up-leases' }]);
  const { requestId = '' } = asked ?? {};
  fixture.tell('poller', 'poller', { type: 'lease.unanswered', requestId, reason: 'timed-out' });
  t.match(fixture.said(), [{ kind: 'request-lease', queue: '_any' }], 'and asked again at once');
  t.end();
});

test('a heartbeat timeout that is another one after a new start of the service holds from its first answer on', (t) => {
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
  fixture.tell('registrar', 'registrar', { type: 'presence.answered', token, reply });
  t.same(
    fixture.said().map(({ kind }) => kind),
    ['give-up-leases'],
  );
  t.equal(fixture.contactLeftMs, 5000);
  fixture.pass(999);
  t.same(fixture.said(), []);
  fixture.pass(1);
  t.equal(fixture.saidOnly('announce').announcement.type, 'heartbeat');
  fixture.pass(2999);
  t.same(
    fixture.said().filter(({ kind }) => kind !== 'announce'),
    [],
  );
  fixture.pass(1);
  t.ok(
    fixture.said().some(({ kind }) => kind === 'terminate-action'),
    'four seconds after the answered one was sent',
  );
  t.end();
});

test('an answer that is doubled, or meant for an earlier incarnation, changes nothing', (t) => {
  const fixture = new AgentFixture();
  const first = fixture.start();
  fixture.answer(first, registered());
  fixture.said();
  fixture.answer(first, registered());
  fixture.answer(first, { v: 1, type: 'unknown' });
  fixture.answer({ ...first, token: 99 }, { v: 1, type: 'refused', reason: 'x' });
  t.same(fixture.said(), []);
  t.end();
});

test('an attempt that the service has closed is stopped within the grace, without a report', (t) => {
  const fixture = withRunning();
  fixture.pass(5000);
  fixture.answer(fixture.saidOnly('announce'), alive('a'));
  t.same(fixture.said(), [{ kind: 'terminate-action', sessionId: 'a', run: 1 }]);
  fixture.pass(2999);
  t.same(fixture.said(), []);
  fixture.pass(1);
  t.same(fixture.said(), [{ kind: 'kill-action', sessionId: 'a', run: 1 }]);
  fixture.ended('a', 1, { kind: 'signaled', signal: 'SIGKILL' });
  t.same(fixture.said(), [{ kind: 'close-session', sessionId: 'a', closing: { keepDirectory: false } }]);
  fixture.closed('a');
  t.same(kindsOf(fixture.said()), ['unfollow-cancels', 'request-lease']);
  t.same(fixture.disk.reports, []);
  t.end();
});

test('without contact for two thirds of the timeout everything is stopped, and given back by a new incarnation', (t) => {
  const fixture = withRunning();
  const lastHeard = fixture.now;
  t.equal(fixture.contactLeftMs, 23_000, 'the guards wait for the grace of the worker');
  for (let beats = 0; beats < 3; beats++)
    t.equal(nextAnnouncement(fixture, 6000).announcement.type, 'heartbeat');
  fixture.pass(lastHeard + 19_999 - fixture.now);
  t.same(fixture.said(), []);
  fixture.pass(1);
  t.same(fixture.said(), [{ kind: 'terminate-action', sessionId: 'a', run: 1 }]);
  fixture.pass(3000);
  t.same(fixture.said(), [{ kind: 'kill-action', sessionId: 'a', run: 1 }]);
  fixture.ended('a', 1, { kind: 'signaled', signal: 'SIGKILL' });
  t.same(
    fixture.said(),
    [{ kind: 'close-session', sessionId: 'a', closing: { keepDirectory: false } }],
    'nothing is registered while something runs',
  );
  fixture.closed('a');
  const [unfollow, register] = fixture.said();
  t.equal(unfollow?.kind, 'unfollow-cancels');
  t.match(register, { announcement: { type: 'register', open_attempts: [] } });
  t.notMatch(register, { announcement: { incarnation: 'id-1' } });
  t.same(fixture.disk.reports, []);
  t.equal(fixture.contactLeftMs, null, 'there is nothing to guard');
  t.end();
});

test('a heartbeat counts from when it was said, not from when it was answered', (t) => {
  const fixture = withRunning();
  fixture.pass(5000);
  const heartbeat = fixture.saidOnly('announce');
  const saidAt = fixture.now;
  fixture.pass(14_000);
  const later = fixture.said();
  t.same(kindsOf(later), ['announce', 'announce']);
  fixture.answer(heartbeat, alive());
  t.equal(fixture.contactLeftMs, 9000, 'of 23 s');
  fixture.pass(saidAt + 20_000 - fixture.now - 1);
  t.same(kindsOf(fixture.said()), ['announce'], 'a beat, and nothing is stopped');
  fixture.pass(1);
  t.ok(fixture.said().some(({ kind }) => kind === 'terminate-action'));
  t.end();
});

test('what was answered while the daemon did not run proves nothing', (t) => {
  const fixture = withRunning();
  fixture.pass(5000);
  const heartbeat = fixture.saidOnly('announce');
  fixture.stall(14_000);
  fixture.answer(heartbeat, alive());
  fixture.pass(0);
  fixture.said();
  fixture.pass(1500);
  t.match(fixture.said(), [{ kind: 'terminate-action' }], 'the time since the contact before counts');
  t.end();
});

test('an attempt whose processes were ended by their supervisor is given back; the others are kept', (t) => {
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
  fixture.said();
  fixture.ended('a', 1, { kind: 'fenced' });
  t.same(fixture.said(), [{ kind: 'close-session', sessionId: 'a', closing: { keepDirectory: false } }]);
  fixture.closed('a');
  const [unfollow, register, ...rest] = fixture.said();
  t.equal(unfollow?.kind, 'unfollow-cancels');
  t.match(register, { announcement: { type: 'register', open_attempts: ['b'] } });
  t.same(rest, [], 'no work is asked for before the new registration');
  t.notMatch(register, { announcement: { incarnation: 'id-1' } });
  fixture.pass(20_000);
  t.ok(
    fixture.said().some((effect) => effect.kind === 'terminate-action' && effect.sessionId === 'b'),
    'the contact still counts',
  );
  t.end();
});

function leaving(t: Test, fixture: AgentFixture): void {
  fixture.tell('registrar', 'registrar', { type: 'agent.leave', atOnce: true });
  fixture.tell('registrar', 'registrar', { type: 'agent.leave', atOnce: false });
  t.match(fixture.logged.at(-1), /^info: shutting down$/);
}

const DEPARTED: PresenceReply = { v: 1, type: 'departed' };

test('a worker that leaves at once stops its tasks, reports nothing of them and says good-bye', (t) => {
  const fixture = withRunning();
  leaving(t, fixture);
  t.same(fixture.said(), [{ kind: 'kill-action', sessionId: 'a', run: 1 }]);
  fixture.ended('a', 1, 0);
  t.same(fixture.said(), [{ kind: 'close-session', sessionId: 'a', closing: { keepDirectory: false } }]);
  fixture.closed('a');
  const [, departure, ...rest] = fixture.said();
  t.same(departure, {
    kind: 'announce',
    token: 3,
    timeoutMs: 3000,
    announcement: { v: 1, type: 'deregister', worker_id: WORKER, farm_id: FARM, incarnation: 'id-1' },
  });
  t.same(rest, []);
  t.same(fixture.disk.reports, []);
  fixture.answer(departure as Parameters<AgentFixture['answer']>[0], DEPARTED);
  t.same(fixture.said(), [{ kind: 'stopped' }]);
  fixture.pass(60_000);
  t.same(fixture.said(), []);
  t.end();
});

test('a departure without an answer ends all the same', (t) => {
  const fixture = new AgentFixture();
  fixture.register();
  leaving(t, fixture);
  const departure = fixture.saidOnly('announce');
  fixture.tell('registrar', 'registrar', {
    type: 'presence.unanswered',
    token: departure.token,
    reason: 'timed out',
  });
  t.same(fixture.said(), [{ kind: 'stopped' }]);
  t.end();
});

test('a worker that was never registered leaves without a word', (t) => {
  const fixture = new AgentFixture();
  fixture.start();
  leaving(t, fixture);
  t.same(fixture.said(), [{ kind: 'stopped' }]);
  fixture.pass(60_000);
  t.same(fixture.said(), []);
  t.end();
});

test('a worker with an unconfirmed report asks again and again, and leaves in silence rather than give an ended task back', (t) => {
  for (const isConfirmed of [true, false]) {
    const fixture = withRunning();
    fixture.ended('a', 1, 0);
    fixture.closed('a');
    fixture.said();
    leaving(t, fixture);
    const heartbeat = fixture.said().find((effect) => effect.kind === 'announce');
    t.match(heartbeat, { announcement: { type: 'heartbeat', open_attempts: ['a'] } });
    if (isConfirmed) {
      fixture.answer(heartbeat as Parameters<AgentFixture['answer']>[0], alive('a'));
      t.match(fixture.said(), [{ announcement: { type: 'deregister' } }]);
    } else {
      fixture.pass(4999);
      const said = fixture.said();
      t.notOk(said.some(({ kind }) => kind === 'stopped'));
      const beats = said.filter((effect) => effect.kind === 'announce');
      t.equal(beats.length, 9, 'asked twice a second: the report may reach the service after a heartbeat');
      fixture.pass(1);
      t.ok(fixture.said().some(({ kind }) => kind === 'stopped'));
      t.same([...fixture.disk.kept.keys()], ['a']);
    }
  }
  t.end();
});

function draining(fixture: AgentFixture): AgentEffect[] {
  fixture.tell('registrar', 'registrar', { type: 'agent.leave', atOnce: false });
  return fixture.said();
}

test('a worker that was told to stop lets its task end, reports it and says good-bye', (t) => {
  const fixture = withRunning();
  const [heartbeat, ...rest] = draining(fixture);
  t.match(heartbeat, { announcement: { type: 'heartbeat', open_attempts: ['a'], draining: true } });
  t.same(rest, [], 'nothing is stopped, and nothing asked for');
  fixture.answer(heartbeat as Parameters<AgentFixture['answer']>[0], alive());
  t.same(
    fixture.passInContact(59_000).filter(({ kind }) => kind !== 'announce'),
    [],
  );
  fixture.ended('a', 1, 0);
  fixture.closed('a');
  fixture.drained('a');
  const last = fixture.said().find((effect) => effect.kind === 'announce');
  t.match(last, { announcement: { type: 'heartbeat', open_attempts: ['a'] } });
  fixture.answer(last as Parameters<AgentFixture['answer']>[0], alive('a'));
  t.match(fixture.said(), [{ announcement: { type: 'deregister' } }]);
  t.end();
});

test('tasks that do not end in time, or a second signal, are stopped and given back', (t) => {
  for (const isSecond of [true, false]) {
    const fixture = withRunning();
    draining(fixture);
    if (isSecond) fixture.tell('registrar', 'registrar', { type: 'agent.leave', atOnce: true });
    else fixture.passInContact(60_000);
    const stops = isSecond ? fixture.said() : fixture.passInContact(5_000);
    t.match(
      stops.filter(({ kind }) => kind.endsWith('-action')),
      [{ kind: 'kill-action', sessionId: 'a' }],
    );
    fixture.ended('a', 1, { kind: 'signaled', signal: 'SIGKILL' });
    fixture.closed('a');
    t.same(fixture.disk.reports, []);
    t.ok(
      fixture
        .said()
        .some((effect) => effect.kind === 'announce' && effect.announcement.type === 'deregister'),
    );
  }
  t.end();
});

test('exits of environments that do not end in time are ended as well', (t) => {
  const fixture = new AgentFixture();
  fixture.answer(fixture.start(), registered());
  const request = fixture.said().find((effect) => effect.kind === 'request-lease');
  if (request === undefined) throw new Error('no lease request');
  const onExit = { command: 'release', args: [] };
  const steps = { job_environments: [{ name: 'Licence', variables: {}, onExit, embeddedFiles: [] }] };
  fixture.lease(request, leases([assignmentOf('a', { cores: 4 })], stepOf(steps)));
  fixture.opened('a');
  fixture.started('a', 1);
  fixture.said();
  draining(fixture);
  fixture.passInContact(60_000);
  fixture.ended('a', 1, { kind: 'signaled', signal: 'SIGTERM' });
  t.match(
    fixture.said().filter(({ kind }) => kind.endsWith('-action')),
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
    fixture.said().some((effect) => effect.kind === 'announce' && effect.announcement.type === 'deregister'),
  );
  t.end();
});

test('with a short timeout the grace is short as well: nothing runs when the service gives the tasks away', (t) => {
  const timeoutMs = 6000;
  const fixture = new AgentFixture();
  const heardAt = fixture.now;
  fixture.answer(fixture.start(), registered({ heartbeat_timeout_ms: timeoutMs }));
  const request = fixture.said().find((effect) => effect.kind === 'request-lease');
  if (request === undefined) throw new Error('no lease request');
  fixture.lease(request, leases([assignmentOf('a', { cores: 4 })]));
  fixture.opened('a');
  fixture.started('a', 1);
  fixture.said();
  const stops: [kind: string, after: number][] = [];
  while (fixture.now < heardAt + timeoutMs) {
    fixture.pass(50);
    for (const { kind } of fixture.said())
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
    fixture.said().filter(({ kind }) => kind.endsWith('-action')),
    [{ kind: 'terminate-action', sessionId: 'a' }],
  );
  t.end();
});

const OFFERED = { hardware: HARDWARE, tags: { gpu: 'true' } };
const MORE = { hardware: HARDWARE, tags: { gpu: 'true', blender: 'true' } };

/** A registered worker that has said nothing since. */
function registeredHouse(): AgentFixture {
  const fixture = new AgentFixture({ settings: { ...SETTINGS, capabilities: OFFERED } });
  fixture.start();
  fixture.tell('registrar', 'registrar', { type: 'presence.answered', token: 1, reply: registered() });
  fixture.said();
  return fixture;
}

test('what a worker has later is said in a registration of the same start, and its work goes on', (t) => {
  const fixture = registeredHouse();
  fixture.tell('registrar', 'registrar', { type: 'capabilities.found', capabilities: MORE });
  const renewal = fixture.saidOnly('announce');
  t.match(renewal.announcement, {
    type: 'register',
    incarnation: 'id-1',
    tags: MORE.tags,
    open_attempts: [],
  });
  fixture.tell('registrar', 'registrar', {
    type: 'presence.answered',
    token: renewal.token,
    reply: registered(),
  });
  t.same(fixture.said(), [], 'the lease request that is open stays open');
  fixture.tell('registrar', 'registrar', { type: 'announce.due' });
  t.match(fixture.saidOnly('announce').announcement, { type: 'heartbeat' }, 'it is said once');
  t.end();
});

test('a renewal without an answer is said again beside the next heartbeat', (t) => {
  const fixture = registeredHouse();
  fixture.tell('registrar', 'registrar', { type: 'capabilities.found', capabilities: MORE });
  const { token } = fixture.saidOnly('announce');
  fixture.tell('registrar', 'registrar', { type: 'presence.unanswered', token, reason: 'lost' });
  t.same(fixture.said(), []);
  fixture.tell('registrar', 'registrar', { type: 'announce.due' });
  t.match(fixture.said(), [
    { kind: 'announce', announcement: { type: 'heartbeat' } },
    { kind: 'announce', announcement: { type: 'register', tags: MORE.tags } },
  ]);
  t.end();
});

test('a renewal that is refused is given up: the worker stays what it is', (t) => {
  const fixture = registeredHouse();
  fixture.tell('registrar', 'registrar', { type: 'capabilities.found', capabilities: MORE });
  const { token } = fixture.saidOnly('announce');
  const reply: PresenceReply = { v: 1, type: 'refused', reason: 'the farm has no queue "fast"' };
  fixture.tell('registrar', 'registrar', { type: 'presence.answered', token, reply });
  t.match(fixture.logged.at(-1), /refused the changed worker capabilities: the farm has no queue "fast"/);
  fixture.tell('registrar', 'registrar', { type: 'announce.due' });
  t.match(fixture.saidOnly('announce').announcement, { type: 'heartbeat' });
  t.end();
});

test('what is found before the service has answered is said with the next registration', (t) => {
  const fixture = new AgentFixture({ settings: { ...SETTINGS, capabilities: OFFERED } });
  fixture.start();
  fixture.tell('registrar', 'registrar', { type: 'capabilities.found', capabilities: MORE });
  t.same(fixture.said(), []);
  fixture.tell('registrar', 'registrar', { type: 'presence.answered', token: 1, reply: registered() });
  fixture.said();
  fixture.tell('registrar', 'registrar', { type: 'announce.due' });
  t.match(fixture.said(), [
    { kind: 'announce', announcement: { type: 'heartbeat' } },
    { kind: 'announce', announcement: { type: 'register', tags: MORE.tags } },
  ]);
  t.end();
});
