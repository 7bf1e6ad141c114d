import { test } from 'tap';
import type { AgentEffect } from '../../../actors/agent/agent-system.ts';
import type { AttemptId } from '../../../src/core/ids.ts';
import { AgentFixture, alive, assignmentOf, leases, stepOf } from './agent-fixture.ts';

type Announce = Extract<AgentEffect, { kind: 'announce' }>;

/** A worker that runs the only action of attempt `a`. Its contact is fresh. */
class RunningTask extends AgentFixture {
  constructor() {
    super();
    const [request] = this.register();
    if (request === undefined) throw new Error('the worker requested no work');
    this.lease(request, leases([assignmentOf('a')], stepOf()));
    this.opened('a');
    this.started('a', 1);
    this.takeEffects();
  }

  /** A message on the subject of the task's cancels, from anyone. */
  hint(attempt = 'a', reason = 'canceled by user'): void {
    this.deliver('registrar', 'registrar', {
      type: 'cancel.hinted',
      attemptId: attempt as AttemptId,
      reason,
    });
  }

  /** Returns the heartbeats since the last call, and the kinds of the effects on processes. */
  seen(): { readonly heartbeats: readonly Announce[]; readonly actions: readonly string[] } {
    const effects = this.takeEffects();
    return {
      heartbeats: effects.filter((effect): effect is Announce => effect.kind === 'announce'),
      actions: effects.flatMap(({ kind }) => (kind.endsWith('-action') ? [kind] : [])),
    };
  }

  /** Ends the process and stores the logs. Returns the report of the end, or null. */
  endReport(): object | null {
    this.ended('a', 1, { kind: 'signaled', signal: 'SIGKILL' });
    this.closed('a');
    this.drained('a');
    return this.disk.reports[0] ?? null;
  }

  /** Returns the only heartbeat since the last call; there must be no effect on processes. */
  asked(): Announce {
    const { heartbeats, actions } = this.seen();
    const [only] = heartbeats;
    if (only === undefined || heartbeats.length > 1 || actions.length > 0)
      throw new Error(`expected one heartbeat only: ${heartbeats.length}, ${actions.join()}`);
    return only;
  }
}

test('a cancel message stops nothing until the service confirms it, which is asked at once', (t) => {
  const worker = new RunningTask();
  worker.hint();
  const heartbeat = worker.asked();
  t.match(heartbeat.announcement, { type: 'heartbeat', open_attempts: ['a'] });
  worker.answer(heartbeat, alive('a'));
  t.same(worker.seen().actions, ['kill-action']);
  t.match(worker.endReport(), { attempt_id: 'a', status: 'canceled', message: 'canceled by user' });
  t.end();
});

test('a forged cancel message changes nothing, however often it is sent', (t) => {
  const worker = new RunningTask();
  let heartbeats = 0;
  const answer = (): void => {
    const { heartbeats: sent, actions } = worker.seen();
    t.same(actions, []);
    heartbeats += sent.length;
    for (const heartbeat of sent) worker.answer(heartbeat, alive());
  };
  for (let round = 0; round < 1000; round++) {
    worker.hint('a', `forged ${round}`);
    answer();
    worker.pass(1);
    answer();
  }
  t.ok(heartbeats >= 1 && heartbeats <= 6, `1000 messages in a second cause ${heartbeats} heartbeats`);
  worker.pass(250);
  answer();
  // A false reason must not become that of a later end.
  worker.pass(5000);
  const regular = worker.seen().heartbeats;
  t.ok(regular.length > 0);
  for (const heartbeat of regular) worker.answer(heartbeat, alive('a'));
  t.equal(worker.endReport(), null, 'the service has closed it without a cancel');
  t.end();
});

test('a lost heartbeat changes nothing: the next one settles the cancel', (t) => {
  const worker = new RunningTask();
  worker.hint();
  const { token } = worker.asked();
  worker.deliver('registrar', 'registrar', { type: 'presence.unanswered', token, reason: 'timedOut' });
  worker.pass(5000);
  worker.answer(worker.asked(), alive('a'));
  t.same(worker.seen().actions, ['kill-action']);
  t.end();
});

test('the reply to an earlier heartbeat does not refute a cancel', (t) => {
  const worker = new RunningTask();
  worker.pass(5000);
  const earlier = worker.asked();
  worker.hint();
  const asked = worker.asked();
  worker.answer(earlier, alive());
  worker.answer(asked, alive('a'));
  t.match(worker.endReport(), { attempt_id: 'a', status: 'canceled' });
  t.end();
});

test('a cancel message for an attempt that does not run here is ignored', (t) => {
  const worker = new RunningTask();
  worker.hint('b');
  t.same(worker.takeEffects(), []);
  t.end();
});
