import { test } from 'tap';
import type { AgentEffect } from '../../../actors/agent/agent-world.ts';
import type { ReportedStatus } from '../../../src/core/wire/bus-messages.ts';
import { AgentHouse, alive, assignmentOf, leases } from './agent-house.ts';

/** What was said of attempts: by the stream of statuses, or with a lease request. */
const statusesIn = (effects: readonly AgentEffect[]): string[] =>
  effects.flatMap((effect) => {
    if (effect.kind === 'report') return [effect.report.status];
    return effect.kind === 'request-lease' ? (effect.request.reports ?? []).map(({ status }) => status) : [];
  });

function stored(house: AgentHouse, status: ReportedStatus): void {
  house.tell('outbox', 'outbox', { type: 'report.stored', attemptId: assignmentOf('a').attempt_id, status });
}

function unstored(house: AgentHouse, status: ReportedStatus): void {
  const attemptId = assignmentOf('a').attempt_id;
  house.tell('outbox', 'outbox', { type: 'report.unstored', attemptId, status, reason: 'disconnected' });
}

/** A worker whose task has run for a moment. */
function running(): AgentHouse {
  const house = started();
  house.ranForAMoment('a');
  return house;
}

/** A worker whose task has started this moment. */
function started(): AgentHouse {
  const house = new AgentHouse();
  const [request] = house.register();
  if (request === undefined) throw new Error('no lease request');
  house.lease(request, leases([assignmentOf('a', { cores: 4 })]));
  house.opened('a');
  house.said();
  house.started('a', 1);
  return house;
}

test('a running report is repeated until the bus has it, and then done with', (t) => {
  const house = running();
  t.same(statusesIn(house.said()), ['running']);
  t.same(house.disk.reports, []);
  unstored(house, 'running');
  t.same(statusesIn(house.said()), []);
  t.same(statusesIn(house.passInContact(250)), ['running']);
  unstored(house, 'running');
  t.same(statusesIn(house.passInContact(500)), ['running']);
  stored(house, 'running');
  t.same(statusesIn(house.passInContact(120_000)), []);
  t.end();
});

test('a terminal report takes the place of a running one that the bus does not have yet', (t) => {
  const house = running();
  unstored(house, 'running');
  house.said();
  house.ended('a', 1, 0);
  house.drained('a');
  house.closed('a');
  t.same(statusesIn(house.passInContact(500)), ['succeeded'], 'the running report is not said any more');
  unstored(house, 'running');
  t.same(statusesIn(house.passInContact(400)), [], 'late word of the running report is ignored');
  t.end();
});

test('nothing is said of an end before it is on the disk', (t) => {
  const house = running();
  stored(house, 'running');
  house.ended('a', 1, 0);
  house.drained('a');
  house.said();
  house.isDiskSlow = true;
  house.closed('a');
  t.same(house.said(), []);
  t.same(house.disk.reports, []);
  house.flush();
  t.same(statusesIn(house.said()), ['succeeded']);
  t.match(house.disk.reports, [{ attempt_id: 'a', status: 'succeeded' }]);
  t.end();
});

test('an end is repeated until the service has confirmed it: after a failure soon, after storing late', (t) => {
  const house = running();
  house.ended('a', 1, 0);
  house.drained('a');
  house.said();
  house.closed('a');
  t.same(statusesIn(house.said()), ['succeeded']);
  for (const mostMs of [250, 500, 1000, 2000, 4000, 8000, 10_000, 10_000]) {
    unstored(house, 'succeeded');
    t.same(statusesIn(house.passInContact(mostMs)), ['succeeded'], `within ${mostMs} ms`);
  }
  stored(house, 'succeeded');
  t.same(statusesIn(house.passInContact(59_000)), []);
  t.same(statusesIn(house.passInContact(1000)), ['succeeded']);
  stored(house, 'succeeded');
  t.equal(house.disk.reports.length, 1);
  house.pass(5000);
  const heartbeat = house.said().find((effect) => effect.kind === 'announce');
  t.match(heartbeat, { announcement: { open_attempts: ['a'] } });
  house.answer(heartbeat as Extract<AgentEffect, { kind: 'announce' }>, alive('a'));
  t.same(house.disk.reports, []);
  t.same(statusesIn(house.passInContact(120_000)), []);
  t.end();
});

test('a daemon that is killed at any moment leaves a report whole or not at all, and the next one says it', (t) => {
  const first = running();
  first.ended('a', 1, 3);
  first.drained('a');
  first.closed('a');
  const next = new AgentHouse({ disk: first.disk });
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
