import { test } from 'tap';
import type { AgentEffect } from '../../../actors/agent/agent-system.ts';
import type { ReportedStatus } from '../../../src/core/wire/bus-messages.ts';
import { AgentFixture, alive, assignmentOf, leases } from './agent-fixture.ts';

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
