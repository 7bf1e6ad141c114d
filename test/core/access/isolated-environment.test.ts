import fc from 'fast-check';
import { test } from 'tap';
import { isolatedEnvironment } from '../../../src/core/access/isolated-environment.ts';

const account = { user: 'render', home: '/home/render', shell: '/bin/bash' };
const base = {
  PATH: '/usr/local/bin:/usr/bin:/bin',
  LANG: 'C.UTF-8',
  HOME: '/home/render',
  USER: 'render',
  LOGNAME: 'render',
  SHELL: '/bin/bash',
};

test('without globs the environment has the base variables, and the time zone and locale of the worker', (t) => {
  const own = {
    PATH: '/opt/bin',
    HOME: '/root',
    USER: 'root',
    LANG: 'de_DE.UTF-8',
    TZ: 'Europe/Zurich',
    SECRET: 'x',
  };
  t.same(isolatedEnvironment(account, own, [], []), { ...base, LANG: 'de_DE.UTF-8', TZ: 'Europe/Zurich' });
  t.same(isolatedEnvironment(account, {}, [], []), base);
  t.end();
});

test('globs pass on variables whose whole name matches', (t) => {
  const own = {
    HOUDINI_PATH: 'h',
    HOUDINI: 'no',
    MY_HOUDINI_PATH: 'no',
    R1: 'one',
    R12: 'no',
    PATH: '/opt/bin',
    GONE: undefined,
  };
  t.same(isolatedEnvironment(account, own, ['HOUDINI_*', 'R?', 'PATH', 'GONE'], []), {
    ...base,
    HOUDINI_PATH: 'h',
    R1: 'one',
    PATH: '/opt/bin',
  });
  t.end();
});

test('private variables of the worker are never passed on', (t) => {
  const own = {
    SVC_BUS_URL: 'nats://user:password@host',
    CALLSHEET_SESSION: 'x',
    NATS_PASSWORD: 'x',
    LD_PRELOAD: '/x.so',
    LD_LIBRARY_PATH: '/x',
    GLIBC_TUNABLES: 'x',
    CREDENTIALS_DIRECTORY: '/run/x',
    NOTIFY_SOCKET: '/run/x',
    LISTEN_FDS: '3',
    'BASH_FUNC_ls%%': '() { :; }',
  };
  t.same(
    isolatedEnvironment(account, own, ['*', ...Object.keys(own).filter((name) => !name.includes('%'))], []),
    base,
  );
  t.end();
});

test('a denied variable is not passed on, although a glob names it', (t) => {
  const own = { AWS_SECRET_ACCESS_KEY: 'x', RENDER_TOKEN: 'x', RENDER_ROOT: '/r' };
  t.same(isolatedEnvironment(account, own, ['*'], ['AWS_*', '*_TOKEN']), { ...base, RENDER_ROOT: '/r' });
  t.end();
});

test('with any globs, every variable is a base variable or one of the worker', (t) => {
  const glob = fc.stringMatching(/^[A-Z_*?]{1,8}$/);
  const own = fc.dictionary(fc.stringMatching(/^(SVC_|LD_)?[A-Z_]{1,6}$/), fc.string());
  fc.assert(
    fc.property(own, fc.array(glob, { maxLength: 3 }), (variables, globs) => {
      for (const [name, value] of Object.entries(isolatedEnvironment(account, variables, globs, []))) {
        const isBase = Object.hasOwn(base, name);
        t.ok(isBase || variables[name] === value);
        t.notOk(/^(SVC|LD)_/.test(name));
      }
    }),
  );
  t.end();
});
