import { test } from 'tap';
import type { AgentEffect } from '../../../actors/agent/agent-system.ts';
import type { AttemptId, TaskId } from '../../../src/core/ids.ts';
import type { ReportedStatus, StatusMessage } from '../../../src/core/wire/bus-messages.ts';
import { WIRE_LIMITS } from '../../../src/core/wire/limits.ts';
import { AgentFixture, alive, assignmentOf, FARM, leases, WORKER } from './agent-fixture.ts';

/** Statuses of the reports that were published or sent with a lease request. */
const statusesIn = (effects: readonly AgentEffect[]): string[] =>
  effects.flatMap((effect) => {
    if (effect.kind === 'report') return [effect.report.status];
    return effect.kind === 'request-lease' ? (effect.request.reports ?? []).map(({ status }) => status) : [];
  });

function stored(fixture: AgentFixture, status: ReportedStatus): void {
  fixture.deliver('outbox', 'outbox', {
    type: 'report.stored',
    attemptId: assignmentOf('a').attempt_id,
    status,
  });
}

function publishFailed(fixture: AgentFixture, status: ReportedStatus): void {
  const attemptId = assignmentOf('a').attempt_id;
  fixture.deliver('outbox', 'outbox', {
    type: 'report.publish-failed',
    attemptId,
    status,
    reason: 'disconnected',
  });
}

/** A worker whose task has run for a moment. */
function running(): AgentFixture {
  const fixture = started();
  fixture.ranForAMoment('a');
  return fixture;
}

/** A worker whose task has just started. */
function started(): AgentFixture {
  const fixture = new AgentFixture();
  const [request] = fixture.register();
  if (request === undefined) throw new Error('no lease request');
  fixture.lease(request, leases([assignmentOf('a', { cores: 4 })]));
  fixture.opened('a');
  fixture.takeEffects();
  fixture.started('a', 1);
  return fixture;
}

test('a running report is repeated until the bus has stored it', (t) => {
  const fixture = running();
  t.same(statusesIn(fixture.takeEffects()), ['running']);
  t.same(fixture.disk.reports, []);
  publishFailed(fixture, 'running');
  t.same(statusesIn(fixture.takeEffects()), []);
  t.same(statusesIn(fixture.passInContact(250)), ['running']);
  publishFailed(fixture, 'running');
  t.same(statusesIn(fixture.passInContact(500)), ['running']);
  stored(fixture, 'running');
  t.same(statusesIn(fixture.passInContact(120_000)), []);
  t.end();
});

test('a terminal report replaces a running report that is not stored yet', (t) => {
  const fixture = running();
  publishFailed(fixture, 'running');
  fixture.takeEffects();
  fixture.ended('a', 1, 0);
  fixture.drained('a');
  fixture.closed('a');
  t.same(
    statusesIn(fixture.passInContact(500)),
    ['succeeded'],
    'the running report is not published any more',
  );
  publishFailed(fixture, 'running');
  t.same(statusesIn(fixture.passInContact(400)), [], 'a late failure of the running report is ignored');
  t.end();
});

test('a terminal report is not published before it is durable', (t) => {
  const fixture = running();
  stored(fixture, 'running');
  fixture.ended('a', 1, 0);
  fixture.drained('a');
  fixture.takeEffects();
  fixture.isDiskSlow = true;
  fixture.closed('a');
  t.same(fixture.takeEffects(), []);
  t.same(fixture.disk.reports, []);
  fixture.flush();
  t.same(statusesIn(fixture.takeEffects()), ['succeeded']);
  t.match(fixture.disk.reports, [{ attempt_id: 'a', status: 'succeeded' }]);
  t.end();
});

test('a terminal report is repeated until the service confirms it, soon after a failure and later after it is stored', (t) => {
  const fixture = running();
  fixture.ended('a', 1, 0);
  fixture.drained('a');
  fixture.takeEffects();
  fixture.closed('a');
  t.same(statusesIn(fixture.takeEffects()), ['succeeded']);
  for (const maxMs of [250, 500, 1000, 2000, 4000, 8000, 10_000, 10_000]) {
    publishFailed(fixture, 'succeeded');
    t.same(statusesIn(fixture.passInContact(maxMs)), ['succeeded'], `within ${maxMs} ms`);
  }
  stored(fixture, 'succeeded');
  t.same(statusesIn(fixture.passInContact(59_000)), []);
  t.same(statusesIn(fixture.passInContact(1000)), ['succeeded']);
  stored(fixture, 'succeeded');
  t.equal(fixture.disk.reports.length, 1);
  fixture.pass(5000);
  const heartbeat = fixture.takeEffects().find((effect) => effect.kind === 'announce');
  t.match(heartbeat, { announcement: { open_attempts: ['a'] } });
  fixture.answer(heartbeat as Extract<AgentEffect, { kind: 'announce' }>, alive('a'));
  t.same(fixture.disk.reports, []);
  t.same(statusesIn(fixture.passInContact(120_000)), []);
  t.end();
});

test('a killed agent leaves a report complete or not at all, and the next agent publishes it', (t) => {
  const first = running();
  first.ended('a', 1, 3);
  first.drained('a');
  first.closed('a');
  const next = new AgentFixture({ disk: first.disk });
  next.deliver('registrar', 'registrar', { type: 'agent.start' });
  t.match(next.takeEffects(), [
    { kind: 'announce', announcement: { open_attempts: ['a'] } },
    {
      kind: 'report',
      report: { attempt_id: 'a', status: 'failed', exit_code: 3, message: 'failed (exit 3)' },
    },
  ]);
  t.end();
});

const REPORT: StatusMessage = {
  v: 1,
  task_id: 'a-task' as TaskId,
  attempt_id: 'a' as AttemptId,
  worker_id: WORKER,
  status: 'succeeded',
  exit_code: 0,
  timestamp: '2026-11-20T12:00:00.000Z',
  session_id: 's',
};

/** A registered worker, whose outbox gets messages from the test. */
function idle(): AgentFixture {
  const fixture = new AgentFixture();
  fixture.register();
  fixture.takeEffects();
  return fixture;
}

const persist = (
  fixture: AgentFixture,
  attempt = 'a',
  status: StatusMessage['status'] = 'succeeded',
): void => {
  const report = { ...REPORT, attempt_id: attempt as AttemptId, status };
  fixture.deliver('outbox', 'outbox', { type: 'report.persist', report });
};

function sendRequest(fixture: AgentFixture): readonly string[] {
  fixture.takeEffects();
  fixture.deliver('outbox', 'outbox', {
    type: 'lease-request.sending',
    requestId: 'r',
    queue: '_any',
    request: { v: 1, worker_id: WORKER, farm_id: FARM, incarnation: 'i' },
    timeoutMs: 1000,
  });
  const { request } = fixture.onlyEffect('request-lease');
  return (request.reports ?? []).map((report) => report.attempt_id);
}

test('a report that no lease request takes along is published after a moment', (t) => {
  const fixture = idle();
  persist(fixture);
  t.same(statusesIn(fixture.takeEffects()), []);
  fixture.pass(99);
  t.same(statusesIn(fixture.takeEffects()), []);
  fixture.pass(1);
  t.same(statusesIn(fixture.takeEffects()), ['succeeded']);
  t.same(sendRequest(fixture), [], 'a later request does not repeat it');
  t.end();
});

test('a lease request takes along a limited number of reports, each once', (t) => {
  const fixture = idle();
  const attempts = Array.from({ length: WIRE_LIMITS.reportsPerRequest + 2 }, (_, nth) => `a${nth}`);
  for (const attempt of attempts) persist(fixture, attempt);
  const first = sendRequest(fixture);
  t.ok(first.length <= WIRE_LIMITS.reportsPerRequest, `${first.length} reports`);
  t.same(first, attempts.slice(0, first.length));
  const second = sendRequest(fixture);
  t.same(second, attempts.slice(first.length, first.length + second.length), 'the next ones');
  t.end();
});

test('the stored running report does not end the repetition of the terminal one', (t) => {
  const fixture = idle();
  const running = { ...REPORT, status: 'running' as const };
  fixture.deliver('outbox', 'outbox', { type: 'report.running', report: running });
  fixture.pass(100);
  persist(fixture);
  stored(fixture, 'running');
  fixture.pass(100);
  t.same(statusesIn(fixture.takeEffects()), ['running', 'succeeded']);
  publishFailed(fixture, 'running');
  t.same(statusesIn(fixture.passInContact(10_000)), [], 'the terminal report is on its way');
  t.end();
});

test('no progress is published after the end of its attempt', (t) => {
  const fixture = idle();
  const progressOf = (progress: number): void => {
    fixture.deliver('outbox', 'outbox', {
      type: 'report.progress',
      report: { ...REPORT, status: 'running', progress },
    });
  };
  const published = (effects: readonly AgentEffect[]): number =>
    effects.filter(({ kind }) => kind === 'report-progress').length;
  progressOf(10);
  t.equal(published(fixture.takeEffects()), 1);
  progressOf(20);
  persist(fixture);
  t.equal(published(fixture.passInContact(5_000)), 0);
  t.end();
});
