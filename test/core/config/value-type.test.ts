import { test } from 'tap';
import { amounts } from '../../../src/core/config/amounts-type.ts';
import {
  address,
  boolean,
  busUrl,
  choice,
  duration,
  integer,
  list,
  size,
  optional,
  tags,
  text,
  type ValueType,
} from '../../../src/core/config/value-type.ts';

/** Result of parsing a text: the value, or the error. */
function textOf<T>(type: ValueType<T>, given: string): T | string {
  const parsed = type.fromText(given);
  return parsed.ok ? parsed.value : parsed.wrong;
}

function documentOf<T>(type: ValueType<T>, given: unknown): T | string {
  const parsed = type.fromDocument(given);
  return parsed.ok ? parsed.value : parsed.wrong;
}

test('integers', async (t) => {
  const type = integer(1, 10);
  t.equal(textOf(type, '10'), 10);
  t.equal(documentOf(type, 1), 1);
  for (const given of ['0', '11', '1.0', '1e1', '', ' 5', '99999999999999999999'])
    t.equal(textOf(type, given), `must be an integer from 1 to 10, got ${JSON.stringify(given)}`);
  for (const given of ['5', 1.5, null, true, [1]])
    t.equal(documentOf(type, given), `must be an integer from 1 to 10, got ${JSON.stringify(given)}`);
});

test('booleans are exactly true or false', async (t) => {
  t.equal(textOf(boolean(), 'true'), true);
  t.equal(textOf(boolean(), 'false'), false);
  t.equal(textOf(boolean(), 'yes'), 'must be true or false, got "yes"');
  t.equal(documentOf(boolean(), false), false);
  t.equal(documentOf(boolean(), 'true'), 'must be true or false, got "true"');
  t.equal(documentOf(boolean(), 1), 'must be true or false, got 1');
});

test('durations have limits', async (t) => {
  const type = duration(1_000, 3_600_000);
  t.equal(textOf(type, '30s'), 30_000);
  t.equal(textOf(type, '500ms'), 'must be from 1s to 1h, got "500ms"');
  t.equal(textOf(type, '2h'), 'must be from 1s to 1h, got "2h"');
  t.equal(textOf(type, 'soon'), 'must be a duration such as 500ms, 30s, 5m or 168h, got "soon"');
  t.equal(documentOf(type, '5m'), 300_000);
  t.equal(documentOf(type, 30), 'must be a duration such as 500ms, 30s, 5m or 168h, got 30');
});

test('sizes have a binary unit', async (t) => {
  const type = size(1024 ** 2, 1024 ** 5);
  t.equal(textOf(type, '0'), 0);
  t.equal(textOf(type, '1MiB'), 1024 ** 2);
  t.equal(textOf(type, '200GiB'), 200 * 1024 ** 3);
  t.equal(documentOf(type, '2TiB'), 2 * 1024 ** 4);
  for (const given of [
    '',
    '200',
    '200GB',
    '200 GiB',
    '-1GiB',
    '1.5GiB',
    '0x1GiB',
    '1gib',
    '9999TiB',
    '1KiB',
    '1GiB\n',
  ])
    t.match(textOf(type, given), /^must be a whole number with MiB, GiB or TiB/, given);
  t.equal(documentOf(type, 7), 'must be text (size, such as 200GiB, or 0), got 7');
});

test('enumerations and text', async (t) => {
  t.equal(textOf(choice(['json', 'text']), 'text'), 'text');
  t.equal(textOf(choice(['json', 'text']), 'xml'), 'must be one of json, text, got "xml"');
  t.equal(documentOf(choice(['json', 'text']), 7), 'must be text (json, text), got 7');
  t.equal(textOf(text(), 'a b'), 'a b');
  t.equal(textOf(text(), 'a\nb'), 'must not hold control characters, got "a\\nb"');
  t.equal(documentOf(text(), 12), 'must be text (text), got 12');
});

test('addresses', async (t) => {
  t.same(textOf(address(), '0.0.0.0:8080'), { host: '0.0.0.0', port: 8080 });
  t.same(textOf(address(), 'farm.example:0'), { host: 'farm.example', port: 0 });
  t.same(textOf(address(), '[::1]:8080'), { host: '::1', port: 8080 });
  for (const given of [
    '',
    '8080',
    ':8080',
    '::1:8080',
    'host:',
    'host:65536',
    'host:80/x',
    'ho st:80',
    'host:-1',
  ])
    t.equal(
      textOf(address(), given),
      `must be HOST:PORT (an IPv6 address in brackets), got ${JSON.stringify(given)}`,
    );
  t.equal(textOf(address(1), '0.0.0.0:0'), 'must have a fixed port, not 0, got "0.0.0.0:0"');
  t.same(textOf(address(1), '0.0.0.0:1'), { host: '0.0.0.0', port: 1 });
});

test('lists are comma-separated text or sequences', async (t) => {
  const type = list(text());
  t.same(textOf(type, 'a, b ,c'), ['a', 'b', 'c']);
  t.same(textOf(type, ''), []);
  t.equal(textOf(type, 'a,,b'), 'has an empty entry');
  t.same(documentOf(type, ['a', 'b']), ['a', 'b']);
  t.same(documentOf(type, 'a,b'), ['a', 'b']);
  t.equal(documentOf(type, ['a', 1]), 'must be text (text), got 1');
  t.equal(documentOf(type, { a: 1 }), 'must be a list or comma-separated text, got {"a":1}');
  t.equal(textOf(list(text(), 1), ' '), 'must not be empty');
  t.equal(documentOf(list(text(), 1), []), 'must not be empty');
});

test('bus URLs are validated, and credentials do not appear in messages', async (t) => {
  for (const good of [
    'nats://127.0.0.1:14222',
    'tls://bus.example',
    'nats://user:secret@bus.example:4222',
    'nats://[::1]:4222',
  ])
    t.equal(textOf(busUrl(), good), good);
  for (const bad of [
    '',
    'bus.example:4222',
    'http://bus.example',
    'nats://user:secret@',
    'nats://a b',
    'nats://h:4222/path',
  ])
    t.equal(textOf(busUrl(), bad), 'must be nats://HOST:PORT or tls://HOST:PORT');
});

test('tags', async (t) => {
  t.same(textOf(tags(), 'gpu=a100, maya=true,path=a=b'), { gpu: 'a100', maya: 'true', path: 'a=b' });
  t.same(textOf(tags(), ''), {});
  t.equal(textOf(tags(), 'gpu'), 'must be name=value,..., got "gpu"');
  t.equal(textOf(tags(), '=x'), 'must be name=value,..., got "=x"');
  t.equal(textOf(tags(), 'gpu='), 'tag gpu must have text as its value');
  t.equal(textOf(tags(), 'gpu=1,gpu=2'), 'contains the tag gpu twice');
  t.equal(textOf(tags(), '1a=2'), 'has an invalid tag name: "1a"');
  t.same(documentOf(tags(), { gpu: 'a100' }), { gpu: 'a100' });
  t.equal(documentOf(tags(), { gpu: true }), 'tag gpu must have text as its value');
  t.equal(documentOf(tags(), ['gpu']), 'must be a map of text or name=value,..., got ["gpu"]');
});

test('an optional value may be empty', async (t) => {
  t.equal(textOf(optional(integer(1, 4)), ''), null);
  t.equal(textOf(optional(integer(1, 4)), '4'), 4);
  t.equal(textOf(optional(integer(1, 4)), '5'), 'must be an integer from 1 to 4, got "5"');
  t.equal(documentOf(optional(integer(1, 4)), null), null);
});

test('amounts are numbers by their names', (t) => {
  t.same(textOf(amounts(), 'amount.scene.cache=2.5, Studio:amount.tapes=0'), {
    'amount.scene.cache': 2.5,
    'studio:amount.tapes': 0,
  });
  t.same(textOf(amounts(), ''), {});
  t.same(documentOf(amounts(), { 'amount.scene.cache': 8 }), { 'amount.scene.cache': 8 });
  t.equal(textOf(amounts(), 'amount.x'), 'must be name=number,..., got "amount.x"');
  t.match(textOf(amounts(), 'amount.x=many'), /amount.x must be a number from 0/);
  t.match(textOf(amounts(), 'amount.x=-1'), /amount.x must be a number from 0/);
  t.match(textOf(amounts(), 'amount.worker.memory=5'), /an amount with a setting of its own/);
  t.match(textOf(amounts(), 'amount.worker.usagepool.nuke=5'), /is a usage pool/);
  t.match(textOf(amounts(), 'attr.x=5'), /must have the form amount/);
  t.equal(textOf(amounts(), 'amount.x=1,AMOUNT.X=2'), 'contains the amount amount.x twice');
  t.equal(
    documentOf(amounts(), ['amount.x']),
    'must be a map of numbers or name=number,..., got ["amount.x"]',
  );
  t.end();
});
