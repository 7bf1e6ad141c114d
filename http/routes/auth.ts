import { askAccounts } from '../accounts/ask-accounts.ts';
import { LoginThrottle } from '../accounts/login-throttle.ts';
import { newSession, signIn } from '../accounts/login.ts';
import { clearedCookie, sessionCookie } from '../accounts/session-cookie.ts';
import { passwordFault } from '../../src/core/access/password-rules.ts';
import { keys } from '../../src/core/records/tables.ts';
import { providerLogoutUrl } from './oidc.ts';
import type { UserRecord } from '../../src/core/records/user.ts';
import { CHALLENGE } from '../guards/access.ts';
import { principalOf, type Principal } from '../guards/principal.ts';
import type { Header } from '../pipeline/message.ts';
import type { Ports } from '../ports.ts';
import type { Schemas } from '../views/schemas.ts';
import { invalid, problem, type Handler, type ProblemReply } from './operation.ts';

/** docs/contract/rest.md#authentication-routes */
const OFF = 'authentication is off (auth.enabled): there is no account to use';

const RETRY_SOON: readonly Header[] = [['Retry-After', '2']];

/** 503 while too many passwords wait to be checked. */
export const TOO_MANY_PASSWORDS: ProblemReply = {
  ...problem('unavailable', 'too many passwords are being checked; try again in 2 s'),
  headers: RETRY_SOON,
};

const LOGIN_REFUSED: ProblemReply = {
  ...problem('unauthorized', 'sign-in failed: check the name and the password'),
  headers: CHALLENGE,
};

export function login({ steadyNow, delay }: Pick<Ports, 'steadyNow' | 'delay'>): Handler<'login'> {
  const throttle = new LoginThrottle(steadyNow, (milliseconds) => delay(milliseconds, NEVER));
  return async ({ body, client, isSecure }, ports) => {
    if (!ports.auth.enabled) return problem('conflict', OFF);
    const result = await signIn(ports, throttle, { ...body, client: client() });
    switch (result.kind) {
      case 'busy':
        return TOO_MANY_PASSWORDS;
      case 'refused':
        // A name that is not an account may be a password in the wrong field.
        return { ...LOGIN_REFUSED, audit: { actor: result.account, actorId: null } };
      case 'accepted':
        return {
          kind: 'json',
          status: 200,
          body: principalView(principalOf(result.user, result.digest)),
          headers: [sessionCookie(ports.auth, result.token, isSecure())],
          audit: { actor: result.user.username, actorId: result.user.id },
        };
    }
  };
}

/** A login waits for its delay even if the client has gone: otherwise a client could skip the delay. */
const NEVER = new AbortController().signal;

export const logout: Handler<'logout'> = async ({ principal, isSecure }, ports) => {
  const { session } = principal;
  const providerUrl = await providerLogoutUrl(ports, session);
  if (session !== null) {
    const ended = await askAccounts<null>(ports, (replyTo) => ({
      type: 'session.end',
      digest: session,
      replyTo,
    }));
    if (!ended.ok) return { kind: 'problem', problem: ended.problem };
  }
  const body = providerUrl === null ? {} : { redirect_url: providerUrl };
  return { kind: 'json', status: 200, body, headers: [clearedCookie(ports.auth, isSecure())] };
};

export const getMe: Handler<'getMe'> = ({ principal }) => ({
  kind: 'json',
  status: 200,
  body: principalView(principal),
});

export const updateMe: Handler<'updateMe'> = async ({ principal, body }, ports) => {
  if (!ports.auth.enabled) return problem('conflict', OFF);
  const displayName = body.display_name;
  if (displayName === undefined) return { kind: 'json', status: 200, body: principalView(principal) };
  const outcome = await askAccounts<UserRecord>(ports, (replyTo) => ({
    type: 'user.update',
    userId: principal.subject,
    changes: { displayName },
    replyTo,
  }));
  return outcome.ok
    ? { kind: 'json', status: 200, body: principalView({ ...principal, displayName }) }
    : { kind: 'problem', problem: outcome.problem };
};

export const changePassword: Handler<'changePassword'> = async (call, ports) => {
  if (!ports.auth.enabled) return problem('conflict', OFF);
  const { principal, body, isSecure } = call;
  const user = ports.store.get('user', keys.user(principal.subject));
  if (user === undefined) return problem('conflict', 'the account was deleted');
  const expectedHash = user.passwordHash;
  if (expectedHash === null)
    return problem('conflict', `the account signs in by ${user.authSource}: it has no password here`);
  const fault = newPasswordFault(ports, body.new_password);
  if (fault !== null) return invalid('/new_password', fault);
  const checked = await ports.passwords.verify(expectedHash, body.current_password);
  if (!checked.ok) return TOO_MANY_PASSWORDS;
  if (!checked.value) return problem('forbidden', 'the current password is wrong');
  const hashed = await ports.passwords.hash(body.new_password);
  if (!hashed.ok) return TOO_MANY_PASSWORDS;
  const renewed = principal.session === null ? null : newSession(ports, user.authSource);
  const outcome = await askAccounts<UserRecord>(ports, (replyTo) => ({
    type: 'user.set-password',
    userId: user.id,
    passwordHash: hashed.value,
    expectedHash,
    session: renewed?.session ?? null,
    replyTo,
  }));
  if (!outcome.ok) return { kind: 'problem', problem: outcome.problem };
  return {
    kind: 'done',
    headers: renewed === null ? [] : [sessionCookie(ports.auth, renewed.token, isSecure())],
  };
};

export const listProviders: Handler<'listProviders'> = (_call, { auth, directory, oidc }) => ({
  kind: 'json',
  status: 200,
  body: { local: true, ldap: directory !== null, oidc: oidc !== null, auth_enabled: auth.enabled },
});

/** Returns why a text is not acceptable as a new password, or null. */
export const newPasswordFault = ({ auth }: Pick<Ports, 'auth'>, password: string): string | null =>
  passwordFault(password, Buffer.byteLength(password), auth.passwordLengthMin);

export const principalView = (principal: Principal): Schemas['Principal'] => ({
  subject: principal.subject,
  username: principal.username,
  display_name: principal.displayName,
  roles: [principal.role],
  permissions: principal.permissions,
  kind: principal.kind,
  ...(principal.authSource !== null && { auth_source: principal.authSource }),
});
