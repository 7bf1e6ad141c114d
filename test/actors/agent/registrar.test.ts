import { test, type Test } from 'tap';
import type { AgentEffect } from '../../../actors/agent/agent-world.ts';
import type { AttemptId, TaskId, WorkerId } from '../../../src/core/ids.ts';
import type { WorkerHardware } from '../../../src/core/records/worker.ts';
import type { PresenceReply, StatusMessage } from '../../../src/core/wire/bus-messages.ts';
import {
  AgentHouse,
  alive,
  assignmentOf,
  Disk,
  FARM,
  leases,
  registered,
  stepOf,
  SETTINGS,
  WORKER,
} from './agent-house.ts';

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
function withRunning(attempt = 'a'): AgentHouse {
  const house = new AgentHouse();
  const [request] = house.register();
  if (request === undefined) throw new Error('no lease request');
  house.lease(request, leases([assignmentOf(attempt, { cores: 4 })]));
  house.opened(attempt);
  house.started(attempt, 1);
  house.ranForAMoment(attempt);
  house.said();
  return house;
}

/** Lets the time pass until the next announcement, which must be all that is said. */
function nextAnnouncement(house: AgentHouse, withinMs: number): Extract<AgentEffect, { kind: 'announce' }> {
  for (let passed = 0; passed <= withinMs; passed += 50) {
    house.pass(50);
    const [first, ...rest] = house.said();
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
  const house = new AgentHouse({
    settings: {
      ...SETTINGS,
      farm: 'Farm',
      queues: ['fast'],
      capabilities: { hardware: HARDWARE, tags: { gpu: 'true' } },
      computeLocation: 'here',
      exprLimits: { memory: 500_000, operations: 7 },
    },
  });
  t.same(house.start(), {
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
  house.tell('registrar', 'registrar', { type: 'presence.answered', token: 1, reply: registered() });
  t.match(house.said(), [
    { kind: 'announce', token: 2, announcement: { type: 'heartbeat', incarnation: 'id-1', farm_id: FARM } },
    { kind: 'request-lease', queue: '_any', request: { incarnation: 'id-1' }, timeoutMs: 35_000 },
  ]);
  t.end();
});

test('it registers again and again, later each time and spread, until it is answered', (t) => {
  const house = new AgentHouse();
  house.start();
  const waits: number[] = [];
  let last = house.now;
  for (let round = 0; round < 8; round++) {
    const announce = nextAnnouncement(house, 6000);
    t.equal(announce.announcement.type, 'register');
    waits.push(house.now - last);
    last = house.now;
  }
  for (const [round, wait] of waits.entries()) {
    const bound = Math.min(5000, 250 * 2 ** round);
    t.ok(wait >= bound / 2 && wait <= bound + 50, `${wait} of ${bound}`);
  }
  t.end();
});

test('a refused registration is said plainly and tried again', (t) => {
  const house = new AgentHouse();
  house.answer(house.start(), { v: 1, type: 'refused', reason: 'no farm of that name' });
  t.same(house.said(), []);
  t.same(house.logged, ['warn: the service refuses this worker: no farm of that name']);
  const again = nextAnnouncement(house, 30_000);
  t.equal(again.announcement.type, 'register');
  house.answer(again, registered());
  t.same(kindsOf(house.said()), ['announce', 'request-lease']);
  t.end();
});

test('a worker that registers again keeps to its farm, until that is refused', (t) => {
  const house = new AgentHouse();
  house.answer(house.start(), registered());
  house.said();
  house.pass(5000);
  house.answer(house.saidOnly('announce'), { v: 1, type: 'unknown' });
  const again = house.saidOnly('announce');
  t.match(again.announcement, { type: 'register', farm: FARM });
  house.answer(again, { v: 1, type: 'refused', reason: 'the service has no such farm' });
  house.said();
  t.match(nextAnnouncement(house, 30_000).announcement, { type: 'register', farm: '' });
  t.end();
});

test('it beats every five seconds, or six times in a short timeout', (t) => {
  for (const [timeoutMs, beatMs] of [
    [30_000, 5000],
    [60_000, 5000],
    [3000, 500],
  ] as const) {
    const house = new AgentHouse();
    house.answer(house.start(), registered({ heartbeat_timeout_ms: timeoutMs }));
    house.said();
    house.pass(beatMs - 1);
    t.same(house.said(), []);
    house.pass(1);
    t.match(house.saidOnly('announce'), { announcement: { type: 'heartbeat' } });
  }
  t.end();
});

test('the service’s name for the worker is kept on the disk', (t) => {
  const house = new AgentHouse();
  house.answer(house.start(), registered({ worker_id: 'worker-9' as WorkerId }));
  t.equal(house.disk.workerId, 'worker-9');
  t.match(house.said(), [
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
  const house = new AgentHouse({ disk });
  house.tell('registrar', 'registrar', { type: 'agent.start' });
  const [announce, ...reports] = house.said();
  t.match(announce, { announcement: { open_attempts: ['a', 'b'] } });
  t.same(reports, [
    { kind: 'report', report: reportOf('a') },
    { kind: 'report', report: reportOf('b') },
  ]);
  house.tell('registrar', 'registrar', {
    type: 'presence.answered',
    token: 1,
    reply: registered({ closed: ['a' as AttemptId] }),
  });
  t.same([...disk.kept.keys()], ['b']);
  const heartbeat = house.said().find((effect) => effect.kind === 'announce');
  t.match(
    heartbeat,
    { announcement: { type: 'heartbeat', open_attempts: ['a', 'b'] } },
    'said before it was settled',
  );
  t.match(nextAnnouncement(house, 6000), { announcement: { open_attempts: ['b'] } });
  t.end();
});

test('a service that does not know the worker is registered with again, and what runs goes on', (t) => {
  const house = withRunning();
  house.pass(5000);
  const heartbeat = house.saidOnly('announce');
  t.match(heartbeat.announcement, { open_attempts: ['a'], incarnation: 'id-1' });
  house.answer(heartbeat, { v: 1, type: 'unknown' });
  const register = house.saidOnly('announce');
  t.match(register.announcement, { type: 'register', incarnation: 'id-1', open_attempts: ['a'] });
  house.answer(register, registered());
  t.match(house.saidOnly('announce').announcement, { type: 'heartbeat', open_attempts: ['a'] });
  t.end();
});

test('when another start of the service answers, open lease requests are given up: it does not know them', (t) => {
  const house = new AgentHouse();
  house.start();
  house.tell('registrar', 'registrar', { type: 'presence.answered', token: 1, reply: registered() });
  const asked = house.said().find((effect) => effect.kind === 'request-lease');
  house.tell('registrar', 'registrar', { type: 'presence.answered', token: 2, reply: alive() });
  t.same(house.said(), [], 'the same start');
  const { token } = nextAnnouncement(house, 6000);
  const reply = { v: 1, type: 'alive', service: 'service-2', closed: [] } as const;
  house.tell('registrar', 'registrar', { type: 'presence.answered', token, reply });
  t.same(house.said(), [{ kind: 'give-up-leases' }]);
  const { requestId = '' } = asked ?? {};
  house.tell('poller', 'poller', { type: 'lease.unanswered', requestId, reason: 'timed-out' });
  t.match(house.said(), [{ kind: 'request-lease', queue: '_any' }], 'and asked again at once');
  t.end();
});

test('a heartbeat timeout that is another one after a new start of the service holds from its first answer on', (t) => {
  const house = withRunning();
  t.equal(house.contactLeftMs, 23_000);
  const { token } = nextAnnouncement(house, 6000);
  const reply = {
    v: 1,
    type: 'alive',
    heartbeat_timeout_ms: 6000,
    service: 'service-2',
    closed: [],
  } as const;
  house.tell('registrar', 'registrar', { type: 'presence.answered', token, reply });
  t.same(
    house.said().map(({ kind }) => kind),
    ['give-up-leases'],
  );
  t.equal(house.contactLeftMs, 5000);
  house.pass(999);
  t.same(house.said(), []);
  house.pass(1);
  t.equal(house.saidOnly('announce').announcement.type, 'heartbeat');
  house.pass(2999);
  t.same(
    house.said().filter(({ kind }) => kind !== 'announce'),
    [],
  );
  house.pass(1);
  t.ok(
    house.said().some(({ kind }) => kind === 'terminate-action'),
    'four seconds after the answered one was sent',
  );
  t.end();
});

test('an answer that is doubled, or meant for an earlier incarnation, changes nothing', (t) => {
  const house = new AgentHouse();
  const first = house.start();
  house.answer(first, registered());
  house.said();
  house.answer(first, registered());
  house.answer(first, { v: 1, type: 'unknown' });
  house.answer({ ...first, token: 99 }, { v: 1, type: 'refused', reason: 'x' });
  t.same(house.said(), []);
  t.end();
});

test('an attempt that the service has closed is stopped within the grace, without a report', (t) => {
  const house = withRunning();
  house.pass(5000);
  house.answer(house.saidOnly('announce'), alive('a'));
  t.same(house.said(), [{ kind: 'terminate-action', sessionId: 'a', run: 1 }]);
  house.pass(2999);
  t.same(house.said(), []);
  house.pass(1);
  t.same(house.said(), [{ kind: 'kill-action', sessionId: 'a', run: 1 }]);
  house.ended('a', 1, { kind: 'signaled', signal: 'SIGKILL' });
  t.same(house.said(), [{ kind: 'close-session', sessionId: 'a', closing: { keepDirectory: false } }]);
  house.closed('a');
  t.same(kindsOf(house.said()), ['unfollow-cancels', 'request-lease']);
  t.same(house.disk.reports, []);
  t.end();
});

test('without contact for two thirds of the timeout everything is stopped, and given back by a new incarnation', (t) => {
  const house = withRunning();
  const lastHeard = house.now;
  t.equal(house.contactLeftMs, 23_000, 'the guards wait for the grace of the worker');
  for (let beats = 0; beats < 3; beats++)
    t.equal(nextAnnouncement(house, 6000).announcement.type, 'heartbeat');
  house.pass(lastHeard + 19_999 - house.now);
  t.same(house.said(), []);
  house.pass(1);
  t.same(house.said(), [{ kind: 'terminate-action', sessionId: 'a', run: 1 }]);
  house.pass(3000);
  t.same(house.said(), [{ kind: 'kill-action', sessionId: 'a', run: 1 }]);
  house.ended('a', 1, { kind: 'signaled', signal: 'SIGKILL' });
  t.same(
    house.said(),
    [{ kind: 'close-session', sessionId: 'a', closing: { keepDirectory: false } }],
    'nothing is registered while something runs',
  );
  house.closed('a');
  const [unfollow, register] = house.said();
  t.equal(unfollow?.kind, 'unfollow-cancels');
  t.match(register, { announcement: { type: 'register', open_attempts: [] } });
  t.notMatch(register, { announcement: { incarnation: 'id-1' } });
  t.same(house.disk.reports, []);
  t.equal(house.contactLeftMs, null, 'there is nothing to guard');
  t.end();
});

test('a heartbeat counts from when it was said, not from when it was answered', (t) => {
  const house = withRunning();
  house.pass(5000);
  const heartbeat = house.saidOnly('announce');
  const saidAt = house.now;
  house.pass(14_000);
  const later = house.said();
  t.same(kindsOf(later), ['announce', 'announce']);
  house.answer(heartbeat, alive());
  t.equal(house.contactLeftMs, 9000, 'of 23 s');
  house.pass(saidAt + 20_000 - house.now - 1);
  t.same(kindsOf(house.said()), ['announce'], 'a beat, and nothing is stopped');
  house.pass(1);
  t.ok(house.said().some(({ kind }) => kind === 'terminate-action'));
  t.end();
});

test('what was answered while the daemon did not run proves nothing', (t) => {
  const house = withRunning();
  house.pass(5000);
  const heartbeat = house.saidOnly('announce');
  house.stall(14_000);
  house.answer(heartbeat, alive());
  house.pass(0);
  house.said();
  house.pass(1500);
  t.match(house.said(), [{ kind: 'terminate-action' }], 'the time since the contact before counts');
  t.end();
});

test('an attempt whose processes were ended by their supervisor is given back; the others are kept', (t) => {
  const house = new AgentHouse();
  const [request] = house.register();
  house.lease(
    request as NonNullable<typeof request>,
    leases([assignmentOf('a', { cores: 2 }), assignmentOf('b', { cores: 2 })]),
  );
  for (const attempt of ['a', 'b']) {
    house.opened(attempt);
    house.started(attempt, 1);
  }
  house.said();
  house.ended('a', 1, { kind: 'fenced' });
  t.same(house.said(), [{ kind: 'close-session', sessionId: 'a', closing: { keepDirectory: false } }]);
  house.closed('a');
  const [unfollow, register, ...rest] = house.said();
  t.equal(unfollow?.kind, 'unfollow-cancels');
  t.match(register, { announcement: { type: 'register', open_attempts: ['b'] } });
  t.same(rest, [], 'no work is asked for before the new registration');
  t.notMatch(register, { announcement: { incarnation: 'id-1' } });
  house.pass(20_000);
  t.ok(
    house.said().some((effect) => effect.kind === 'terminate-action' && effect.sessionId === 'b'),
    'the contact still counts',
  );
  t.end();
});

function leaving(t: Test, house: AgentHouse): void {
  house.tell('registrar', 'registrar', { type: 'agent.leave', atOnce: true });
  house.tell('registrar', 'registrar', { type: 'agent.leave', atOnce: false });
  t.match(house.logged.at(-1), /^info: leaving$/);
}

const DEPARTED: PresenceReply = { v: 1, type: 'departed' };

test('a worker that leaves at once stops its tasks, reports nothing of them and says good-bye', (t) => {
  const house = withRunning();
  leaving(t, house);
  t.same(house.said(), [{ kind: 'kill-action', sessionId: 'a', run: 1 }]);
  house.ended('a', 1, 0);
  t.same(house.said(), [{ kind: 'close-session', sessionId: 'a', closing: { keepDirectory: false } }]);
  house.closed('a');
  const [, departure, ...rest] = house.said();
  t.same(departure, {
    kind: 'announce',
    token: 3,
    timeoutMs: 3000,
    announcement: { v: 1, type: 'deregister', worker_id: WORKER, farm_id: FARM, incarnation: 'id-1' },
  });
  t.same(rest, []);
  t.same(house.disk.reports, []);
  house.answer(departure as Parameters<AgentHouse['answer']>[0], DEPARTED);
  t.same(house.said(), [{ kind: 'left' }]);
  house.pass(60_000);
  t.same(house.said(), []);
  t.end();
});

test('a departure without an answer ends all the same', (t) => {
  const house = new AgentHouse();
  house.register();
  leaving(t, house);
  const departure = house.saidOnly('announce');
  house.tell('registrar', 'registrar', {
    type: 'presence.unanswered',
    token: departure.token,
    reason: 'timed out',
  });
  t.same(house.said(), [{ kind: 'left' }]);
  t.end();
});

test('a worker that was never registered leaves without a word', (t) => {
  const house = new AgentHouse();
  house.start();
  leaving(t, house);
  t.same(house.said(), [{ kind: 'left' }]);
  house.pass(60_000);
  t.same(house.said(), []);
  t.end();
});

test('a worker with an unconfirmed report asks again and again, and leaves in silence rather than give an ended task back', (t) => {
  for (const isConfirmed of [true, false]) {
    const house = withRunning();
    house.ended('a', 1, 0);
    house.closed('a');
    house.said();
    leaving(t, house);
    const heartbeat = house.said().find((effect) => effect.kind === 'announce');
    t.match(heartbeat, { announcement: { type: 'heartbeat', open_attempts: ['a'] } });
    if (isConfirmed) {
      house.answer(heartbeat as Parameters<AgentHouse['answer']>[0], alive('a'));
      t.match(house.said(), [{ announcement: { type: 'deregister' } }]);
    } else {
      house.pass(4999);
      const said = house.said();
      t.notOk(said.some(({ kind }) => kind === 'left'));
      const beats = said.filter((effect) => effect.kind === 'announce');
      t.equal(beats.length, 9, 'asked twice a second: the report may reach the service after a heartbeat');
      house.pass(1);
      t.ok(house.said().some(({ kind }) => kind === 'left'));
      t.same([...house.disk.kept.keys()], ['a']);
    }
  }
  t.end();
});

function draining(house: AgentHouse): AgentEffect[] {
  house.tell('registrar', 'registrar', { type: 'agent.leave', atOnce: false });
  return house.said();
}

test('a worker that was told to stop lets its task end, reports it and says good-bye', (t) => {
  const house = withRunning();
  const [heartbeat, ...rest] = draining(house);
  t.match(heartbeat, { announcement: { type: 'heartbeat', open_attempts: ['a'], draining: true } });
  t.same(rest, [], 'nothing is stopped, and nothing asked for');
  house.answer(heartbeat as Parameters<AgentHouse['answer']>[0], alive());
  t.same(
    house.passInContact(59_000).filter(({ kind }) => kind !== 'announce'),
    [],
  );
  house.ended('a', 1, 0);
  house.closed('a');
  house.drained('a');
  const last = house.said().find((effect) => effect.kind === 'announce');
  t.match(last, { announcement: { type: 'heartbeat', open_attempts: ['a'] } });
  house.answer(last as Parameters<AgentHouse['answer']>[0], alive('a'));
  t.match(house.said(), [{ announcement: { type: 'deregister' } }]);
  t.end();
});

test('tasks that do not end in time, or a second signal, are stopped and given back', (t) => {
  for (const isSecond of [true, false]) {
    const house = withRunning();
    draining(house);
    if (isSecond) house.tell('registrar', 'registrar', { type: 'agent.leave', atOnce: true });
    else house.passInContact(60_000);
    const stops = isSecond ? house.said() : house.passInContact(5_000);
    t.match(
      stops.filter(({ kind }) => kind.endsWith('-action')),
      [{ kind: 'kill-action', sessionId: 'a' }],
    );
    house.ended('a', 1, { kind: 'signaled', signal: 'SIGKILL' });
    house.closed('a');
    t.same(house.disk.reports, []);
    t.ok(
      house.said().some((effect) => effect.kind === 'announce' && effect.announcement.type === 'deregister'),
    );
  }
  t.end();
});

test('exits of environments that do not end in time are ended as well', (t) => {
  const house = new AgentHouse();
  house.answer(house.start(), registered());
  const request = house.said().find((effect) => effect.kind === 'request-lease');
  if (request === undefined) throw new Error('no lease request');
  const onExit = { command: 'release', args: [] };
  const steps = { job_environments: [{ name: 'Licence', variables: {}, onExit, embeddedFiles: [] }] };
  house.lease(request, leases([assignmentOf('a', { cores: 4 })], stepOf(steps)));
  house.opened('a');
  house.started('a', 1);
  house.said();
  draining(house);
  house.passInContact(60_000);
  house.ended('a', 1, { kind: 'signaled', signal: 'SIGTERM' });
  t.match(
    house.said().filter(({ kind }) => kind.endsWith('-action')),
    [{ kind: 'start-action', sessionId: 'a', action: { run: 2 } }],
  );
  t.match(
    house.passInContact(15_000).filter(({ kind }) => kind.endsWith('-action')),
    [{ kind: 'kill-action', sessionId: 'a', run: 2 }],
  );
  house.ended('a', 2, { kind: 'signaled', signal: 'SIGKILL' });
  house.closed('a');
  t.same(house.disk.reports, []);
  t.ok(
    house.said().some((effect) => effect.kind === 'announce' && effect.announcement.type === 'deregister'),
  );
  t.end();
});

test('with a short timeout the grace is short as well: nothing runs when the service gives the tasks away', (t) => {
  const timeoutMs = 6000;
  const house = new AgentHouse();
  const heardAt = house.now;
  house.answer(house.start(), registered({ heartbeat_timeout_ms: timeoutMs }));
  const request = house.said().find((effect) => effect.kind === 'request-lease');
  if (request === undefined) throw new Error('no lease request');
  house.lease(request, leases([assignmentOf('a', { cores: 4 })]));
  house.opened('a');
  house.started('a', 1);
  house.said();
  const stops: [kind: string, after: number][] = [];
  while (house.now < heardAt + timeoutMs) {
    house.pass(50);
    for (const { kind } of house.said())
      if (kind === 'terminate-action' || kind === 'kill-action') stops.push([kind, house.now - heardAt]);
  }
  t.same(stops, [
    ['terminate-action', 4000],
    ['kill-action', 5000],
  ]);
  t.end();
});

test('a draining worker that loses contact stops its tasks', (t) => {
  const house = withRunning();
  draining(house);
  house.pass(20_000);
  t.match(
    house.said().filter(({ kind }) => kind.endsWith('-action')),
    [{ kind: 'terminate-action', sessionId: 'a' }],
  );
  t.end();
});

const OFFERED = { hardware: HARDWARE, tags: { gpu: 'true' } };
const MORE = { hardware: HARDWARE, tags: { gpu: 'true', blender: 'true' } };

/** A registered worker that has said nothing since. */
function registeredHouse(): AgentHouse {
  const house = new AgentHouse({ settings: { ...SETTINGS, capabilities: OFFERED } });
  house.start();
  house.tell('registrar', 'registrar', { type: 'presence.answered', token: 1, reply: registered() });
  house.said();
  return house;
}

test('what a worker has later is said in a registration of the same start, and its work goes on', (t) => {
  const house = registeredHouse();
  house.tell('registrar', 'registrar', { type: 'capabilities.found', capabilities: MORE });
  const renewal = house.saidOnly('announce');
  t.match(renewal.announcement, {
    type: 'register',
    incarnation: 'id-1',
    tags: MORE.tags,
    open_attempts: [],
  });
  house.tell('registrar', 'registrar', {
    type: 'presence.answered',
    token: renewal.token,
    reply: registered(),
  });
  t.same(house.said(), [], 'the lease request that is open stays open');
  house.tell('registrar', 'registrar', { type: 'announce.due' });
  t.match(house.saidOnly('announce').announcement, { type: 'heartbeat' }, 'it is said once');
  t.end();
});

test('a renewal without an answer is said again beside the next heartbeat', (t) => {
  const house = registeredHouse();
  house.tell('registrar', 'registrar', { type: 'capabilities.found', capabilities: MORE });
  const { token } = house.saidOnly('announce');
  house.tell('registrar', 'registrar', { type: 'presence.unanswered', token, reason: 'lost' });
  t.same(house.said(), []);
  house.tell('registrar', 'registrar', { type: 'announce.due' });
  t.match(house.said(), [
    { kind: 'announce', announcement: { type: 'heartbeat' } },
    { kind: 'announce', announcement: { type: 'register', tags: MORE.tags } },
  ]);
  t.end();
});

test('a renewal that is refused is given up: the worker stays what it is', (t) => {
  const house = registeredHouse();
  house.tell('registrar', 'registrar', { type: 'capabilities.found', capabilities: MORE });
  const { token } = house.saidOnly('announce');
  const reply: PresenceReply = { v: 1, type: 'refused', reason: 'the farm has no queue "fast"' };
  house.tell('registrar', 'registrar', { type: 'presence.answered', token, reply });
  t.match(house.logged.at(-1), /does not take in what this worker has now: the farm has no queue "fast"/);
  house.tell('registrar', 'registrar', { type: 'announce.due' });
  t.match(house.saidOnly('announce').announcement, { type: 'heartbeat' });
  t.end();
});

test('what is found before the service has answered is said with the next registration', (t) => {
  const house = new AgentHouse({ settings: { ...SETTINGS, capabilities: OFFERED } });
  house.start();
  house.tell('registrar', 'registrar', { type: 'capabilities.found', capabilities: MORE });
  t.same(house.said(), []);
  house.tell('registrar', 'registrar', { type: 'presence.answered', token: 1, reply: registered() });
  house.said();
  house.tell('registrar', 'registrar', { type: 'announce.due' });
  t.match(house.said(), [
    { kind: 'announce', announcement: { type: 'heartbeat' } },
    { kind: 'announce', announcement: { type: 'register', tags: MORE.tags } },
  ]);
  t.end();
});
