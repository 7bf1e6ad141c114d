import { HttpBrowser, type BrowserAnswer } from '../../kit/oidc/http-browser.ts';
import type { TestProvider } from '../../kit/oidc/provider.ts';

/** A service that signs in by a provider of the tests. */
export interface OidcTarget {
  /** Address of the service, without a slash at the end. */
  readonly url: string;
  readonly provider: TestProvider;
}

export const LOGIN_PATH = '/api/v1/auth/oidc/login';
export const CALLBACK_PATH = '/api/v1/auth/oidc/callback';
const SESSION_COOKIE = 'svc_session';
/** Start of the names of cookies of logins. */
export const LOGIN_COOKIE = 'svc_oidc_';

/** A login up to the redirect of the provider, which the browser has not followed yet. */
export interface ReachedCallback {
  readonly browser: HttpBrowser;
  /** Address of the callback with the parameters of the provider. */
  readonly callback: URL;
  /** Address at the provider to which the service sent the browser. */
  readonly authorization: URL;
}

/** Signs in at the provider. `change` may change the address at the provider. */
export async function reachCallback(
  { url }: OidcTarget,
  { browser = new HttpBrowser(), returnTo = '/jobs', change = (_authorization: URL): void => undefined } = {},
): Promise<ReachedCallback> {
  const begun = await browser.get(`${url}${LOGIN_PATH}?return_to=${encodeURIComponent(returnTo)}`);
  if (begun.location === null) throw new Error(`the login answered ${begun.status}: ${begun.body}`);
  const authorization = new URL(begun.location);
  change(authorization);
  const callback = await browser.follow(authorization.href, `${url}${CALLBACK_PATH}`);
  return { browser, callback: new URL(callback), authorization };
}

/** Fails unless the answer refuses the login: a sentence on the sign-in page or a problem, and no session. */
export async function assertRefused(
  target: OidcTarget,
  browser: HttpBrowser,
  answer: BrowserAnswer,
): Promise<void> {
  if (answer.cookies.some((line) => line.startsWith(`${SESSION_COOKIE}=`) && !/max-age=0/i.test(line)))
    throw new Error('the service started a session');
  if (answer.location !== null) {
    const page = new URL(answer.location);
    const isSignIn = page.origin === target.url && page.pathname === '/sign-in';
    if (!isSignIn || !/^[a-z-]+$/.test(page.searchParams.get('error') ?? ''))
      throw new Error(`the browser is sent to ${answer.location}`);
  } else if (answer.status < 400 || answer.status >= 500) {
    throw new Error(`the answer is ${answer.status}: ${answer.body.slice(0, 200)}`);
  }
  const me = await browser.get(`${target.url}/api/v1/auth/me`);
  if (me.status !== 401) throw new Error(`the browser is signed in: ${me.status}`);
}

/** Fails unless the answer signs the browser in and leads to `page` of the service. */
export async function assertSignedIn(
  target: OidcTarget,
  browser: HttpBrowser,
  answer: BrowserAnswer,
  page: string,
): Promise<void> {
  if (answer.location !== `${target.url}${page}`)
    throw new Error(`the browser is sent to ${String(answer.location)} (${answer.status})`);
  const me = await browser.get(`${target.url}/api/v1/auth/me`);
  if (me.status !== 200) throw new Error(`the browser is not signed in: ${me.status} ${me.body}`);
}
