import { askAccounts } from '../accounts/ask-accounts.ts';
import { newSession } from '../accounts/login.ts';
import { sessionCookie } from '../accounts/session-cookie.ts';
import { keys } from '../../src/core/records/tables.ts';
import type { UserRecord } from '../../src/core/records/user.ts';
import type { Header } from '../pipeline/message.ts';
import type { Ports } from '../ports.ts';
import { signInPage, type LoginError } from '../sign-in/login-error.ts';
import { problem, type Handler, type RedirectReply } from './operation.ts';

/** docs/contract/authentication.md#oidc: a browser uses these routes, so errors are shown by the sign-in page. */

const OFF = problem('not-found', 'there is no sign-in by a provider here (auth.oidc.enabled)');

export const beginOidcLogin: Handler<'beginOidcLogin'> = async (call, ports) => {
  if (ports.oidc === null) return OFF;
  const begun = await ports.oidc.begin(call.query.return_to, call.allHeaders());
  return begun.ok
    ? { kind: 'redirect', location: begun.url, headers: begun.cookies }
    : failed(ports, call.client(), begun);
};

export const finishOidcLogin: Handler<'finishOidcLogin'> = async (call, ports) => {
  if (ports.oidc === null) return OFF;
  const finished = await ports.oidc.finish(call.query, call.allHeaders());
  if (!finished.ok) return failed(ports, call.client(), finished, finished.cookies);
  const { identity, returnTo, cookies } = finished;
  const { token, session } = newSession(ports, 'oidc');
  const started = await askAccounts<UserRecord>(ports, (replyTo) => ({
    type: 'session.start-external',
    identity,
    session,
    replyTo,
  }));
  if (!started.ok) {
    const fault = { error: 'refused', detail: started.problem.detail } as const;
    return failed(ports, call.client(), fault, cookies);
  }
  const cookie = sessionCookie(ports.auth, token, call.isSecure());
  return { kind: 'redirect', location: returnTo, headers: [cookie, ...cookies] };
};

/** Sends the browser to the sign-in page, which shows one sentence. Only the log has the details. */
function failed(
  { log }: Pick<Ports, 'log'>,
  client: string,
  { error, detail }: { readonly error: LoginError; readonly detail: string },
  headers: readonly Header[] = [],
): RedirectReply {
  log('warn', 'a login by the provider failed', { error, reason: detail, client });
  return { kind: 'redirect', location: signInPage(error), headers };
}

/**
 * Returns the address at which the browser of a session signs out at the provider; null if it need not, or cannot
 * because the provider is not reachable. `session` is the digest of the session's token.
 */
export async function providerLogoutUrl(
  { oidc, store, log }: Pick<Ports, 'oidc' | 'store' | 'log'>,
  session: string | null,
): Promise<string | null> {
  if (oidc === null || session === null) return null;
  if (store.get('session', keys.session(session))?.source !== 'oidc') return null;
  const url = await oidc.logoutUrl();
  if (url.ok) return url.value;
  log('warn', 'the session at the provider was not ended', { reason: url.detail });
  return null;
}
