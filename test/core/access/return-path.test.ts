import { test } from 'tap';
import { returnPath } from '../../../src/core/access/return-path.ts';

const GOOD = [
  '/',
  '/jobs',
  '/jobs/',
  '/jobs/1?tab=tasks#log',
  '/sign-in-command?port=1&state=a',
  '/a?to=//evil.example',
];

const BAD = [
  'https://evil.example/',
  '//evil.example',
  '///evil.example',
  '/\\evil.example',
  '\\\\evil.example',
  '/a\\b',
  '/.//evil.example',
  '/..//evil.example',
  '/a/../b',
  '/%2e%2e/b',
  '/.%2E/b',
  '/./b',
  '/a//b',
  'javascript:alert(1)',
  'jobs',
  '',
  ' /jobs',
  '/jo bs',
  '/jobs\r\nSet-Cookie: a=b',
  '/jobs\u0000',
  '/\tevil',
  '/jöbs',
  '/api',
  '/api/v1/auth/oidc/login',
  '/API/v1/jobs',
  '/debug/pprof/',
  '/healthz',
  '/assets/a.js',
  `/${'a'.repeat(512)}`,
];

test('a path of the web application is returned as it is', async (t) => {
  for (const path of GOOD) t.equal(returnPath(path), path);
  t.equal(returnPath(undefined), '/');
});

test('anything else leads to the start page', async (t) => {
  for (const path of BAD) t.equal(returnPath(path), '/', JSON.stringify(path));
});

test('a browser resolves every result to the same origin', async (t) => {
  for (const path of [...GOOD, ...BAD]) {
    const url = new URL(returnPath(path), 'https://farm.example/x/y');
    t.equal(url.origin, 'https://farm.example');
    t.notOk(url.pathname.startsWith('//'));
  }
});
