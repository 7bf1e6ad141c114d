import fc from 'fast-check';
import { test } from 'tap';
import {
  announcementEntries,
  chooseService,
  readAnnouncement,
  type AnnouncedService,
  type HeardAnnouncement,
} from '../../../src/core/discovery/announced-service.ts';
import { busReach } from '../../../src/core/discovery/bus-address.ts';

const heard = (over: Partial<HeardAnnouncement>): HeardAnnouncement => ({
  instance: 'callsheet-sun-14222',
  port: 14222,
  txt: { v: '1', name: 'callsheet' },
  from: '10.0.0.7',
  isOwnMachine: false,
  ...over,
});
const urlsOf = (over: Partial<HeardAnnouncement>): readonly string[] | null =>
  readAnnouncement(heard(over))?.urls ?? null;
const txt = (bus: string): { v: string; name: string; bus: string } => ({ v: '1', name: 'callsheet', bus });

test('a service without an address has the address of its sender', (t) => {
  t.same(readAnnouncement(heard({})), {
    name: 'callsheet',
    instance: 'callsheet-sun-14222',
    urls: ['nats://10.0.0.7:14222'],
  });
  t.end();
});

test('an announcement round-trips', (t) => {
  const urls = ['nats://a.farm:4222', 'tls://[fd00::1]:4223'];
  const entries = announcementEntries('show', urls);
  t.same(entries, { v: '1', name: 'show', bus: 'nats://a.farm:4222,tls://[fd00::1]:4223' });
  t.same(readAnnouncement(heard({ txt: entries })), { name: 'show', instance: 'callsheet-sun-14222', urls });
  const many = Array.from({ length: 12 }, (_, index) => `nats://node-${index}.render.farm:4222`);
  t.same(
    urlsOf({ txt: announcementEntries('show', many) }),
    many.slice(0, 7),
    'up to the maximum of an entry',
  );
  t.end();
});

test('a loopback address is used only on its own machine', (t) => {
  const loopback = txt('nats://127.0.0.1:14222');
  t.same(urlsOf({ txt: loopback, isOwnMachine: true }), ['nats://127.0.0.1:14222']);
  t.equal(urlsOf({ txt: loopback }), null);
  t.same(urlsOf({ txt: txt('nats://localhost:1,nats://[::1]:2,nats://c:3') }), ['nats://c:3']);
  t.end();
});

test('an invalid announcement is ignored', (t) => {
  const bad: readonly Partial<HeardAnnouncement>[] = [
    { txt: {} },
    { txt: { v: '2', name: 'callsheet' } },
    { txt: { v: '1' } },
    { txt: { v: '1', name: '' } },
    { txt: { v: '1', name: 'n'.repeat(64) } },
    { port: 0 },
    { port: 70_000 },
    { port: 1.5 },
    { txt: txt('') },
    { txt: txt('http://a:1') },
    { txt: txt('nats://a:1,') },
    { txt: txt('nats://user:password@a:1') },
    { txt: txt(Array.from({ length: 17 }, () => 'nats://a:1').join(',')) },
  ];
  for (const over of bad) t.equal(readAnnouncement(heard(over)), null, JSON.stringify(over).slice(0, 60));
  t.end();
});

test('no text makes the parser throw, or yields an address with credentials', (t) => {
  fc.assert(
    fc.property(
      fc.dictionary(fc.constantFrom('v', 'name', 'bus'), fc.string()),
      fc.string(),
      (entries, from) => {
        const urls = urlsOf({ txt: { v: '1', name: 'x', ...entries }, from }) ?? [];
        return urls.every((url) => !url.includes('@'));
      },
    ),
  );
  t.end();
});

const service = (name: string, instance: string): AnnouncedService => ({
  name,
  instance,
  urls: ['nats://x:1'],
});

test('the choice of a service is stable and does not depend on the order of responses', (t) => {
  const all = [service('show', 'b'), service('other', 'a'), service('show', 'c')];
  for (const order of [all, [...all].reverse()]) {
    t.same(chooseService(order, 'show', null), service('show', 'b'));
    t.same(chooseService(order, 'show', service('show', 'c')), service('show', 'c'));
    t.same(chooseService(order, 'show', service('show', 'gone')), service('show', 'b'));
    t.equal(chooseService(order, 'nobody', null), null);
  }
  t.end();
});

test('a bus is announced with reachable addresses and without credentials', (t) => {
  const at = (host: string) => busReach([], { host, port: 14222 });
  t.same(at('0.0.0.0'), { urls: null, port: 14222, isLocal: false });
  t.same(at('::'), { urls: null, port: 14222, isLocal: false });
  t.same(at('10.0.0.7'), { urls: ['nats://10.0.0.7:14222'], port: 14222, isLocal: false });
  t.same(at('127.0.0.1'), { urls: ['nats://127.0.0.1:14222'], port: 14222, isLocal: true });
  t.same(at('::1'), { urls: ['nats://[::1]:14222'], port: 14222, isLocal: true });
  const listen = { host: '127.0.0.1', port: 14222 };
  t.same(busReach(['tls://a:4222'], listen), { urls: ['tls://a:4222'], port: 14222, isLocal: false });
  t.same(busReach(['nats://user:secret@a:4222'], listen), {
    refusal: 'bus.url holds credentials, which are not announced: give workers their bus.url',
  });
  t.end();
});
