import { test } from 'tap';
import { namesOf, ownNames } from '../../../src/adapters/host/own-names.ts';

test('a machine has its host name, the domains of the resolver, and names of the hosts file', async (t) => {
  const hosts = [
    '127.0.0.1 localhost',
    '127.0.1.1 Render01.studio.example render01 farm # the own line',
    '127.0.0.1 ads.example tracker.example',
    '10.0.0.9 other',
    '# 127.0.1.1 render01 commented.example',
    '',
  ].join('\n');
  const resolver = 'nameserver 10.0.0.1\nsearch lan.example vfx.example.\n; search no.example\n';
  t.strictSame(namesOf('Render01', { hosts, resolver }), [
    'render01',
    'render01.local',
    'render01.lan.example',
    'render01.vfx.example',
    'render01.studio.example',
    'farm',
  ]);
  t.strictSame(namesOf('render01.studio.example', { hosts: '', resolver: 'domain lan\r\n' }), [
    'render01.studio.example',
    'render01',
    'render01.local',
    'render01.lan',
  ]);
});

test('names that cannot be in a Host header are left out', async (t) => {
  t.strictSame(namesOf('b\u00fcro', { hosts: '10.0.0.1 b\u00fcro buero', resolver: 'search .' }), ['buero']);
});

test('this machine has names and the addresses of its interfaces', async (t) => {
  const own = ownNames();
  t.ok(own.names.length > 0);
  t.ok(own.addresses().includes('127.0.0.1'), own.addresses().join(' '));
});
