import { test } from 'tap';
import { KnownHosts, type HostSettings } from '../../../http/guards/known-hosts.ts';

const settings = (given: Partial<HostSettings> = {}): HostSettings => ({
  allowed: [],
  publicUrl: null,
  listenHosts: ['0.0.0.0'],
  machine: { names: ['render01', 'render01.studio.lan'], addresses: () => ['192.0.2.10', 'fe80::7'] },
  steadyNow: () => 0,
  ...given,
});

void test('loopback, names and addresses of the machine are known with any port', async (t) => {
  const hosts = new KnownHosts(settings());
  for (const host of [
    'localhost',
    'LOCALHOST:8080',
    'localhost:9999',
    '127.0.0.1:8080',
    '127.9.9.9',
    '[::1]:8080',
    '[0:0:0:0:0:0:0:1]',
    'Render01:8080',
    'render01.studio.lan',
    '192.0.2.10:8080',
    '[fe80::7]',
    '[::ffff:192.0.2.10]:80',
  ]) {
    t.equal(hosts.has(host), true, host);
    t.equal(hosts.has(host), true, `${host} again`);
  }
  for (const host of [
    '',
    'evil.example',
    'render01.evil.example',
    'evil.render01',
    'render01.',
    'localhost.',
    'localhost.evil.example',
    'localhost:8080.evil.example',
    'localhost:',
    'localhost:x',
    'localhost:123456',
    'user@localhost',
    'localhost/',
    'local host',
    '127.1',
    '0x7f000001',
    '0.0.0.0:8080',
    '[::]',
    '192.0.2.11',
    '[fe80::8]',
    '::1',
    '[127.0.0.1]:',
    'loc\u0430lhost',
    '*',
  ])
    t.equal(hosts.has(host), false, host);
});

void test('configured hosts are known too', async (t) => {
  const hosts = new KnownHosts(
    settings({
      allowed: ['farm', '*.farm.example', '203.0.113.5', '2001:db8::5'],
      publicUrl: 'https://Public.example:8443',
      listenHosts: ['Listen.example', '192.0.2.77'],
    }),
  );
  for (const host of [
    'farm:80',
    'a.farm.example',
    'a.b.farm.example',
    '203.0.113.5',
    '[2001:db8:0::5]:1',
    'public.example',
    'listen.example',
    '192.0.2.77',
  ])
    t.equal(hosts.has(host), true, host);
  for (const host of [
    'farm.example',
    'evilfarm.example',
    'farm.example.evil',
    '203.0.113.6',
    'x.public.example',
  ])
    t.equal(hosts.has(host), false, host);
  const ipv6 = new KnownHosts(settings({ publicUrl: 'http://[2001:db8::9]:8080' }));
  t.equal(ipv6.has('[2001:db8::9]'), true);
  const every = new KnownHosts(settings({ allowed: ['*'] }));
  for (const host of ['evil.example', '', 'x y']) t.equal(every.has(host), true, host);
});

void test('a new address of the machine is found, at most once a second', async (t) => {
  let now = 0;
  let reads = 0;
  let present = ['192.0.2.10'];
  const machine = {
    names: [],
    addresses: () => {
      reads++;
      return present;
    },
  };
  const hosts = new KnownHosts(settings({ machine, steadyNow: () => now }));
  t.equal(hosts.has('192.0.2.20'), false);
  present = ['192.0.2.20'];
  t.equal(hosts.has('192.0.2.20'), false, 'the addresses were read in this second');
  now = 999;
  t.equal(hosts.has('192.0.2.20'), false);
  t.equal(reads, 1);
  now = 1_000;
  t.equal(hosts.has('192.0.2.20'), true);
  t.equal(reads, 2);
});
