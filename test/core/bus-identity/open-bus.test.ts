import { test } from 'tap';
import {
  isolatedQueues,
  isolationWarning,
  OPEN_MANAGED_BUS,
  standingOf,
} from '../../../src/core/bus-identity/open-bus.ts';

const RENDER = { name: 'render', runAsUser: 'artist' };
const PLAIN = { name: 'plain' };

void test('only queues with an account are isolated', (t) => {
  t.same(isolatedQueues([PLAIN, RENDER]), [RENDER]);
  t.same(isolatedQueues([]), []);
  t.end();
});

void test('a bus is open if a client without credentials can act as a worker or read replies', (t) => {
  const none = { canWork: false, canReadReplies: false, canAnswer: false };
  t.same(standingOf(none), { kind: 'closed' });
  for (const some of ['canWork', 'canReadReplies', 'canAnswer'])
    t.match(standingOf({ ...none, [some]: true }), { kind: 'open' }, some);
  t.end();
});

void test('a queue has a warning only with an account and on an open bus', (t) => {
  t.equal(isolationWarning(PLAIN, OPEN_MANAGED_BUS), null);
  t.equal(isolationWarning(RENDER, { kind: 'closed' }), null);
  t.equal(isolationWarning(RENDER, { kind: 'unknown' }), null);
  const managed = isolationWarning(RENDER, OPEN_MANAGED_BUS) ?? '';
  t.match(managed, /run as artist, but the bus has no authentication/);
  t.match(managed, /can read the assignments of all workers, and act as a worker: receive tasks/);
  t.match(managed, /; give the bus authentication: bus\.auth\.enabled on a managed server/);
  t.notMatch(managed, /in place of the service/);
  const warningFor = (canWork: boolean, canReadReplies: boolean, canAnswer: boolean): string =>
    isolationWarning(RENDER, standingOf({ canWork, canReadReplies, canAnswer })) ?? '';
  t.match(warningFor(true, true, true), /can answer workers in place of the service, and so run programs as/);
  t.match(warningFor(false, true, false), /can read the assignments of all workers; give/);
  t.end();
});
