import { test } from 'tap';
import type { PresenceReply } from '../../../src/core/wire/bus-messages.ts';
import { AgentFixture, registered } from './agent-fixture.ts';

const aliveIn = (epoch: number, service: string): PresenceReply => ({
  v: 1,
  type: 'alive',
  service,
  closed: [],
  epoch,
});

/** Registers the worker with a node of a cluster that owns the farms since an epoch. */
function registerIn(epoch: number): AgentFixture {
  const fixture = new AgentFixture();
  fixture.start();
  const reply = registered({ epoch });
  fixture.deliver('registrar', 'registrar', { type: 'presence.answered', token: 1, reply });
  fixture.deliver('registrar', 'registrar', {
    type: 'presence.answered',
    token: 2,
    reply: aliveIn(epoch, 'service-1'),
  });
  return fixture;
}

/** Returns the times at which heartbeats are sent within a time, in milliseconds, and their tokens. */
function heartbeatsWithin(
  fixture: AgentFixture,
  ms: number,
): { readonly at: number; readonly token: number }[] {
  const found: { at: number; token: number }[] = [];
  for (let at = 10; at <= ms; at += 10) {
    fixture.pass(10);
    for (const effect of fixture.takeEffects()) {
      if (effect.kind !== 'announce') continue;
      found.push({ at, token: effect.token });
      fixture.deliver('registrar', 'registrar', {
        type: 'presence.answered',
        token: effect.token,
        reply: aliveIn(4, 'service-1'),
      });
    }
  }
  return found;
}

test('a worker of a cluster listens to announcements of its owner once', (t) => {
  const fixture = registerIn(4);
  const kinds = fixture.takeEffects().map(({ kind }) => kind);
  t.equal(kinds.filter((kind) => kind === 'follow-owner').length, 1);
  const single = new AgentFixture();
  single.start();
  single.deliver('registrar', 'registrar', { type: 'presence.answered', token: 1, reply: registered() });
  t.notOk(
    single.takeEffects().some(({ kind }) => kind === 'follow-owner'),
    'a single node has no other owner',
  );
  t.end();
});

test('after an announcement, the worker asks the new owner within a random second', (t) => {
  const fixture = registerIn(4);
  fixture.takeEffects();
  fixture.deliver('registrar', 'registrar', { type: 'owner.announced', service: 'service-2' });
  const [first] = heartbeatsWithin(fixture, 1000);
  t.ok(first !== undefined && first.at >= 500, 'half of the second is not random');
  t.end();
});

test('the reply of the new owner cancels the lease requests, and one of the earlier owner counts no more', (t) => {
  const fixture = registerIn(4);
  fixture.takeEffects();
  fixture.deliver('registrar', 'registrar', { type: 'owner.announced', service: 'service-2' });
  fixture.pass(1000);
  const heartbeat = fixture.onlyEffect('announce');
  const { token } = heartbeat;
  fixture.deliver('registrar', 'registrar', {
    type: 'presence.answered',
    token,
    reply: aliveIn(5, 'service-2'),
  });
  t.same(fixture.takeEffects(), [{ kind: 'give-up-leases' }]);
  const left = fixture.contactLeftMs;
  fixture.pass(5000);
  const next = fixture.onlyEffect('announce');
  fixture.deliver('registrar', 'registrar', {
    type: 'presence.answered',
    token: next.token,
    reply: aliveIn(4, 'service-3'),
  });
  t.same(fixture.takeEffects(), [], 'a node of a lower epoch is not the owner');
  t.equal(fixture.contactLeftMs, left, 'nor is its reply a contact');
  t.end();
});

test('announcements cannot delay the heartbeats, and the present owner causes none', (t) => {
  const flooded = registerIn(4);
  flooded.takeEffects();
  let heartbeats = 0;
  for (let at = 0; at < 10_000; at += 10) {
    flooded.deliver('registrar', 'registrar', { type: 'owner.announced', service: `flood-${at}` });
    heartbeats += heartbeatsWithin(flooded, 10).length;
  }
  t.ok(heartbeats >= 9 && heartbeats <= 20, `${heartbeats} heartbeats in 10 s`);
  const quiet = registerIn(4);
  quiet.takeEffects();
  quiet.deliver('registrar', 'registrar', { type: 'owner.announced', service: 'service-1' });
  t.same(heartbeatsWithin(quiet, 2000), []);
  t.end();
});
