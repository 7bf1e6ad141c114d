import { test } from 'tap';
import {
  changeRefusal,
  type ClusterMember,
  type StreamCopy,
} from '../../../src/adapters/nats/cluster-membership.ts';

const member = (server: string, isCurrent = true): ClusterMember => ({
  server,
  node: server,
  isConnected: isCurrent,
  isLeader: server === 'a',
  isCurrent,
});
const copy = (server: string, rest: Partial<StreamCopy> = {}): StreamCopy => ({
  server,
  isLeader: server === 'a',
  isCurrent: true,
  lag: 0,
  ...rest,
});

const MEMBERS = ['a', 'b', 'c'].map((name) => member(name));
const STREAM = { stream: 'LOG', copies: ['a', 'b', 'c'].map((name) => copy(name)) };

test('the members may change while every copy is complete', async (t) => {
  t.equal(changeRefusal(MEMBERS, [STREAM], null), null);
});

test('a change is refused while a server is not current, apart from the removed one', async (t) => {
  const members = [member('a'), member('b'), member('c', false)];
  t.match(changeRefusal(members, [STREAM], null), /^server c is not connected or not current/);
  t.equal(changeRefusal(members, [STREAM], 'c'), null);
});

test('a change is refused while a copy is incomplete or a stream has no leader', async (t) => {
  const behind = {
    stream: 'LOG',
    copies: [copy('a'), copy('b', { lag: 3 }), copy('c', { isCurrent: false })],
  };
  t.match(
    changeRefusal(MEMBERS, [STREAM, behind], 'c'),
    /copy of stream LOG on server b .* \(3 messages behind\)/,
  );
  const cut = { stream: 'LOG', copies: [copy('a'), copy('b'), copy('c', { isCurrent: false })] };
  t.match(changeRefusal(MEMBERS, [cut], null), /on server c is not complete/);
  t.equal(changeRefusal(MEMBERS, [cut], 'c'), null, 'its copy moves to another server');
  const headless = { stream: 'LOG', copies: [copy('b'), copy('c')] };
  t.match(changeRefusal(MEMBERS, [headless], 'c'), /stream LOG has no leader/);
});
