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
  t.same(standingOf({ canPublish: false, canReadReplies: false }), { kind: 'closed' });
  t.match(standingOf({ canPublish: true, canReadReplies: false }), { kind: 'open' });
  t.match(standingOf({ canPublish: false, canReadReplies: true }), { kind: 'open' });
  t.end();
});

void test('a queue has a warning only with an account and on an open bus', (t) => {
  t.equal(isolationWarning(PLAIN, OPEN_MANAGED_BUS), null);
  t.equal(isolationWarning(RENDER, { kind: 'closed' }), null);
  t.equal(isolationWarning(RENDER, { kind: 'unknown' }), null);
  const managed = isolationWarning(RENDER, OPEN_MANAGED_BUS) ?? '';
  t.match(managed, /run as artist, but the bus has no authentication/);
  t.match(managed, /register as a worker and receive tasks; give the bus authentication: bus\.auth\.enabled/);
  t.notMatch(managed, /answer in place of the service/);
  const wide = isolationWarning(RENDER, standingOf({ canPublish: true, canReadReplies: true })) ?? '';
  t.match(wide, /answer in place of the service, and register as a worker/);
  t.end();
});
