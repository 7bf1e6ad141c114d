import { chmodSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'tap';
import { credentialAddresses, openHosts } from '../../../cli/credentials/service-address.ts';
import {
  credentialsPath,
  storeCredential,
  storedCredential,
} from '../../../cli/credentials/stored-credentials.ts';
import { pastTime, lifetime } from '../../../cli/options/expiry.ts';

const KEY = { key: 'svc_a', keyId: 'k1', username: 'ann' };

test('the file is in XDG_CONFIG_HOME if that is an absolute path, else in ~/.config', async (t) => {
  t.equal(credentialsPath({ XDG_CONFIG_HOME: '/x', HOME: '/h' }), '/x/callsheet/credentials.json');
  for (const XDG_CONFIG_HOME of ['', 'relative', undefined])
    t.equal(credentialsPath({ XDG_CONFIG_HOME, HOME: '/h' }), '/h/.config/callsheet/credentials.json');
});

test('a key is stored for one address, in a file of its owner', async (t) => {
  const folder = t.testdir();
  process.env['XDG_CONFIG_HOME'] = folder;
  t.teardown(() => delete process.env['XDG_CONFIG_HOME']);
  const path = join(folder, 'callsheet/credentials.json');
  t.equal(storedCredential('http://a:1'), null);
  storeCredential('http://a:1/', KEY);
  storeCredential('https://A:443/farm/', { ...KEY, key: 'svc_b', keyId: null });
  t.equal(statSync(path).mode & 0o777, 0o600);
  t.equal(statSync(join(folder, 'callsheet')).mode & 0o777, 0o700);
  t.same(storedCredential('http://a:1'), KEY);
  t.match(storedCredential('https://a/farm?x#y'), { key: 'svc_b', keyId: null });
  for (const other of [
    'http://a:2',
    'https://a:1',
    'http://b:1',
    'http://a:1/farm',
    'https://a',
    'https://a/farm2',
  ])
    t.equal(storedCredential(other), null, other);
  storeCredential('http://a:1', null);
  t.equal(storedCredential('http://a:1'), null);
  t.notOk(readFileSync(path, 'utf8').includes('svc_a'));

  for (const mode of [0o640, 0o604, 0o620]) {
    chmodSync(path, mode);
    t.throws(() => storedCredential('https://a/farm'), {
      message: /can be read by other users; run: chmod 600/,
    });
    t.throws(() => storeCredential('http://c', KEY), { message: /can be read by other users/ });
  }
  chmodSync(path, 0o600);
  const wrong = ['{', '[]', '{"version":2,"services":{}}', '{"version":1,"services":{"http://a":{"key":1}}}'];
  for (const text of wrong) {
    writeFileSync(path, text);
    t.throws(() => storedCredential('http://a'), { message: /is not a credentials file/ }, text);
  }
});

test('a folder that cannot be written is an error with its path', async (t) => {
  const folder = t.testdir({ callsheet: 'a file' });
  process.env['XDG_CONFIG_HOME'] = folder;
  t.teardown(() => delete process.env['XDG_CONFIG_HOME']);
  t.throws(() => storeCredential('http://a', KEY), {
    message: /callsheet\/credentials\.json: cannot be used/,
  });
  mkdirSync(join(folder, 'other'));
});

test('an address is one service, and only a loopback needs no encryption', async (t) => {
  t.same(credentialAddresses('HTTP://Farm.Example:80//'), ['http://farm.example']);
  t.same(credentialAddresses('https://u:p@farm.example/a/b/?q#f'), ['https://farm.example/a/b']);
  const open = [
    'http://farm',
    'http://10.0.0.1:8080',
    'http://127.example',
    'http://[::2]',
    'http://0.0.0.0',
  ];
  for (const url of open) t.equal(openHosts(url).length, 1, url);
  const safe = [
    'https://farm',
    'http://localhost:1',
    'http://127.8.0.1',
    'http://[::1]:8080',
    'http://a.localhost',
  ];
  for (const url of safe) t.same(openHosts(url), [], url);
  t.same(openHosts('http://a:1, https://b,http://127.0.0.1:2'), ['a:1'], 'of a list');
});

test('the credential of a cluster is stored for each of its addresses', async (t) => {
  process.env['XDG_CONFIG_HOME'] = t.testdir({});
  t.teardown(() => delete process.env['XDG_CONFIG_HOME']);
  storeCredential('http://a:1,http://b:1/', KEY);
  t.same(storedCredential('http://b:1'), KEY);
  t.same(storedCredential('http://c:1,http://a:1'), KEY, 'known at one of the addresses');
  storeCredential('http://a:1,http://b:1', null);
  t.equal(storedCredential('http://b:1'), null);
});

test('lifetimes and times of the past are parsed', async (t) => {
  t.equal(lifetime('30d'), 30 * 86_400_000);
  t.equal(lifetime('90m'), 5_400_000);
  t.equal(lifetime('never'), Infinity);
  for (const wrong of ['0', '0d', '', '1', '-1d', '1y', 'x']) t.throws(() => lifetime(wrong), wrong);
  t.equal(pastTime('2026-11-22T10:00:00Z'), '2026-11-22T10:00:00Z');
  const hour = Date.now() - Date.parse(pastTime('1h'));
  t.ok(hour >= 3_600_000 && hour < 3_700_000);
  for (const wrong of ['yesterday', '2026-11-22', '2026-99-22T10:00:00Z', '1'])
    t.throws(() => pastTime(wrong), wrong);
});
