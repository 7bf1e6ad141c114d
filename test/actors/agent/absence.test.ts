import { test } from 'tap';
import type { AgentEffect } from '../../../actors/agent/agent-system.ts';
import type { PresenceReply } from '../../../src/core/wire/bus-messages.ts';
import { AgentFixture, assignmentOf, leases, registered } from './agent-fixture.ts';

type Announce = Extract<AgentEffect, { kind: 'announce' }>;
type Probe = Extract<AgentEffect, { kind: 'probe-absence' }>;

const BUS = { single_bus: true, bus: 'the-bus', absence_limit_ms: 600_000 } as const;

type Alive = Extract<PresenceReply, { type: 'alive' }>;

const aliveWith = (terms: Partial<Omit<Alive, 'v' | 'type'>>): Alive => ({
  v: 1,
  type: 'alive',
  service: 'service-1',
  closed: [],
  ...terms,
});

/** A worker that runs an attempt, with terms of the service in every reply. */
function running(terms: Partial<Omit<Alive, 'v' | 'type'>>) {
  const fixture = new AgentFixture();
  fixture.deliver('registrar', 'registrar', { type: 'agent.start' });
  const reply = (announce: Announce, message: PresenceReply): void => {
    fixture.deliver('registrar', 'registrar', {
      type: 'presence.answered',
      token: announce.token,
      reply: message,
    });
  };
  const register = fixture.takeEffects().find((effect): effect is Announce => effect.kind === 'announce');
  if (register === undefined) throw new Error('no registration');
  reply(register, registered(terms));
  const effects = fixture.takeEffects();
  const request = effects.find((effect) => effect.kind === 'request-lease');
  const heartbeat = effects.find((effect) => effect.kind === 'announce');
  if (request?.kind !== 'request-lease' || heartbeat?.kind !== 'announce') throw new Error('not registered');
  reply(heartbeat, aliveWith(terms));
  fixture.lease(request, leases([assignmentOf('a', { cores: 4 })]));
  fixture.opened('a');
  fixture.started('a', 1);
  fixture.takeEffects();
  const probed = (probe: Probe, isAbsent: boolean): void => {
    fixture.deliver('registrar', 'registrar', { type: 'absence.probed', token: probe.token, isAbsent });
  };
  /** Passes five seconds and returns the heartbeat and the probe of that time. */
  const beat = (): { readonly heartbeat: Announce | undefined; readonly probe: Probe | undefined } => {
    fixture.pass(5_000);
    const sent = fixture.takeEffects();
    return {
      heartbeat: sent.find((effect): effect is Announce => effect.kind === 'announce'),
      probe: sent.find((effect): effect is Probe => effect.kind === 'probe-absence'),
    };
  };
  const hasStopped = (): boolean =>
    fixture.logged.some((line) => line.includes('the tasks of this worker are stopped'));
  return { fixture, reply, probed, beat, hasStopped };
}

test('tasks continue for as long as the bus says that no service is connected', (t) => {
  const { fixture, probed, beat, hasStopped } = running(BUS);
  t.equal(beat().probe, undefined, 'no question while heartbeats are answered');
  for (let seconds = 5; seconds < 300; seconds += 5) {
    const { probe } = beat();
    t.match(probe, { bus: 'the-bus' });
    if (probe !== undefined) probed(probe, true);
  }
  t.notOk(hasStopped());
  t.equal(
    fixture.logged.filter((line) => line.includes('no service is connected to the bus')).length,
    1,
    'logged once',
  );
  fixture.pass(20_000);
  t.ok(hasStopped(), 'without another answer the tasks are stopped');
  t.end();
});

test('an unanswered question does not count as contact', (t) => {
  const { probed, beat, hasStopped } = running(BUS);
  beat();
  for (let seconds = 5; seconds < 25; seconds += 5) {
    const { probe } = beat();
    if (probe !== undefined) probed(probe, false);
  }
  t.ok(hasStopped());
  t.end();
});

test('the absence of the service counts from the question, not from the answer', (t) => {
  const { fixture, probed, beat } = running(BUS);
  beat();
  const { probe } = beat();
  if (probe === undefined) throw new Error('no question');
  fixture.pass(4_000);
  probed(probe, true);
  t.equal(fixture.contactLeftMs, 23_000 - 4_000);
  t.end();
});

test('an answer to a question from before a stall, or of an unknown token, is ignored', (t) => {
  const { fixture, probed, beat } = running(BUS);
  beat();
  const { probe } = beat();
  if (probe === undefined) throw new Error('no question');
  const before = fixture.contactLeftMs;
  fixture.stall(1_000);
  probed(probe, true);
  t.equal(fixture.contactLeftMs, before);
  probed({ ...probe, token: 99 }, true);
  t.equal(fixture.contactLeftMs, before);
  t.end();
});

test('a service that starts and answers an earlier heartbeat does not shorten the contact', (t) => {
  const { fixture, reply, probed, beat, hasStopped } = running(BUS);
  const { heartbeat: unanswered } = beat();
  for (let seconds = 0; seconds < 15; seconds += 5) {
    const { probe } = beat();
    if (probe !== undefined) probed(probe, true);
  }
  t.equal(fixture.contactLeftMs, 23_000, 'from the latest question on');
  if (unanswered === undefined) throw new Error('no heartbeat');
  fixture.pass(4_900);
  const started = aliveWith({ ...BUS, service: 'service-2' });
  reply(unanswered, started);
  fixture.pass(1_000);
  t.notOk(hasStopped(), 'the answer is about a heartbeat of almost 20 s ago');
  const heartbeat = fixture
    .takeEffects()
    .findLast((effect): effect is Announce => effect.kind === 'announce');
  if (heartbeat === undefined) throw new Error('no heartbeat');
  reply(heartbeat, started);
  t.equal(fixture.contactLeftMs, 23_000 - 900, 'a later answer extends it');
  fixture.pass(20_000);
  t.ok(hasStopped());
  t.end();
});

test('other terms in the answer to an earlier heartbeat apply from that one on', (t) => {
  const { fixture, reply, probed, beat, hasStopped } = running({ ...BUS, reclaim_after_ms: 300_000 });
  const { heartbeat: unanswered } = beat();
  const { probe } = beat();
  if (unanswered === undefined || probe === undefined) throw new Error('no heartbeat, or no question');
  probed(probe, true);
  t.equal(fixture.contactLeftMs, 203_000);
  reply(unanswered, aliveWith({ ...BUS, service: 'service-2', reclaim_after_ms: 30_000 }));
  t.equal(fixture.contactLeftMs, 23_000 - 5_000);
  fixture.pass(14_000);
  t.notOk(hasStopped());
  fixture.pass(1_500);
  t.ok(hasStopped());
  t.end();
});

test('without a single bus, or beyond the limit, the worker does not ask', (t) => {
  const plain = running({});
  plain.beat();
  t.equal(plain.beat().probe, undefined);
  const { probed, beat, hasStopped } = running({ ...BUS, absence_limit_ms: 60_000 });
  let asked = 0;
  for (let seconds = 0; seconds < 120 && !hasStopped(); seconds += 5) {
    const { probe } = beat();
    if (probe === undefined) continue;
    asked++;
    probed(probe, true);
  }
  t.ok(hasStopped(), 'the tasks are stopped after the limit');
  t.ok(asked > 8 && asked <= 12, `${asked} questions in 60 s`);
  t.end();
});

test('a worker stops its tasks after two thirds of reclaim_after_ms, and its guards kill at nine tenths', (t) => {
  const { fixture, reply, beat, hasStopped } = running({ reclaim_after_ms: 300_000 });
  const { heartbeat } = beat();
  if (heartbeat === undefined) throw new Error('no heartbeat');
  reply(heartbeat, aliveWith({ reclaim_after_ms: 300_000 }));
  t.equal(fixture.contactLeftMs, 203_000, 'two thirds and the grace');
  fixture.pass(199_000);
  t.notOk(hasStopped());
  fixture.pass(1_500);
  t.ok(hasStopped());
  t.end();
});

test('a heartbeat reports terms one heartbeat after they apply, and the latest mark', (t) => {
  const { reply, beat } = running({ ...BUS, reclaim_after_ms: 300_000, mark: 1 });
  const first = beat().heartbeat;
  t.match(first?.announcement, { reclaim_after_ms: 300_000, bus: 'the-bus', mark: 1 });
  if (first === undefined) throw new Error('no heartbeat');
  reply(first, aliveWith({ reclaim_after_ms: 60_000, mark: 2 }));
  t.match(beat().heartbeat?.announcement, { reclaim_after_ms: 300_000, mark: 2 }, 'still the earlier time');
  t.match(beat().heartbeat?.announcement, { reclaim_after_ms: 60_000, mark: 2 });
  t.end();
});

test('a late reply of an earlier start of the service is ignored', (t) => {
  const { fixture, reply, beat } = running({ reclaim_after_ms: 300_000, service: 'first' });
  const [first, second] = [beat().heartbeat, beat().heartbeat];
  if (first === undefined || second === undefined) throw new Error('no heartbeat');
  reply(first, aliveWith({ service: 'second', reclaim_after_ms: 30_000 }));
  const { contactLeftMs } = fixture;
  reply(second, aliveWith({ service: 'first', reclaim_after_ms: 300_000 }));
  t.equal(fixture.contactLeftMs, contactLeftMs);
  t.end();
});

test('a new incarnation says that the worker had no contact', (t) => {
  const { fixture } = running({});
  fixture.pass(20_000);
  fixture.takeEffects();
  fixture.ended('a', 1, { kind: 'signaled', signal: 'SIGTERM' });
  fixture.closed('a');
  const register = fixture.takeEffects().find((effect): effect is Announce => effect.kind === 'announce');
  t.match(register, {
    announcement: { type: 'register', stopped: 'no-contact', open_attempts: { length: 0 } },
  });
  t.end();
});

for (const [reclaimAfterMs, isConfirmed] of [
  [30_000, true],
  [300_000, false],
] as const)
  test(`an assignment of 20 s with reclaim_after_ms ${reclaimAfterMs} ${isConfirmed ? 'awaits a confirmation' : 'starts at once'}`, (t) => {
    const fixture = new AgentFixture();
    fixture.deliver('registrar', 'registrar', { type: 'agent.start' });
    const register = fixture.takeEffects().find((effect): effect is Announce => effect.kind === 'announce');
    if (register === undefined) throw new Error('no registration');
    fixture.deliver('registrar', 'registrar', {
      type: 'presence.answered',
      token: register.token,
      reply: registered({ reclaim_after_ms: reclaimAfterMs }),
    });
    const request = fixture.takeEffects().find((effect) => effect.kind === 'request-lease');
    if (request?.kind !== 'request-lease') throw new Error('no lease request');
    fixture.pass(19_000);
    fixture.takeEffects();
    fixture.lease(request, leases([assignmentOf('a', { cores: 4 })]));
    const kinds = fixture.takeEffects().map(({ kind }) => kind);
    t.equal(kinds.includes('open-session'), !isConfirmed);
    t.end();
  });

test('the answer of a bus that the service has left does not count', (t) => {
  const { fixture, reply, probed, beat } = running(BUS);
  const { heartbeat: first } = beat();
  const { heartbeat, probe } = beat();
  if (first === undefined || heartbeat === undefined || probe === undefined) throw new Error('no question');
  reply(heartbeat, aliveWith({ ...BUS, bus: 'another-bus' }));
  const before = fixture.contactLeftMs;
  fixture.pass(1_000);
  probed(probe, true);
  t.equal(fixture.contactLeftMs, before);
  t.notOk(
    fixture.logged.some((line) => line.includes('no service is connected')),
    'the service is connected to the other bus',
  );
  t.end();
});
