import { test } from 'tap';
import { isPublishable } from '../../../src/adapters/nats/connection.ts';
import {
  addressText,
  dialAddress,
  isLoopback,
  parseListenAddress,
  parseServerList,
} from '../../../src/adapters/nats/server-address.ts';

test('parses addresses to listen on', (t) => {
  t.same(parseListenAddress('127.0.0.1:14222'), { host: '127.0.0.1', port: 14222 });
  t.same(parseListenAddress('[::1]:4222'), { host: '::1', port: 4222 });
  t.same(parseListenAddress('farm-head.local:1'), { host: 'farm-head.local', port: 1 });
  for (const text of [
    '',
    ':4222',
    '4222',
    'host',
    'host:0',
    'host:65536',
    'host:x',
    '::1:4222',
    'a b:1',
    'h:1\n',
    'h";x:1',
  ]) {
    t.equal(parseListenAddress(text), null, text);
  }
  t.end();
});

test('a wildcard address is dialed on this machine', (t) => {
  t.same(dialAddress({ host: '0.0.0.0', port: 1 }), { host: '127.0.0.1', port: 1 });
  t.same(dialAddress({ host: '::', port: 1 }), { host: '::1', port: 1 });
  t.same(dialAddress({ host: 'other', port: 1 }), { host: 'other', port: 1 });
  t.equal(addressText({ host: '::1', port: 7 }), '[::1]:7');
  t.equal(addressText({ host: 'h', port: 7 }), 'h:7');
  t.same(
    ['127.0.0.1', '127.1.2.3', '::1', 'localhost', '0.0.0.0', '::', '10.0.0.1', 'farm'].map((host) =>
      isLoopback({ host, port: 1 }),
    ),
    [true, true, true, true, false, false, false, false],
  );
  t.end();
});

test('parses lists of servers', (t) => {
  t.same(parseServerList('nats://127.0.0.1:14222'), { servers: ['127.0.0.1:14222'], isTls: false });
  t.same(parseServerList('farm, nats://b:5000 ,nats://[::1]:1'), {
    servers: ['farm:4222', 'b:5000', '[::1]:1'],
    isTls: false,
  });
  t.same(parseServerList('tls://ann:p%40ss@a'), {
    servers: ['a:4222'],
    isTls: true,
    user: 'ann',
    password: 'p@ss',
  });
  t.same(parseServerList('nats://s3cret@a'), { servers: ['a:4222'], isTls: false, token: 's3cret' });
  for (const text of ['', ',', 'nats://a,', 'http://a', 'nats://', 'nats://a:99999', 'ws://a']) {
    t.equal(parseServerList(text), null, text);
  }
  t.end();
});

test('recognizes subjects that can be published to', (t) => {
  for (const subject of ['a', 'task.status.x', '_INBOX.a.b', '$JS.API.INFO'])
    t.ok(isPublishable(subject), subject);
  for (const subject of [
    '',
    '.',
    'a.',
    '.a',
    'a..b',
    'a.*',
    'a.>',
    'a b',
    'a\tb',
    'a\r\nPUB b',
    'x'.repeat(256),
  ]) {
    t.notOk(isPublishable(subject), JSON.stringify(subject));
  }
  t.end();
});
