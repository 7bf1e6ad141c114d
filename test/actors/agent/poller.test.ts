import { test } from 'tap';
import type { AgentEffect } from '../../../actors/agent/agent-system.ts';
import type { AttemptId } from '../../../src/core/ids.ts';
import { AgentFixture, alive, assignmentOf, leases, registered } from './agent-fixture.ts';

type Request = Extract<AgentEffect, { kind: 'request-lease' }>;
type Announce = Extract<AgentEffect, { kind: 'announce' }>;

const requestsIn = (effects: readonly AgentEffect[]): Request[] =>
  effects.filter((effect): effect is Request => effect.kind === 'request-lease');
const announcesIn = (effects: readonly AgentEffect[]): Announce[] =>
  effects.filter((effect): effect is Announce => effect.kind === 'announce');
const openedIn = (effects: readonly AgentEffect[]): string[] =>
  effects.flatMap((effect) => (effect.kind === 'open-session' ? [effect.sessionId] : []));

/** A registered worker of four cores and its one request. */
function asking(): { fixture: AgentFixture; request: Request } {
  const fixture = new AgentFixture();
  const [request] = fixture.register();
  if (request === undefined) throw new Error('no lease request');
  return { fixture, request };
}

function finish(fixture: AgentFixture, attempt: string): void {
  fixture.opened(attempt);
  fixture.ended(attempt, 1, 0);
  fixture.closed(attempt);
  fixture.deliverToSession(attempt, { type: 'logs.overdue', attemptId: attempt as AttemptId });
}

const unanswered = (
  fixture: AgentFixture,
  request: Request,
  reason: 'timed-out' | 'no-responders' | 'failed',
): void => {
  fixture.deliver('poller', 'poller', { type: 'lease.unanswered', requestId: request.requestId, reason });
};

test('there is one open request per queue, or one for any queue', (t) => {
  t.same(
    new AgentFixture().register(['q1', 'q2']).map(({ queue }) => queue),
    ['q1', 'q2'],
  );
  t.same(
    new AgentFixture().register([]).map(({ queue }) => queue),
    ['_any'],
  );
  t.end();
});

test('assignments start at once, and more are requested while cores are free', (t) => {
  const { fixture, request } = asking();
  fixture.lease(request, leases([assignmentOf('a', { cores: 2 }), assignmentOf('b', { cores: 1 })]));
  const effects = fixture.takeEffects();
  t.same(openedIn(effects), ['a', 'b']);
  t.same(
    effects.flatMap((effect) => (effect.kind === 'follow-cancels' ? [effect.taskId] : [])),
    ['a-task', 'b-task'],
  );
  const [next] = requestsIn(effects);
  t.equal(requestsIn(effects).length, 1);
  fixture.lease(next as Request, leases([assignmentOf('c', { cores: 1 })]));
  const full = fixture.takeEffects();
  t.same(openedIn(full), ['c']);
  t.same(requestsIn(full), [], 'no core is free');
  finish(fixture, 'a');
  t.equal(requestsIn(fixture.takeEffects()).length, 1);
  t.end();
});

test('a task that takes the whole machine leaves nothing to request', (t) => {
  const { fixture, request } = asking();
  fixture.lease(request, leases([assignmentOf('a', { cores: 4 })]));
  t.same(requestsIn(fixture.takeEffects()), []);
  t.same(requestsIn(fixture.passInContact(60_000)), []);
  t.end();
});

test('an empty reply after the hold is followed by a request at once, an early one by backoff', (t) => {
  const { fixture, request } = asking();
  fixture.passInContact(30_000);
  fixture.lease(request, leases([]));
  const [next] = requestsIn(fixture.takeEffects());
  fixture.lease(next as Request, leases([]));
  t.same(fixture.takeEffects(), []);
  fixture.pass(250);
  t.equal(requestsIn(fixture.takeEffects()).length, 1);
  t.end();
});

test('a request that timed out is repeated at once, and a failed one with backoff', (t) => {
  const { fixture, request } = asking();
  unanswered(fixture, request, 'timed-out');
  let [next] = requestsIn(fixture.takeEffects());
  t.ok(next);
  for (const maxMs of [250, 500, 1000, 2000, 4000, 5000, 5000]) {
    unanswered(fixture, next as Request, 'no-responders');
    t.same(fixture.takeEffects(), []);
    const early = fixture.passInContact(maxMs / 2 - 1);
    t.same(requestsIn(early), []);
    [next] = requestsIn(fixture.passInContact(maxMs / 2 + 1));
    t.ok(next, `within ${maxMs} ms`);
  }
  fixture.passInContact(2000);
  fixture.lease(next as Request, leases([assignmentOf('a')]));
  [next] = requestsIn(fixture.takeEffects());
  unanswered(fixture, next as Request, 'failed');
  t.equal(requestsIn(fixture.passInContact(250)).length, 1, 'a reply resets the backoff');
  t.end();
});

test('a repeated reply or assignment runs once', (t) => {
  const { fixture, request } = asking();
  const reply = leases([assignmentOf('a')]);
  fixture.lease(request, reply);
  const [next] = requestsIn(fixture.takeEffects());
  fixture.lease(request, reply);
  t.same(fixture.takeEffects(), [], 'the request is already answered');
  fixture.deliver('poller', 'poller', { type: 'lease.answered-late', reply });
  t.same(fixture.takeEffects(), []);
  finish(fixture, 'a');
  fixture.takeEffects();
  fixture.lease(next as Request, reply);
  t.same(openedIn(fixture.takeEffects()), [], 'also after it has ended');
  t.end();
});

test('an attempt waits for an earlier one of its task that is still being stopped', (t) => {
  const { fixture, request } = asking();
  const taskId = assignmentOf('same').task_id;
  fixture.lease(request, leases([assignmentOf('a', { task_id: taskId })]));
  fixture.opened('a');
  const [next] = requestsIn(fixture.takeEffects());
  fixture.deliver('poller', 'poller', { type: 'attempt.revoked', attemptId: 'a' as AttemptId });
  fixture.lease(next as Request, leases([assignmentOf('b', { task_id: taskId }), assignmentOf('c')]));
  t.same(openedIn(fixture.takeEffects()), ['c']);
  fixture.ended('a', 1, { kind: 'signaled', signal: 'SIGTERM' });
  t.same(openedIn(fixture.takeEffects()), []);
  fixture.closed('a');
  t.same(openedIn(fixture.takeEffects()), ['b']);
  t.end();
});

test('a queued attempt is given back with the others when contact is lost', (t) => {
  const { fixture, request } = asking();
  const taskId = assignmentOf('same').task_id;
  fixture.lease(
    request,
    leases([assignmentOf('a', { task_id: taskId }), assignmentOf('b', { task_id: taskId })]),
  );
  t.same(openedIn(fixture.takeEffects()), ['a']);
  fixture.opened('a');
  fixture.pass(20_000);
  fixture.ended('a', 1, { kind: 'signaled', signal: 'SIGTERM' });
  fixture.closed('a');
  const effects = fixture.takeEffects();
  t.same(openedIn(effects), []);
  t.match(announcesIn(effects).at(-1), { announcement: { type: 'register', open_attempts: { length: 0 } } });
  fixture.answer(announcesIn(effects).at(-1) as Announce, registered());
  t.same(openedIn(fixture.takeEffects()), [], 'the next registration does not start it either');
  t.end();
});

test('an assignment without its step is ignored', (t) => {
  const { fixture, request } = asking();
  fixture.lease(request, { v: 1, type: 'leases', assignments: [assignmentOf('a')], steps: {} });
  t.same(openedIn(fixture.takeEffects()), []);
  t.match(fixture.logged.at(-1), /^error: ignored an assignment without its step/);
  t.end();
});

test('a worker that is unknown to the lease actor checks its registration and waits', (t) => {
  const { fixture, request } = asking();
  fixture.lease(request, { v: 1, type: 'unknown' });
  const heartbeat = fixture.onlyEffect('announce');
  t.equal(heartbeat.announcement.type, 'heartbeat');
  fixture.answer(heartbeat, { v: 1, type: 'unknown' });
  t.equal(fixture.onlyEffect('announce').announcement.type, 'register');
  fixture.pass(250);
  t.same(requestsIn(fixture.takeEffects()), [], 'no requests without a registration');
  t.end();
});

test('late assignments start after confirmation by the service, and hold their cores until then', (t) => {
  for (const late of ['after the time-out', 'after a long hold', 'after a stall']) {
    const { fixture, request } = asking();
    const reply = leases([assignmentOf('a', { cores: 4 })]);
    if (late === 'after the time-out') {
      unanswered(fixture, request, 'timed-out');
      fixture.takeEffects();
      fixture.deliver('poller', 'poller', { type: 'lease.answered-late', reply });
    } else {
      if (late === 'after a long hold') fixture.passInContact(20_000);
      else fixture.stall(1);
      fixture.lease(request, reply);
    }
    const effects = fixture.takeEffects();
    t.same(openedIn(effects), [], late);
    t.same(requestsIn(effects), []);
    const [heartbeat] = announcesIn(effects);
    t.match(heartbeat, { announcement: { type: 'heartbeat', open_attempts: ['a'] } });
    fixture.answer(heartbeat as Announce, alive());
    t.same(openedIn(fixture.takeEffects()), ['a']);
  }
  t.end();
});

test('an unconfirmed assignment without later contact is killed before the service reclaims it', (t) => {
  const takenBackMs = 30_000;
  const begun: string[] = [];
  for (const timeoutMs of [1_000, 2_000, 30_000, 60_000, 3_600_000]) {
    for (const ageMs of [0, 4_000, 6_000, 12_000, 19_000, 28_000]) {
      const fixture = new AgentFixture();
      fixture.answer(fixture.start(), registered({ heartbeat_timeout_ms: timeoutMs }));
      const said = fixture.takeEffects();
      const [request] = requestsIn(said);
      fixture.answer(announcesIn(said)[0] as Announce, alive());
      for (let passed = 0; passed < ageMs; passed += 100) fixture.passInContact(100);
      fixture.lease(request as Request, leases([assignmentOf('a')]));
      const isBegun = openedIn(fixture.takeEffects()).length === 1;
      if (isBegun) begun.push(`${timeoutMs} ${ageMs}`);
      const endsAt = ageMs + (fixture.contactLeftMs ?? Infinity);
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

test('late assignments that the service rejects are released', (t) => {
  const { fixture, request } = asking();
  fixture.passInContact(29_000);
  fixture.lease(request, leases([assignmentOf('a', { cores: 4 })]));
  const [heartbeat] = announcesIn(fixture.takeEffects());
  fixture.answer(heartbeat as Announce, alive('a'));
  const effects = fixture.takeEffects();
  t.same(openedIn(effects), []);
  t.equal(requestsIn(effects).length, 1);
  fixture.pass(5000);
  t.match(announcesIn(fixture.takeEffects())[0], { announcement: { open_attempts: { length: 0 } } });
  t.end();
});

test('a heartbeat sent before the assignments arrived confirms none of them', (t) => {
  const { fixture, request } = asking();
  fixture.passInContact(24_000);
  fixture.pass(1000);
  const [before] = announcesIn(fixture.takeEffects());
  fixture.lease(request, leases([assignmentOf('a')]));
  const [after] = announcesIn(fixture.takeEffects());
  fixture.answer(before as Announce, alive());
  t.same(openedIn(fixture.takeEffects()), []);
  fixture.answer(after as Announce, alive());
  t.same(openedIn(fixture.takeEffects()), ['a']);
  t.end();
});

test('a request of an earlier incarnation is replaced, and its reply is ignored', (t) => {
  const { fixture, request } = asking();
  fixture.pass(20_000);
  const register = announcesIn(fixture.takeEffects()).find(
    ({ announcement }) => announcement.type === 'register',
  );
  fixture.answer(register as Announce, registered());
  const [renewed] = requestsIn(fixture.takeEffects());
  t.not(renewed?.request.incarnation, request.request.incarnation);
  fixture.lease(request, leases([assignmentOf('a')]));
  t.same(fixture.takeEffects(), []);
  fixture.lease(renewed as Request, leases([assignmentOf('b')]));
  t.same(openedIn(fixture.takeEffects()), ['b']);
  t.end();
});

test('assignments without a registration are ignored', (t) => {
  const { fixture, request } = asking();
  fixture.deliver('registrar', 'registrar', { type: 'agent.leave', atOnce: true });
  fixture.takeEffects();
  fixture.lease(request, leases([assignmentOf('a')]));
  fixture.deliver('poller', 'poller', { type: 'lease.answered-late', reply: leases([assignmentOf('b')]) });
  t.same(fixture.takeEffects(), []);
  t.match(fixture.logged.slice(-2), [
    /^warn: ignored assignments that arrived while the worker was not registered/,
    /^warn: ignored assignments/,
  ]);
  t.end();
});

test('a doubted assignment is dropped when the contact is lost, and the worker registers at once', (t) => {
  const { fixture, request } = asking();
  fixture.passInContact(19_000);
  fixture.lease(request, leases([assignmentOf('a', { cores: 4 })]));
  fixture.takeEffects();
  fixture.pass(20_000);
  const effects = fixture.takeEffects();
  t.same(openedIn(effects), []);
  const registers = announcesIn(effects).filter(({ announcement }) => announcement.type === 'register');
  t.match(registers[0], { announcement: { open_attempts: { length: 0 } } }, 'no process has to end first');
  fixture.answer(registers.at(-1) as Announce, registered());
  t.equal(requestsIn(fixture.takeEffects()).length, 1, 'its cores are free');
  t.end();
});

test('a reply from before a stall confirms no assignment', (t) => {
  const { fixture, request } = asking();
  fixture.passInContact(19_000);
  fixture.lease(request, leases([assignmentOf('a')]));
  const [heartbeat] = announcesIn(fixture.takeEffects());
  fixture.stall(1_000);
  fixture.answer(heartbeat as Announce, alive());
  t.same(openedIn(fixture.takeEffects()), [], 'the attempt may be closed by now');
  fixture.pass(5_000);
  const [next] = announcesIn(fixture.takeEffects());
  fixture.answer(next as Announce, alive());
  t.same(openedIn(fixture.takeEffects()), ['a']);
  t.end();
});
