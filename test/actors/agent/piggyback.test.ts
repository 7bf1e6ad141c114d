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

/** A worker whose tasks end when the test says so. */
class Rider extends AgentFixture {
  /** Requests that were said and not answered, oldest first. */
  readonly open: Request[] = [];
  /** Attempts whose end went by the stream, as often as it did. */
  readonly streamed: string[] = [];

  constructor(cpuCount = 4) {
    super({ settings: { ...SETTINGS, cpuCount, sessionLingerMs: 0 } });
    this.open.push(...this.register());
  }

  /** Takes what was said; heartbeats go unanswered. */
  hear(): void {
    for (const effect of this.said()) {
      if (isRequest(effect)) this.open.push(effect);
      else if (effect.kind === 'report' && effect.report.status !== 'running')
        this.streamed.push(effect.report.attempt_id);
    }
  }

  wait(ms: number): void {
    this.pass(ms);
    this.hear();
  }

  /** Begins tasks of one core each. */
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
    this.tell('poller', 'poller', { type: 'lease.unanswered', requestId, reason });
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
    const heartbeats = this.said().flatMap((effect) =>
      effect.kind === 'announce' && 'open_attempts' in effect.announcement
        ? [effect.announcement.open_attempts]
        : [],
    );
    return heartbeats.at(-1) ?? ['no heartbeat'];
  }
}

test('an end rides on the request for the cores that it has freed, and is kept until it is confirmed', (t) => {
  const fixture = new Rider(1);
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
  t.same(fixture.streamed, [], 'nothing of it was said otherwise');
  t.end();
});

test('nothing rides before it is on the disk', (t) => {
  const fixture = new Rider(1);
  fixture.give(['a']);
  fixture.isDiskSlow = true;
  fixture.ends('a');
  t.same(fixture.open, []);
  fixture.flush();
  fixture.hear();
  t.same(ridingOn(fixture.open[0]), ['a']);
  t.end();
});

test('what a reply does not confirm goes by the stream at once, and so does all when there is none', (t) => {
  const cases: Readonly<Record<string, (fixture: Rider) => void>> = {
    'an answer that confirms nothing': (fixture) => fixture.give(['c']),
    'an answer that confirms others': (fixture) => fixture.give(['c'], ['x']),
    'an empty answer': (fixture) => fixture.answerLease(leases([])),
    'a service that does not know the worker': (fixture) => fixture.answerLease({ v: 1, type: 'unknown' }),
    'nobody there': (fixture) => fixture.fails('no-responders'),
    'a lost connection': (fixture) => fixture.fails('failed'),
    'a request that was given up': (fixture) => fixture.fails('timed-out'),
  };
  for (const [name, becomes] of Object.entries(cases)) {
    const fixture = new Rider(1);
    fixture.give(['a']);
    fixture.ends('a');
    t.same(fixture.streamed, [], name);
    becomes(fixture);
    t.same(fixture.streamed, ['a'], name);
    t.same(fixture.kept, ['a'], name);
    fixture.open.forEach((request) => t.notOk('reports' in request.request, `${name}: it rides once`));
  }
  t.end();
});

test('a request that is not answered is not waited for: it may be parked, or lost', (t) => {
  const fixture = new Rider(1);
  fixture.give(['a']);
  fixture.ends('a');
  fixture.wait(AGENT_LIMITS.piggybackConfirmMs - 1);
  t.same(fixture.streamed, []);
  fixture.wait(1);
  t.same(fixture.streamed, ['a']);
  fixture.give(['b'], ['a']);
  t.same(fixture.kept, [], 'the answer counts when it comes');
  t.same(fixture.streamed, ['a']);
  t.end();
});

test('an end waits a moment for an answer that may come any moment, and rides on the next request', (t) => {
  const fixture = new Rider(2);
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
  t.same(fixture.streamed, ['c'], 'it does not wait for longer');
  t.end();
});

test('an end does not wait while a request is parked', (t) => {
  const fixture = new Rider(2);
  fixture.give(['a']);
  fixture.wait(AGENT_LIMITS.piggybackWaitMs);
  fixture.ends('a');
  t.same(fixture.streamed, ['a']);
  t.equal(fixture.open.length, 1, 'a parked request is not replaced');
  t.end();
});

test('an end does not wait where no request leaves', (t) => {
  const leaving = new Rider(2);
  leaving.give(['a', 'b']);
  leaving.ends('a');
  leaving.tell('registrar', 'registrar', { type: 'agent.leave', atOnce: false });
  leaving.hear();
  leaving.ends('b');
  t.same(leaving.streamed, ['b'], 'the worker leaves');

  const waiting = new Rider(2);
  waiting.give(['a', 'b']);
  waiting.ends('a');
  waiting.ends('b');
  waiting.tell('registrar', 'registrar', { type: 'agent.leave', atOnce: false });
  waiting.hear();
  t.same(waiting.streamed, ['b'], 'one that waits is said');

  const cut = new Rider(1);
  cut.give(['a']);
  cut.tell('poller', 'poller', { type: 'poller.unregistered' });
  cut.ends('a');
  t.same(cut.streamed, ['a'], 'the worker is not registered');
  t.end();
});

test('a leaving worker says good-bye when a reply has confirmed its last end', (t) => {
  const fixture = new Rider(1);
  fixture.give(['a']);
  fixture.ends('a');
  fixture.tell('registrar', 'registrar', { type: 'agent.leave', atOnce: false });
  fixture.hear();
  const request = fixture.open[0];
  if (request === undefined) throw new Error('no lease request');
  fixture.lease(request, { ...leases([]), confirmed: idsOf(['a']) });
  t.match(
    fixture.said().filter(({ kind }) => kind === 'announce'),
    [{ announcement: { type: 'deregister' } }],
  );
  t.end();
});

test('what was riding is said by the next daemon when this one dies', (t) => {
  const first = new Rider(1);
  first.give(['a']);
  first.ends('a');
  t.same(ridingOn(first.open[0]), ['a']);
  const next = new AgentFixture({ disk: first.disk });
  next.tell('registrar', 'registrar', { type: 'agent.start' });
  t.match(next.said(), [{ kind: 'announce' }, { kind: 'report', report: { attempt_id: 'a' } }]);
  t.end();
});

test('a heartbeat confirms what rides', (t) => {
  const fixture = new Rider(1);
  fixture.give(['a']);
  fixture.ends('a');
  fixture.tell('registrar', 'registrar', { type: 'bus.ready' });
  const heartbeat = fixture.said().find((effect) => effect.kind === 'announce');
  fixture.answer(heartbeat as Extract<AgentEffect, { kind: 'announce' }>, alive('a'));
  fixture.wait(AGENT_LIMITS.piggybackConfirmMs);
  t.same(fixture.streamed, []);
  t.same(fixture.kept, []);
  fixture.give(['b']);
  t.same(fixture.streamed, [], 'an answer that does not name it is no news');
  t.end();
});

test('a request carries no more reports, and no more text, than it may', (t) => {
  const count = WIRE_LIMITS.reportsPerRequest + 10;
  for (const message of ['', 'x'.repeat(AGENT_LIMITS.reportMessageCharacters)]) {
    const fixture = new Rider(count + 1);
    const attempts = Array.from({ length: count }, (_, number) => `a${number}`);
    fixture.give(attempts);
    for (const attempt of attempts) {
      if (message !== '') fixture.output(attempt, 1, [`openjd_fail: ${message}`]);
      fixture.ends(attempt, message === '' ? 0 : 1);
    }
    t.same(fixture.streamed, [], 'the request was said a moment ago');
    fixture.answerLease(leases([assignmentOf('z', { cores: 1 })]));
    const [request] = fixture.open;
    const riding = ridingOn(request);
    t.same(riding, attempts.slice(0, riding.length), 'the oldest ride');
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

test('whatever becomes of requests, an end is confirmed or has gone by the stream soon, and is kept until it is confirmed', (t) => {
  const latestMs = AGENT_LIMITS.piggybackWaitMs + AGENT_LIMITS.piggybackConfirmMs;
  fc.assert(
    fc.property(fc.array(steps, { maxLength: 40 }), (script) => {
      const fixture = new Rider(4);
      const running: string[] = [];
      const endedAt = new Map<string, number>();
      const confirmed = new Set<string>();
      let number = 0;
      const judge = (): void => {
        for (const [attempt, at] of endedAt) {
          const isDone = confirmed.has(attempt) || fixture.streamed.includes(attempt);
          if (!isDone && fixture.now - at > latestMs) throw new Error(`${attempt} was never said`);
          if (fixture.kept.includes(attempt) === confirmed.has(attempt))
            throw new Error(`${attempt} on disk`);
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
          fixture.tell('poller', 'poller', { type: 'poller.unregistered' });
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
