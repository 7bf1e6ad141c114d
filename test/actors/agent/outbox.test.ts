import { test } from 'tap';
import type { AgentEffect } from '../../../actors/agent/agent-system.ts';
import type { ReportedStatus } from '../../../src/core/wire/bus-messages.ts';
import { AgentFixture, alive, assignmentOf, leases } from './agent-fixture.ts';

/** What was said of attempts: by the stream of statuses, or with a lease request. */
const statusesIn = (effects: readonly AgentEffect[]): string[] =>
  effects.flatMap((effect) => {
    if (effect.kind === 'report') return [effect.report.status];
    return effect.kind === 'request-lease' ? (effect.request.reports ?? []).map(({ status }) => status) : [];
  });

function stored(fixture: AgentFixture, status: ReportedStatus): void {
  fixture.tell('outbox', 'outbox', {
    type: 'report.stored',
    attemptId: assignmentOf('a').attempt_id,
    status,
  });
}

function unstored(fixture: AgentFixture, status: ReportedStatus): void {
  const attemptId = assignmentOf('a').attempt_id;
  fixture.tell('outbox', 'outbox', {
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

/** A worker whose task has started this moment. */
function started(): AgentFixture {
  const fixture = new AgentFixture();
  const [request] = fixture.register();
  if (request === undefined) throw new Error('no lease request');
  fixture.lease(request, leases([assignmentOf('a', { cores: 4 })]));
  fixture.opened('a');
  fixture.said();
  fixture.started('a', 1);
  return fixture;
}

test('a running report is repeated until the bus has it, and then done with', (t) => {
  const fixture = running();
  t.same(statusesIn(fixture.said()), ['running']);
  t.same(fixture.disk.reports, []);
  unstored(fixture, 'running');
  t.same(statusesIn(fixture.said()), []);
  t.same(statusesIn(fixture.passInContact(250)), ['running']);
  unstored(fixture, 'running');
  t.same(statusesIn(fixture.passInContact(500)), ['running']);
  stored(fixture, 'running');
  t.same(statusesIn(fixture.passInContact(120_000)), []);
  t.end();
});

test('a terminal report takes the place of a running one that the bus does not have yet', (t) => {
  const fixture = running();
  unstored(fixture, 'running');
  fixture.said();
  fixture.ended('a', 1, 0);
  fixture.drained('a');
  fixture.closed('a');
  t.same(statusesIn(fixture.passInContact(500)), ['succeeded'], 'the running report is not said any more');
  unstored(fixture, 'running');
  t.same(statusesIn(fixture.passInContact(400)), [], 'late word of the running report is ignored');
  t.end();
});

test('nothing is said of an end before it is on the disk', (t) => {
  const fixture = running();
  stored(fixture, 'running');
  fixture.ended('a', 1, 0);
  fixture.drained('a');
  fixture.said();
  fixture.isDiskSlow = true;
  fixture.closed('a');
  t.same(fixture.said(), []);
  t.same(fixture.disk.reports, []);
  fixture.flush();
  t.same(statusesIn(fixture.said()), ['succeeded']);
  t.match(fixture.disk.reports, [{ attempt_id: 'a', status: 'succeeded' }]);
  t.end();
});

test('an end is repeated until the service has confirmed it: after a failure soon, after storing late', (t) => {
  const fixture = running();
  fixture.ended('a', 1, 0);
  fixture.drained('a');
  fixture.said();
  fixture.closed('a');
  t.same(statusesIn(fixture.said()), ['succeeded']);
  for (const mostMs of [250, 500, 1000, 2000, 4000, 8000, 10_000, 10_000]) {
    unstored(fixture, 'succeeded');
    t.same(statusesIn(fixture.passInContact(mostMs)), ['succeeded'], `within ${mostMs} ms`);
  }
  stored(fixture, 'succeeded');
  t.same(statusesIn(fixture.passInContact(59_000)), []);
  t.same(statusesIn(fixture.passInContact(1000)), ['succeeded']);
  stored(fixture, 'succeeded');
  t.equal(fixture.disk.reports.length, 1);
  fixture.pass(5000);
  const heartbeat = fixture.said().find((effect) => effect.kind === 'announce');
  t.match(heartbeat, { announcement: { open_attempts: ['a'] } });
  fixture.answer(heartbeat as Extract<AgentEffect, { kind: 'announce' }>, alive('a'));
  t.same(fixture.disk.reports, []);
  t.same(statusesIn(fixture.passInContact(120_000)), []);
  t.end();
});

test('a daemon that is killed at any moment leaves a report whole or not at all, and the next one says it', (t) => {
  const first = running();
  first.ended('a', 1, 3);
  first.drained('a');
  first.closed('a');
  const next = new AgentFixture({ disk: first.disk });
  next.tell('registrar', 'registrar', { type: 'agent.start' });
  t.match(next.said(), [
    { kind: 'announce', announcement: { open_attempts: ['a'] } },
    {
      kind: 'report',
      report: { attempt_id: 'a', status: 'failed', exit_code: 3, message: 'failed (exit 3)' },
    },
  ]);
  t.end();
});
