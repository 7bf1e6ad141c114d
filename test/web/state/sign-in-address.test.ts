import { test } from 'tap';
import { localPath, providerHref, signInHref, signOutHref } from '../../../web/state/sign-in-address.ts';

const ORIGIN = 'https://farm.example';

test('the sign-in page leads back to the page that the user wanted', (t) => {
  for (const path of ['/jobs?search=a%20b&status=failed', '/tasks/1:2#L12-L20', '/', '/jobs/ü?x=1&y=/']) {
    const { href } = new URL(signInHref(new URL(path, ORIGIN)), ORIGIN);
    const wanted = new URL(href).searchParams.get('return_to');
    const expected = new URL(path, ORIGIN);
    t.equal(localPath(wanted, ORIGIN), `${expected.pathname}${expected.search}${expected.hash}`);
  }
  t.equal(signInHref(new URL('/', ORIGIN)), '/sign-in');
  t.equal(providerHref('/jobs?a=1&b=2'), '/api/v1/auth/oidc/login?return_to=%2Fjobs%3Fa%3D1%26b%3D2');
  t.end();
});

test('only pages of the application are returned to', (t) => {
  const others = [
    null,
    '',
    'jobs',
    'https://evil.example/',
    '//evil.example/jobs',
    '/\\evil.example',
    '\\\\evil.example',
    '/\t/evil.example',
    '/.//evil.example',
    '/jobs/..//evil.example',
    'javascript:alert(1)',
    '/\njavascript:alert(1)//',
    'data:text/html,x',
    '/api/v1/auth/logout',
    '/api',
    '/sign-in?return_to=/sign-in',
    '/sign-in',
    '/x/../api/v1/jobs',
    'https://farm.example.evil.example/',
    '@evil.example',
  ];
  for (const text of others) {
    const path = localPath(text, ORIGIN);
    const reached = new URL(path, ORIGIN);
    t.equal(reached.origin, ORIGIN, String(text));
    t.notMatch(path, /^\/\/|^\/(api|sign-in)\b/, String(text));
  }
  t.equal(localPath('/apiary', ORIGIN), '/apiary');
  t.end();
});

test('the sign-out follows secure pages and those of the application', (t) => {
  t.equal(signOutHref('https://idp.example/end?x=1', ORIGIN), 'https://idp.example/end?x=1');
  t.equal(signOutHref('/bye', ORIGIN), `${ORIGIN}/bye`);
  t.equal(signOutHref('http://127.0.0.1:8080/bye', 'http://127.0.0.1:8080'), 'http://127.0.0.1:8080/bye');
  const refused = [undefined, 'http://idp.example/', 'javascript:alert(1)', 'data:text/html,x', 'http://'];
  for (const text of refused) t.equal(signOutHref(text, ORIGIN), null, String(text));
  t.end();
});
