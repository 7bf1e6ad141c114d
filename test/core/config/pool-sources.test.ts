import { test } from 'tap';
import { poolSources } from '../../../src/core/config/pool-sources.ts';
import { serverConfig } from '../../../src/core/config/server-config.ts';

const type = poolSources();

test('sources are a map, or name=command,... as text', (t) => {
  const found = type.fromDocument({
    Houdini: '/usr/local/bin/seats --of houdini, core',
    'nuke.x': 'https://license-1:8080/nuke?format=json',
  });
  t.strictSame(found, {
    ok: true,
    value: new Map([
      ['houdini', { kind: 'command', command: '/usr/local/bin/seats --of houdini, core' }],
      ['nuke.x', { kind: 'url', url: 'https://license-1:8080/nuke?format=json' }],
    ]),
  });
  const text = 'houdini=seats a=b | tail -1, nuke=http://[::1]:80/n';
  const fromText = {
    ok: true,
    value: new Map([
      ['houdini', { kind: 'command', command: 'seats a=b | tail -1' }],
      ['nuke', { kind: 'url', url: 'http://[::1]:80/n' }],
    ]),
  };
  t.strictSame(type.fromText(text), fromText);
  t.strictSame(type.fromDocument(text), fromText);
  t.strictSame(type.fromText(''), { ok: true, value: new Map() });
  t.end();
});

test('invalid sources name the pool and the fault', (t) => {
  const cases: readonly (readonly [unknown, RegExp])[] = [
    [{ 'a b': 'x' }, /invalid name of a usage pool/],
    [{ a: 'x', A: 'y' }, /usage pool A twice/],
    [{ a: 7 }, /usage pool a must have a command or a URL/],
    [{ a: ' ' }, /must have a command or a URL/],
    [{ a: 'http://user:secret@host/' }, /valid URL, without a user name/],
    [{ a: 'http://' }, /valid URL/],
    [['a=x'], /must be a map/],
    ['seats', /must be name=command/],
  ];
  for (const [value, wanted] of cases) {
    const parsed = type.fromDocument(value);
    t.notOk(parsed.ok);
    t.match(JSON.stringify(parsed), wanted);
    t.notMatch(JSON.stringify(parsed), /secret/);
  }
  t.end();
});

test('the maximum age must be longer than a value of a working source can get', (t) => {
  const flags = (maxAge: string) => ({
    file: null,
    environment: { SVC_POOLS_RECONCILE_MAX_AGE: maxAge },
    flags: [],
  });
  t.match(serverConfig(flags('40s')), {
    ok: false,
    lines: [/pools.reconcile_max_age: 40 s must be longer than .* together, 40 s/],
  });
  t.match(serverConfig(flags('41s')), {
    ok: true,
    values: { pools: { intervalMs: 30_000, timeoutMs: 10_000, maxAgeMs: 41_000 } },
  });
  t.end();
});
