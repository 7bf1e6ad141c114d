import { test } from 'tap';
import type { Follower } from '../../../http/ws/channel.ts';
import { EventHub } from '../../../http/ws/hub.ts';

const FIVE_MINUTES_MS = 5 * 60_000;

interface Stage {
  readonly hub: EventHub;
  now: number;
  readonly closed: string[];
  open(subject: string): void;
  follow(subject: string): Follower;
  leave(subject: string, follower: Follower): void;
  isThere(subject: string): boolean;
}

function stage(): Stage {
  const it: Stage = {
    hub: new EventHub({ replayDepth: 10, now: () => 1_000, steadyNow: () => it.now }),
    now: 0,
    closed: [],
    open: (subject) => {
      it.hub.open(subject, () => it.closed.push(subject));
    },
    follow: (subject) => {
      const channel = it.hub.find(subject);
      if (channel === undefined) throw new Error(`there is no subject ${subject}`);
      const follower: Follower = { deliver: () => undefined };
      channel.followers.add(follower);
      it.hub.addFollower(channel);
      return follower;
    },
    leave: (subject, follower) => {
      const channel = it.hub.find(subject);
      if (channel === undefined) throw new Error(`there is no subject ${subject}`);
      channel.followers.delete(follower);
      it.hub.removeFollower(channel);
    },
    isThere: (subject) => it.hub.find(subject) !== undefined,
  };
  return it;
}

void test('a subject is dropped five minutes after its last follower has left', (t) => {
  const it = stage();
  it.open('jobs/1/tasks');
  const [first, second] = [it.follow('jobs/1/tasks'), it.follow('jobs/1/tasks')];
  it.leave('jobs/1/tasks', first);
  it.now += 2 * FIVE_MINUTES_MS;
  it.hub.tick();
  t.ok(it.isThere('jobs/1/tasks'), 'it has a follower');
  it.leave('jobs/1/tasks', second);
  it.now += FIVE_MINUTES_MS - 1;
  it.hub.tick();
  t.ok(it.isThere('jobs/1/tasks'));
  it.now += 1;
  it.hub.tick();
  t.notOk(it.isThere('jobs/1/tasks'));
  t.same(it.closed, ['jobs/1/tasks'], 'its source has ended');
  t.end();
});

void test('a subject that is followed again in time stays', (t) => {
  const it = stage();
  it.open('jobs/1/tasks');
  it.leave('jobs/1/tasks', it.follow('jobs/1/tasks'));
  it.now += FIVE_MINUTES_MS - 1;
  it.follow('jobs/1/tasks');
  it.now += FIVE_MINUTES_MS;
  it.hub.tick();
  t.ok(it.isThere('jobs/1/tasks'));
  t.same(it.closed, []);
  t.end();
});

void test('the subjects of all clients stay without followers', (t) => {
  const it = stage();
  for (const subject of ['jobs', 'workers', 'outages', 'diagnostics']) it.leave(subject, it.follow(subject));
  it.now += 10 * FIVE_MINUTES_MS;
  it.hub.tick();
  for (const subject of ['jobs', 'workers', 'outages', 'diagnostics']) t.ok(it.isThere(subject), subject);
  t.end();
});

void test('of too many subjects without followers the one that is idle for the longest time is dropped', (t) => {
  const it = stage();
  for (let nth = 0; nth <= 256; nth++) {
    const subject = `jobs/${nth}/tasks`;
    it.open(subject);
    it.now += 1;
    it.leave(subject, it.follow(subject));
  }
  t.same(it.closed, ['jobs/0/tasks']);
  t.end();
});
