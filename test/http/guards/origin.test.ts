import { test } from 'tap';
import {
  canonicalOrigin,
  claimedOrigin,
  ListedOrigins,
  serializedOrigin,
} from '../../../http/guards/origin.ts';

void test('only a serialized origin is one', async (t) => {
  for (const origin of [
    'http://farm',
    'http://farm:8080',
    'https://farm.example',
    'http://127.0.0.1:8080',
    'http://[::1]:8080',
    'https://xn--bcher-kva.example',
    'http://render_01:80801'.slice(0, -1),
    'app://callsheet',
  ])
    t.equal(serializedOrigin(origin), origin);
  for (const text of [
    'null',
    '',
    'http://',
    'HTTP://farm',
    'http://Farm',
    'http://farm:80',
    'https://farm:443',
    'http://farm:080',
    'http://farm:65536',
    'http://farm/',
    'http://farm.',
    'http://u@farm',
    'http://b\u00fccher',
    'http://127.1',
    'http://2130706433',
    'http://[0:0:0:0:0:0:0:1]',
    'http://[::1',
    'http://farm http://farm',
    'http://farm,http://farm',
    'http:\\\\farm',
    'http:/farm',
    'http://xn--',
    'file://',
  ])
    t.equal(serializedOrigin(text), null, text);
  t.equal(canonicalOrigin('HTTPS://Farm.Example:443'), 'https://farm.example');
  t.equal(canonicalOrigin('http://[0:0::1]:80'), 'http://[::1]');
  t.equal(canonicalOrigin('App://Callsheet'), 'app://callsheet');
  t.equal(canonicalOrigin('http://farm:99999'), null);
  t.equal(canonicalOrigin('farm'), null);
});

void test('Origin counts before Referer, and a repeated header is invalid', async (t) => {
  const claim = (...headers: [string, string][]): unknown => claimedOrigin({ headers });
  const farm = { kind: 'origin', origin: 'http://farm' };
  const invalid = { kind: 'invalid' };
  t.same(claim(), { kind: 'absent' });
  t.same(claim(['origin', 'http://farm'], ['referer', 'http://evil/']), farm);
  t.same(claim(['origin', 'null'], ['referer', 'http://farm/']), invalid);
  t.same(claim(['origin', 'http://farm'], ['origin', 'http://farm']), invalid);
  for (const referer of [
    'http://farm',
    'http://farm/',
    'http://farm/x?y#z',
    'http://farm?x@y',
    'http://farm#/',
  ])
    t.same(claim(['referer', referer]), farm, referer);
  for (const referer of [
    '',
    'farm',
    '/x',
    'http://u@farm/',
    'http://farm\\@evil/',
    'data:,x',
    'http://farm.evil:x/',
  ])
    t.same(claim(['referer', referer]), invalid, referer);
  t.same(claim(['referer', 'http://evil/http://farm/']), { kind: 'origin', origin: 'http://evil' });
  t.same(claim(['referer', 'http://farm/'], ['referer', 'http://farm/']), invalid);
});

void test('an empty list allows reads only, * allows writes, and authentication turns * off', async (t) => {
  const may = (configured: string[], isAuthenticated: boolean): readonly boolean[] => {
    const origins = new ListedOrigins(configured, isAuthenticated);
    return [origins.mayAllRead, origins.mayAllWrite, origins.has('https://farm.example')];
  };
  t.same(may([], false), [true, false, false]);
  t.same(may(['*'], false), [true, true, false]);
  t.same(may(['https://FARM.example:443'], false), [false, false, true]);
  t.same(may(['https://farm.example', '*'], false), [true, true, true]);
  t.same(may([], true), [false, false, false]);
  t.same(may(['*', 'https://farm.example'], true), [false, false, true]);
});
