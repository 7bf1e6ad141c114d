import { test } from 'tap';
import type { AgentEffect } from '../../../actors/agent/agent-world.ts';
import type { AttemptId } from '../../../src/core/ids.ts';
import { AgentHouse, alive, assignmentOf, leases, registered } from './agent-house.ts';

type Request = Extract<AgentEffect, { kind: 'request-lease' }>;
type Announce = Extract<AgentEffect, { kind: 'announce' }>;

const requestsIn = (effects: readonly AgentEffect[]): Request[] =>
  effects.filter((effect): effect is Request => effect.kind === 'request-lease');
const announcesIn = (effects: readonly AgentEffect[]): Announce[] =>
  effects.filter((effect): effect is Announce => effect.kind === 'announce');
const openedIn = (effects: readonly AgentEffect[]): string[] =>
  effects.flatMap((effect) => (effect.kind === 'open-session' ? [effect.sessionId] : []));

/** A registered worker of four cores and its one request. */
function asking(): { house: AgentHouse; request: Request } {
  const house = new AgentHouse();
  const [request] = house.register();
  if (request === undefined) throw new Error('no lease request');
  return { house, request };
}

function finish(house: AgentHouse, attempt: string): void {
  house.opened(attempt);
  house.ended(attempt, 1, 0);
  house.closed(attempt);
  house.tellSession(attempt, { type: 'logs.overdue', attemptId: attempt as AttemptId });
}

const unanswered = (
  house: AgentHouse,
  request: Request,
  reason: 'timed-out' | 'no-responders' | 'failed',
): void => {
  house.tell('poller', 'poller', { type: 'lease.unanswered', requestId: request.requestId, reason });
};

test('one request is out for each queue, or one for any', (t) => {
  t.same(
    new AgentHouse().register(['q1', 'q2']).map(({ queue }) => queue),
    ['q1', 'q2'],
  );
  t.same(
    new AgentHouse().register([]).map(({ queue }) => queue),
    ['_any'],
  );
  t.end();
});

test('work is begun at once, and more is asked for while cores are free', (t) => {
  const { house, request } = asking();
  house.lease(request, leases([assignmentOf('a', { cores: 2 }), assignmentOf('b', { cores: 1 })]));
  const effects = house.said();
  t.same(openedIn(effects), ['a', 'b']);
  t.same(
    effects.flatMap((effect) => (effect.kind === 'follow-cancels' ? [effect.taskId] : [])),
    ['a-task', 'b-task'],
  );
  const [next] = requestsIn(effects);
  t.equal(requestsIn(effects).length, 1);
  house.lease(next as Request, leases([assignmentOf('c', { cores: 1 })]));
  const full = house.said();
  t.same(openedIn(full), ['c']);
  t.same(requestsIn(full), [], 'no core is free');
  finish(house, 'a');
  t.equal(requestsIn(house.said()).length, 1);
  t.end();
});

test('a task on the whole machine leaves nothing to ask for', (t) => {
  const { house, request } = asking();
  house.lease(request, leases([assignmentOf('a', { cores: 4 })]));
  t.same(requestsIn(house.said()), []);
  t.same(requestsIn(house.passInContact(60_000)), []);
  t.end();
});

test('an empty answer after the hold is followed by a request; at once it is given a rest', (t) => {
  const { house, request } = asking();
  house.passInContact(30_000);
  house.lease(request, leases([]));
  const [next] = requestsIn(house.said());
  house.lease(next as Request, leases([]));
  t.same(house.said(), []);
  house.pass(250);
  t.equal(requestsIn(house.said()).length, 1);
  t.end();
});

test('a request that was held to its end is repeated at once, one that failed after a growing while', (t) => {
  const { house, request } = asking();
  unanswered(house, request, 'timed-out');
  let [next] = requestsIn(house.said());
  t.ok(next);
  for (const mostMs of [250, 500, 1000, 2000, 4000, 5000, 5000]) {
    unanswered(house, next as Request, 'no-responders');
    t.same(house.said(), []);
    const early = house.passInContact(mostMs / 2 - 1);
    t.same(requestsIn(early), []);
    [next] = requestsIn(house.passInContact(mostMs / 2 + 1));
    t.ok(next, `within ${mostMs} ms`);
  }
  house.passInContact(2000);
  house.lease(next as Request, leases([assignmentOf('a')]));
  [next] = requestsIn(house.said());
  unanswered(house, next as Request, 'failed');
  t.equal(requestsIn(house.passInContact(250)).length, 1, 'an answer starts the count anew');
  t.end();
});

test('a doubled answer, and an attempt that comes twice, are run once', (t) => {
  const { house, request } = asking();
  const reply = leases([assignmentOf('a')]);
  house.lease(request, reply);
  const [next] = requestsIn(house.said());
  house.lease(request, reply);
  t.same(house.said(), [], 'the request is answered already');
  house.tell('poller', 'poller', { type: 'lease.answered-late', reply });
  t.same(house.said(), []);
  finish(house, 'a');
  house.said();
  house.lease(next as Request, reply);
  t.same(openedIn(house.said()), [], 'also after it has ended');
  t.end();
});

test('an attempt waits for an earlier one of its task that is still being stopped here', (t) => {
  const { house, request } = asking();
  const taskId = assignmentOf('same').task_id;
  house.lease(request, leases([assignmentOf('a', { task_id: taskId })]));
  house.opened('a');
  const [next] = requestsIn(house.said());
  house.tell('poller', 'poller', { type: 'attempt.void', attemptId: 'a' as AttemptId });
  house.lease(next as Request, leases([assignmentOf('b', { task_id: taskId }), assignmentOf('c')]));
  t.same(openedIn(house.said()), ['c']);
  house.ended('a', 1, { kind: 'signaled', signal: 'SIGTERM' });
  t.same(openedIn(house.said()), []);
  house.closed('a');
  t.same(openedIn(house.said()), ['b']);
  t.end();
});

test('an attempt that waits is given back with the others when contact is lost', (t) => {
  const { house, request } = asking();
  const taskId = assignmentOf('same').task_id;
  house.lease(
    request,
    leases([assignmentOf('a', { task_id: taskId }), assignmentOf('b', { task_id: taskId })]),
  );
  t.same(openedIn(house.said()), ['a']);
  house.opened('a');
  house.pass(20_000);
  house.ended('a', 1, { kind: 'signaled', signal: 'SIGTERM' });
  house.closed('a');
  const effects = house.said();
  t.same(openedIn(effects), []);
  t.match(announcesIn(effects).at(-1), { announcement: { type: 'register', open_attempts: [] } });
  house.answer(announcesIn(effects).at(-1) as Announce, registered());
  t.same(openedIn(house.said()), [], 'it is not begun by the next registration either');
  t.end();
});

test('an assignment without its step is left to the service', (t) => {
  const { house, request } = asking();
  house.lease(request, { v: 1, type: 'leases', assignments: [assignmentOf('a')], steps: {} });
  t.same(openedIn(house.said()), []);
  t.match(house.logged.at(-1), /^error: an assignment came without its step/);
  t.end();
});

test('a worker that the lease actor does not know asks for its standing, and waits', (t) => {
  const { house, request } = asking();
  house.lease(request, { v: 1, type: 'unknown' });
  const heartbeat = house.saidOnly('announce');
  t.equal(heartbeat.announcement.type, 'heartbeat');
  house.answer(heartbeat, { v: 1, type: 'unknown' });
  t.equal(house.saidOnly('announce').announcement.type, 'register');
  house.pass(250);
  t.same(requestsIn(house.said()), [], 'nothing is asked for without a registration');
  t.end();
});

test('work that came late is begun once the service has confirmed it, and its cores are held meanwhile', (t) => {
  for (const late of ['after the time-out', 'after a long hold', 'after a stall']) {
    const { house, request } = asking();
    const reply = leases([assignmentOf('a', { cores: 4 })]);
    if (late === 'after the time-out') {
      unanswered(house, request, 'timed-out');
      house.said();
      house.tell('poller', 'poller', { type: 'lease.answered-late', reply });
    } else {
      if (late === 'after a long hold') house.passInContact(20_000);
      else house.stall(1);
      house.lease(request, reply);
    }
    const effects = house.said();
    t.same(openedIn(effects), [], late);
    t.same(requestsIn(effects), []);
    const [heartbeat] = announcesIn(effects);
    t.match(heartbeat, { announcement: { type: 'heartbeat', open_attempts: ['a'] } });
    house.answer(heartbeat as Announce, alive());
    t.same(openedIn(house.said()), ['a']);
  }
  t.end();
});

test('work that is begun unconfirmed is killed before the service takes it back, if nothing more is heard of it', (t) => {
  const takenBackMs = 30_000;
  const begun: string[] = [];
  for (const timeoutMs of [1_000, 2_000, 30_000, 60_000, 3_600_000]) {
    for (const ageMs of [0, 4_000, 6_000, 12_000, 19_000, 28_000]) {
      const house = new AgentHouse();
      house.answer(house.start(), registered({ heartbeat_timeout_ms: timeoutMs }));
      const said = house.said();
      const [request] = requestsIn(said);
      house.answer(announcesIn(said)[0] as Announce, alive());
      for (let passed = 0; passed < ageMs; passed += 100) house.passInContact(100);
      house.lease(request as Request, leases([assignmentOf('a')]));
      const isBegun = openedIn(house.said()).length === 1;
      if (isBegun) begun.push(`${timeoutMs} ${ageMs}`);
      const endsAt = ageMs + (house.contactLeftMs ?? Infinity);
      if (isBegun) t.ok(endsAt < takenBackMs, `timeout ${timeoutMs}, ${ageMs} old: ends at ${endsAt}`);
    }
  }
  t.same(begun, [
    ...['1000 0', '1000 4000', '1000 6000', '1000 12000', '1000 19000'],
    ...['2000 0', '2000 4000', '2000 6000', '2000 12000', '2000 19000'],
    ...['30000 0', '30000 4000'],
  ]);
  t.end();
});

test('work that came late and was given away is let go', (t) => {
  const { house, request } = asking();
  house.passInContact(29_000);
  house.lease(request, leases([assignmentOf('a', { cores: 4 })]));
  const [heartbeat] = announcesIn(house.said());
  house.answer(heartbeat as Announce, alive('a'));
  const effects = house.said();
  t.same(openedIn(effects), []);
  t.equal(requestsIn(effects).length, 1);
  house.pass(5000);
  t.match(announcesIn(house.said())[0], { announcement: { open_attempts: [] } });
  t.end();
});

test('a heartbeat that was said before the work came confirms nothing', (t) => {
  const { house, request } = asking();
  house.passInContact(24_000);
  house.pass(1000);
  const [before] = announcesIn(house.said());
  house.lease(request, leases([assignmentOf('a')]));
  const [after] = announcesIn(house.said());
  house.answer(before as Announce, alive());
  t.same(openedIn(house.said()), []);
  house.answer(after as Announce, alive());
  t.same(openedIn(house.said()), ['a']);
  t.end();
});

test('a request of an earlier incarnation is nobody’s: a new one is out, and its answer is ignored', (t) => {
  const { house, request } = asking();
  house.pass(20_000);
  const register = announcesIn(house.said()).find(({ announcement }) => announcement.type === 'register');
  house.answer(register as Announce, registered());
  const [anew] = requestsIn(house.said());
  t.not(anew?.request.incarnation, request.request.incarnation);
  house.lease(request, leases([assignmentOf('a')]));
  t.same(house.said(), []);
  house.lease(anew as Request, leases([assignmentOf('b')]));
  t.same(openedIn(house.said()), ['b']);
  t.end();
});

test('work that comes without a registration is left to the service', (t) => {
  const { house, request } = asking();
  house.tell('registrar', 'registrar', { type: 'agent.leave', atOnce: true });
  house.said();
  house.lease(request, leases([assignmentOf('a')]));
  house.tell('poller', 'poller', { type: 'lease.answered-late', reply: leases([assignmentOf('b')]) });
  t.same(house.said(), []);
  t.match(house.logged.slice(-2), [
    /^warn: work came while this worker was not registered/,
    /^warn: work came/,
  ]);
  t.end();
});
