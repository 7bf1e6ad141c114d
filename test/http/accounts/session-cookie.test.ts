import fc from 'fast-check';
import { test } from 'tap';
import { clearedCookie, cookieValue, sessionCookie } from '../../../http/accounts/session-cookie.ts';

const AUTO = { cookieName: 'svc_session', cookieSecure: 'auto', ttlMs: 604_800_999 } as const;

test('the attributes of the cookie follow the contract', async (t) => {
  const plain = 'svc_session=abc; Path=/; Max-Age=604800; HttpOnly; SameSite=Lax';
  t.same(sessionCookie(AUTO, 'abc', false), ['Set-Cookie', plain]);
  t.same(sessionCookie(AUTO, 'abc', true), ['Set-Cookie', `${plain}; Secure`]);
  t.same(sessionCookie({ ...AUTO, cookieSecure: 'true' }, 'abc', false), ['Set-Cookie', `${plain}; Secure`]);
  t.same(sessionCookie({ ...AUTO, cookieSecure: 'false' }, 'abc', true), ['Set-Cookie', plain]);
  t.same(clearedCookie({ ...AUTO, cookieName: 'mine' }, false), [
    'Set-Cookie',
    'mine=; Path=/; Max-Age=0; HttpOnly; SameSite=Lax',
  ]);
});

test('the cookie is found by its exact name', async (t) => {
  const cases: [readonly string[], string | null][] = [
    [['svc_session=abc'], 'abc'],
    [['a=b; svc_session=abc; c=d'], 'abc'],
    [['a=b', 'svc_session=abc'], 'abc'],
    [['svc_session=abc', 'svc_session=abc'], 'abc'],
    [['svc_session=abc; svc_session=def'], null],
    [['svc_session=abc', 'svc_session=def'], null],
    [['svc_session='], null],
    [['SVC_SESSION=abc'], null],
    [['xsvc_session=abc; svc_sessionx=d'], null],
    [['svc_session'], null],
    [[], null],
  ];
  for (const [values, found] of cases) {
    const headers = values.map((value): [string, string] => ['cookie', value]);
    t.equal(cookieValue(headers, 'svc_session'), found, values.join(' | '));
  }
});

test('no header breaks the reader', async (t) => {
  fc.assert(
    fc.property(fc.string({ maxLength: 100, size: 'max' }), (text) => {
      const value = cookieValue([['cookie', text]], 'svc_session');
      return value === null || text.includes(value);
    }),
  );
  t.pass();
});
