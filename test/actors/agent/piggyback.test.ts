import fc from 'fast-check';
import { test } from 'tap';
import { AGENT_LIMITS } from '../../../actors/agent/agent-limits.ts';
import type { AgentEffect } from '../../../actors/agent/agent-system.ts';
import type { LeaseFailure } from '../../../actors/agent/poller/messages.ts';
import type { AttemptId } from '../../../src/core/ids.ts';
import { WIRE_LIMITS } from '../../../src/core/wire/limits.ts';
import { AgentFixture, alive, assignmentOf, leases, SETTINGS } from './agent-fixture.ts';

type Request = Extract<AgentEffect, { kind: 'request-lease' }>;

const isRequest = (effect: AgentEffect): effect is Request => effect.kind === 'request-lease';
const idsOf = (attempts: readonly string[]): AttemptId[] => attempts as AttemptId[];
const ridingOn = (request: Request | undefined): string[] =>
  (request?.request.reports ?? []).map((report) => report.attempt_id);

/** A worker whose tasks end when the test decides. */
class PiggybackingWorker extends AgentFixture {
  /** Open lease requests, oldest first. */
  readonly open: Request[] = [];
  /** Attempts whose terminal report was published to the stream, once per publish. */
  readonly streamed: string[] = [];

  constructor(cpuCount = 4) {
    super({ settings: { ...SETTINGS, cpuCount, sessionLingerMs: 0 } });
    this.open.push(...this.register());
  }

  /** Takes the effects since the last call. Heartbeats get no reply. */
  hear(): void {
    for (const effect of this.takeEffects()) {
      if (isRequest(effect)) this.open.push(effect);
      else if (effect.kind === 'report' && effect.report.status !== 'running')
        this.streamed.push(effect.report.attempt_id);
    }
  }

  wait(ms: number): void {
    this.pass(ms);
    this.hear();
  }

  /** Starts tasks of one core each. */
  give(attempts: readonly string[], confirmed?: readonly string[]): void {
    const reply = leases(attempts.map((each) => assignmentOf(each)));
    this.answerLease(confirmed === undefined ? reply : { ...reply, confirmed: idsOf(confirmed) });
    for (const attempt of attempts) {
      this.opened(attempt);
      this.started(attempt, 1);
    }
    this.hear();
  }

  answerLease(reply: Parameters<AgentFixture['lease']>[1]): void {
    const request = this.open.shift();
    if (request === undefined) throw new Error('no lease request');
    this.lease(request, reply);
    this.hear();
  }

  fails(reason: LeaseFailure): void {
    const requestId = this.open.shift()?.requestId ?? '';
    this.deliver('poller', 'poller', { type: 'lease.unanswered', requestId, reason });
    this.hear();
  }

  ends(attempt: string, code = 0): void {
    this.ended(attempt, 1, code);
    this.drained(attempt);
    this.closed(attempt);
    this.hear();
  }

  get kept(): string[] {
    return this.disk.reports.map(({ attempt_id: id }) => id);
  }

  openAttempts(): readonly string[] {
    this.pass(5_000);
    const heartbeats = this.takeEffects().flatMap((effect) =>
      effect.kind === 'announce' && 'open_attempts' in effect.announcement
        ? [effect.announcement.open_attempts]
        : [],
    );
    return heartbeats.at(-1) ?? ['no heartbeat'];
  }
}

test('a terminal report is sent with the request for its freed cores and kept until it is confirmed', (t) => {
  const fixture = new PiggybackingWorker(1);
  fixture.give(['a']);
  t.same(fixture.open, [], 'no core is free');
  fixture.ends('a', 3);
  t.match(fixture.open, [{ request: { reports: { length: 1 } } }]);
  t.strictSame(fixture.open[0]?.request.reports, [
    {
      attempt_id: 'a',
      status: 'failed',
      timestamp: '2026-11-20T12:00:00.000Z',
      session_id: fixture.sessionOf('a'),
      exit_code: 3,
      message: 'failed (exit 3)',
    },
  ]);
  t.same(fixture.kept, ['a']);
  fixture.give(['b'], ['a']);
  t.same(fixture.kept, []);
  t.same(fixture.openAttempts(), ['b']);
  t.same(fixture.streamed, [], 'it was not published otherwise');
  t.end();
});

test('no report is piggybacked before it is durable', (t) => {
  const fixture = new PiggybackingWorker(1);
  fixture.give(['a']);
  fixture.isDiskSlow = true;
  fixture.ends('a');
  t.same(fixture.open, []);
  fixture.flush();
  fixture.hear();
  t.same(ridingOn(fixture.open[0]), ['a']);
  t.end();
});

test('reports that a reply does not confirm go to the stream at once, also without a reply', (t) => {
  const cases: Readonly<Record<string, (fixture: PiggybackingWorker) => void>> = {
    'an answer that confirms nothing': (fixture) => fixture.give(['c']),
    'an answer that confirms others': (fixture) => fixture.give(['c'], ['x']),
    'an empty answer': (fixture) => fixture.answerLease(leases([])),
    'a service that does not know the worker': (fixture) => fixture.answerLease({ v: 1, type: 'unknown' }),
    'no responders': (fixture) => fixture.fails('no-responders'),
    'a lost connection': (fixture) => fixture.fails('failed'),
    'a request that was given up': (fixture) => fixture.fails('timed-out'),
  };
  for (const [name, becomes] of Object.entries(cases)) {
    const fixture = new PiggybackingWorker(1);
    fixture.give(['a']);
    fixture.ends('a');
    t.same(fixture.streamed, [], name);
    becomes(fixture);
    t.same(fixture.streamed, ['a'], name);
    t.same(fixture.kept, ['a'], name);
    fixture.open.forEach((request) => t.notOk('reports' in request.request, `${name}: it is sent once`));
  }
  t.end();
});

test('an unanswered request does not delay the next report: it may be parked or lost', (t) => {
  const fixture = new PiggybackingWorker(1);
  fixture.give(['a']);
  fixture.ends('a');
  fixture.wait(AGENT_LIMITS.piggybackConfirmMs - 1);
  t.same(fixture.streamed, []);
  fixture.wait(1);
  t.same(fixture.streamed, ['a']);
  fixture.give(['b'], ['a']);
  t.same(fixture.kept, [], 'a late reply still counts');
  t.same(fixture.streamed, ['a']);
  t.end();
});

test('a report waits briefly for an expected reply and is sent with the next request', (t) => {
  const fixture = new PiggybackingWorker(2);
  fixture.give(['a', 'b']);
  fixture.ends('a');
  fixture.ends('b');
  t.same(ridingOn(fixture.open[0]), ['a']);
  t.equal(fixture.open.length, 1);
  fixture.give(['c'], ['a']);
  t.same(ridingOn(fixture.open[0]), ['b']);
  t.same(fixture.streamed, []);

  fixture.ends('c');
  fixture.wait(AGENT_LIMITS.piggybackWaitMs - 1);
  t.same(fixture.streamed, []);
  fixture.wait(1);
  t.same(fixture.streamed, ['c'], 'it does not wait longer');
  t.end();
});

test('a report does not wait while a request is parked', (t) => {
  const fixture = new PiggybackingWorker(2);
  fixture.give(['a']);
  fixture.wait(AGENT_LIMITS.piggybackWaitMs);
  fixture.ends('a');
  t.same(fixture.streamed, ['a']);
  t.equal(fixture.open.length, 1, 'a parked request is not replaced');
  t.end();
});

test('a report does not wait if no request will be sent', (t) => {
  const leaving = new PiggybackingWorker(2);
  leaving.give(['a', 'b']);
  leaving.ends('a');
  leaving.deliver('registrar', 'registrar', { type: 'agent.leave', atOnce: false });
  leaving.hear();
  leaving.ends('b');
  t.same(leaving.streamed, ['b'], 'the agent shuts down');

  const waiting = new PiggybackingWorker(2);
  waiting.give(['a', 'b']);
  waiting.ends('a');
  waiting.ends('b');
  waiting.deliver('registrar', 'registrar', { type: 'agent.leave', atOnce: false });
  waiting.hear();
  t.same(waiting.streamed, ['b'], 'a waiting report is published');

  const cut = new PiggybackingWorker(1);
  cut.give(['a']);
  cut.deliver('poller', 'poller', { type: 'poller.unregistered' });
  cut.ends('a');
  t.same(cut.streamed, ['a'], 'the worker is not registered');
  t.end();
});

test('an agent that shuts down departs once a reply has confirmed its last report', (t) => {
  const fixture = new PiggybackingWorker(1);
  fixture.give(['a']);
  fixture.ends('a');
  fixture.deliver('registrar', 'registrar', { type: 'agent.leave', atOnce: false });
  fixture.hear();
  const request = fixture.open[0];
  if (request === undefined) throw new Error('no lease request');
  fixture.lease(request, { ...leases([]), confirmed: idsOf(['a']) });
  t.match(
    fixture.takeEffects().filter(({ kind }) => kind === 'announce'),
    [{ announcement: { type: 'deregister' } }],
  );
  t.end();
});

test('an agent that starts after a crash publishes the piggybacked reports of the earlier one', (t) => {
  const first = new PiggybackingWorker(1);
  first.give(['a']);
  first.ends('a');
  t.same(ridingOn(first.open[0]), ['a']);
  const next = new AgentFixture({ disk: first.disk });
  next.deliver('registrar', 'registrar', { type: 'agent.start' });
  t.match(next.takeEffects(), [{ kind: 'announce' }, { kind: 'report', report: { attempt_id: 'a' } }]);
  t.end();
});

test('a heartbeat reply confirms a piggybacked report', (t) => {
  const fixture = new PiggybackingWorker(1);
  fixture.give(['a']);
  fixture.ends('a');
  fixture.deliver('registrar', 'registrar', { type: 'bus.ready' });
  const heartbeat = fixture.takeEffects().find((effect) => effect.kind === 'announce');
  fixture.answer(heartbeat as Extract<AgentEffect, { kind: 'announce' }>, alive('a'));
  fixture.wait(AGENT_LIMITS.piggybackConfirmMs);
  t.same(fixture.streamed, []);
  t.same(fixture.kept, []);
  fixture.give(['b']);
  t.same(fixture.streamed, [], 'a reply that does not name it changes nothing');
  t.end();
});

test('the number and size of the reports in a request are limited', (t) => {
  const count = WIRE_LIMITS.reportsPerRequest + 10;
  for (const message of ['', 'x'.repeat(AGENT_LIMITS.reportMessageCharacters)]) {
    const fixture = new PiggybackingWorker(count + 1);
    const attempts = Array.from({ length: count }, (_, number) => `a${number}`);
    fixture.give(attempts);
    for (const attempt of attempts) {
      if (message !== '') fixture.output(attempt, 1, [`openjd_fail: ${message}`]);
      fixture.ends(attempt, message === '' ? 0 : 1);
    }
    t.same(fixture.streamed, [], 'a request was sent just before');
    fixture.answerLease(leases([assignmentOf('z', { cores: 1 })]));
    const [request] = fixture.open;
    const riding = ridingOn(request);
    t.same(riding, attempts.slice(0, riding.length), 'the oldest reports are sent');
    t.ok(JSON.stringify(request?.request).length < WIRE_LIMITS.leaseRequestText);
    if (message === '') t.equal(riding.length, WIRE_LIMITS.reportsPerRequest);
    else t.ok(riding.length > 1 && riding.length < WIRE_LIMITS.reportsPerRequest);
    fixture.wait(AGENT_LIMITS.piggybackWaitMs);
    t.same(fixture.streamed, attempts.slice(riding.length), 'the others do not wait for long');
  }
  t.end();
});

type Step =
  | { readonly do: 'give'; readonly count: number; readonly confirms: number }
  | { readonly do: 'end'; readonly which: number }
  | { readonly do: 'fail'; readonly reason: LeaseFailure }
  | { readonly do: 'unknown' }
  | { readonly do: 'wait'; readonly ms: number }
  | { readonly do: 'unregister' };

const steps: fc.Arbitrary<Step> = fc.oneof(
  fc.record({ do: fc.constant('give' as const), count: fc.nat(3), confirms: fc.nat(3) }),
  fc.record({ do: fc.constant('end' as const), which: fc.nat(9) }),
  fc.record({ do: fc.constant('end' as const), which: fc.nat(9) }),
  fc.record({
    do: fc.constant('fail' as const),
    reason: fc.constantFrom<LeaseFailure>('timed-out', 'no-responders', 'failed'),
  }),
  fc.constant<Step>({ do: 'unknown' }),
  fc.record({ do: fc.constant('wait' as const), ms: fc.nat(300) }),
  fc.constant<Step>({ do: 'unregister' }),
);

test('whatever happens to requests, a report is soon confirmed or published, and kept until it is confirmed', (t) => {
  const latestMs = AGENT_LIMITS.piggybackWaitMs + AGENT_LIMITS.piggybackConfirmMs;
  fc.assert(
    fc.property(fc.array(steps, { maxLength: 40, size: 'max' }), (script) => {
      const fixture = new PiggybackingWorker(4);
      const running: string[] = [];
      const endedAt = new Map<string, number>();
      const confirmed = new Set<string>();
      let number = 0;
      const judge = (): void => {
        for (const [attempt, at] of endedAt) {
          const isDone = confirmed.has(attempt) || fixture.streamed.includes(attempt);
          if (!isDone && fixture.now - at > latestMs) throw new Error(`${attempt} was not reported in time`);
          if (fixture.kept.includes(attempt) === confirmed.has(attempt))
            throw new Error(`${attempt} is kept although confirmed, or lost although unconfirmed`);
        }
      };
      for (const step of script) {
        const riding = ridingOn(fixture.open[0]);
        if (step.do === 'end') {
          const [attempt] = running.splice(step.which % Math.max(1, running.length), 1);
          if (attempt === undefined) continue;
          fixture.ends(attempt);
          endedAt.set(attempt, fixture.now);
        } else if (step.do === 'wait') fixture.wait(step.ms);
        else if (step.do === 'unregister') {
          fixture.deliver('poller', 'poller', { type: 'poller.unregistered' });
          fixture.hear();
        } else if (fixture.open.length === 0) continue;
        else if (step.do === 'fail') fixture.fails(step.reason);
        else if (step.do === 'unknown') fixture.answerLease({ v: 1, type: 'unknown' });
        else {
          const given = Array.from(
            { length: Math.min(step.count, 4 - running.length) },
            () => `t${number++}`,
          );
          const named = riding.slice(0, step.confirms);
          for (const attempt of named) confirmed.add(attempt);
          const reply = leases(given.map((each) => assignmentOf(each)));
          fixture.answerLease({ ...reply, confirmed: idsOf(named) });
          for (const attempt of given) {
            if (!fixture.has('session', attempt)) continue;
            fixture.opened(attempt);
            fixture.started(attempt, 1);
            running.push(attempt);
          }
          fixture.hear();
        }
        judge();
      }
      fixture.wait(latestMs + 1);
      judge();
    }),
    { numRuns: 300 },
  );
  t.end();
});
