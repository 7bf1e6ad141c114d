import { test } from 'tap';
import { hostPattern, origins, publicUrl, trustedPeers } from '../../../src/core/config/http-types.ts';
import type { ValueType } from '../../../src/core/config/value-type.ts';

const textOf = <T>(type: ValueType<T>, given: string): T | string => {
  const parsed = type.fromText(given);
  return parsed.ok ? parsed.value : parsed.wrong;
};
const documentOf = <T>(type: ValueType<T>, given: unknown): T | string => {
  const parsed = type.fromDocument(given);
  return parsed.ok ? parsed.value : parsed.wrong;
};

const BAD_ORIGINS = [
  'https://a.example/',
  'https://a.example/x',
  'https://a.example?q',
  'https://a.example#f',
  'https://*.example',
  'https://a.*',
  'https://*',
  '*://a.example',
  '**',
  '*.example',
  'a.example',
  'a.example:80',
  '//a.example',
  'https:a.example',
  'https:/a.example',
  'https://',
  'https://:80',
  'https://a.example:',
  'https://a.example:0',
  'https://a.example:65536',
  'https://a.example:x',
  'https://a.example:80:80',
  'https://a..example',
  'https://a.example.',
  'https://.a.example',
  'https://user@a.example',
  'https://user:x@a.example',
  'https://b\u00fccher.example',
  'https://a\\b',
  'https://%61.example',
  'https://[::1',
  'https://::1',
  'https://[::1]x',
  'https://[1::2::3]',
  'https://[127.0.0.1]',
  'https://[g::1]',
  'HTTPS://a.example',
  '1https://a.example',
  'null',
  'NULL',
];
const BLANKS = [
  ' https://a.example',
  'https://a.example ',
  'https://a .example',
  'https://a.example, https://b.example',
  'https://a.example\t',
  'https://a.example\n',
  '\u00a0https://a.example',
  ' ',
];

test('origins follow the grammar of the contract', async (t) => {
  const good = [
    '*',
    'https://a.example',
    'http://a.example:3000',
    'http://[::1]:3000',
    'https://A.Example',
    'http://render_01',
    'app://callsheet',
    'https://a.example:65535',
  ];
  for (const each of good) {
    t.same(textOf(origins(), each), [each]);
    t.same(documentOf(origins(), [each]), [each]);
  }
  t.same(textOf(origins(), 'https://a.example,*,http://b'), ['https://a.example', '*', 'http://b']);
  t.same(textOf(origins(), ''), []);
  t.same(documentOf(origins(), []), []);
  for (const bad of BAD_ORIGINS) {
    t.match(textOf(origins(), bad), /^must be scheme:\/\/host\[:port\] without/, JSON.stringify(bad));
    t.match(documentOf(origins(), [bad]), /^must be scheme:\/\/host\[:port\] without/, JSON.stringify(bad));
    t.match(textOf(origins(), `https://a.example,${bad}`), /^must be scheme:\/\/host/, `second: ${bad}`);
  }
  for (const bad of BLANKS) {
    t.match(textOf(origins(), bad), /^must not contain blanks/, JSON.stringify(bad));
    t.match(documentOf(origins(), bad), /^must not contain blanks/, JSON.stringify(bad));
    t.match(documentOf(origins(), [bad]), /^must be scheme:\/\/host/, JSON.stringify(bad));
  }
  for (const bad of [',', 'https://a.example,', ',https://a.example'])
    t.equal(textOf(origins(), bad), 'has an empty entry', bad);
  for (const bad of [1, true, null, {}])
    t.match(documentOf(origins(), bad), /^must be a list/, JSON.stringify(bad));
});

test('the public URL is an origin of HTTP', async (t) => {
  t.equal(textOf(publicUrl(), 'https://Farm.Example'), 'https://farm.example');
  t.equal(textOf(publicUrl(), 'http://farm.example:8080/'), 'http://farm.example:8080');
  t.equal(textOf(publicUrl(), 'https://[2001:db8::1]'), 'https://[2001:db8::1]');
  for (const bad of [
    'farm.example',
    'https://farm.example/x',
    'https://farm.example//',
    'ftp://farm',
    'https://u@farm',
    '*',
    '',
  ])
    t.match(textOf(publicUrl(), bad), /^must be http:\/\/host/, bad);
});

test('allowed hosts are names, domains and addresses', async (t) => {
  const cases: readonly (readonly [string, string])[] = [
    ['Farm.Example', 'farm.example'],
    ['render-01', 'render-01'],
    ['*.studio.lan', '*.studio.lan'],
    ['*', '*'],
    ['192.0.2.7', '192.0.2.7'],
    ['2001:DB8::7', '2001:db8::7'],
    ['[2001:db8::7]', '2001:db8::7'],
  ];
  for (const [given, value] of cases) t.equal(textOf(hostPattern(), given), value, given);
  for (const bad of [
    'farm:8080',
    '192.0.2.7:80',
    '[::1]:80',
    '[192.0.2.7]',
    'http://farm',
    'farm/',
    '*farm',
    'a.*.b',
    'farm.',
    '.farm',
    'b\u00fccher',
    'fe80::1%eth0',
    'a b',
    '**',
  ])
    t.match(textOf(hostPattern(), bad), /^must be a host name/, bad);
});

test('trusted peers are all, none, or addresses and networks', async (t) => {
  t.equal(textOf(trustedPeers(), 'true'), true);
  t.equal(textOf(trustedPeers(), 'false'), false);
  t.equal(documentOf(trustedPeers(), true), true);
  t.equal(documentOf(trustedPeers(), 'false'), false);
  const network = { address: [0, 0, 0, 0, 0, 0xffff, 0x0a00, 0], prefix: 104 };
  t.same(textOf(trustedPeers(), '10.0.0.0/8'), [network]);
  t.same(documentOf(trustedPeers(), ['10.0.0.0/8']), [network]);
  t.same(textOf(trustedPeers(), '10.0.0.0/8, ::1'), [
    network,
    { address: [0, 0, 0, 0, 0, 0, 0, 1], prefix: 128 },
  ]);
  for (const bad of ['yes', 'true,10.0.0.1', '10.0.0.0/40', 'proxy.example', '10.0.0.1:80'])
    t.match(textOf(trustedPeers(), bad), /^must be true, false, or addresses and networks/, bad);
  t.equal(textOf(trustedPeers(), ''), 'must not be empty');
  t.match(documentOf(trustedPeers(), 1), /^must be a list/);
});
