import { ACCOUNTS_ID, type NewSession } from '../../actors/service/accounts/messages.ts';
import { PASSWORD_BYTES_MAX } from '../../src/core/access/password-rules.ts';
import { keys } from '../../src/core/records/tables.ts';
import { usernameFault, usernameKey, type UserRecord } from '../../src/core/records/user.ts';
import type { Ports } from '../ports.ts';
import type { LoginThrottle } from './login-throttle.ts';

/** Ports of a login. */
export type LoginPorts = Pick<Ports, 'store' | 'actors' | 'passwords' | 'secrets' | 'auth' | 'log'>;

export interface Credentials {
  readonly username: string;
  readonly password: string;
  /** Address that the login counts for. */
  readonly client: string;
}

export type LoginResult =
  /** `token` is the value of the session cookie. */
  | { readonly kind: 'accepted'; readonly user: UserRecord; readonly token: string; readonly digest: string }
  /** `account` is the name of the account if there is one; otherwise empty. */
  | { readonly kind: 'refused'; readonly account: string }
  | { readonly kind: 'busy' };

/** Account of a login whose credentials are right. */
type Verified =
  | { readonly kind: 'verified'; readonly user: UserRecord; readonly hash: string }
  | { readonly kind: 'refused'; readonly reason: string }
  | { readonly kind: 'busy' };

/**
 * Signs in with a name and a password (docs/contract/authentication.md#login-and-session). Every refusal is the same for
 * the client; the log says why. A local account is checked here and nowhere else.
 */
export async function signIn(
  ports: LoginPorts,
  throttle: LoginThrottle,
  credentials: Credentials,
): Promise<LoginResult> {
  const account = usernameKey(credentials.username.slice(0, 1000));
  if (!(await throttle.admit(account, credentials.client))) return { kind: 'busy' };
  const verified = await verify(ports, credentials);
  if (verified.kind === 'busy') return verified;
  const started = verified.kind === 'verified' ? await startSession(ports, verified) : verified;
  if (started.kind === 'accepted') {
    throttle.succeeded(account);
    return started;
  }
  throttle.failed(account, credentials.client);
  const { username, client } = credentials;
  ports.log('warn', 'a login failed', { username: username.slice(0, 128), client, reason: started.reason });
  return { kind: 'refused', account: userNamed(ports, username)?.username ?? '' };
}

/** Returns the account of a name; undefined if there is none. */
export function userNamed({ store }: Pick<Ports, 'store'>, username: string): UserRecord | undefined {
  if (usernameFault(username) !== null) return undefined;
  const entry = store.get('username', keys.username(username));
  return entry === undefined ? undefined : store.get('user', keys.user(entry.userId));
}

async function verify(ports: LoginPorts, { username, password }: Credentials): Promise<Verified> {
  const user = userNamed(ports, username);
  const isTooLong = Buffer.byteLength(password) > PASSWORD_BYTES_MAX;
  const stored = user?.passwordHash ?? null;
  const checked = await ports.passwords.verify(stored, isTooLong ? '' : password);
  if (!checked.ok) return { kind: 'busy' };
  if (user === undefined) return { kind: 'refused', reason: 'there is no such account' };
  if (stored === null) return { kind: 'refused', reason: `the account signs in by ${user.authSource}` };
  if (isTooLong || !checked.value) return { kind: 'refused', reason: 'the password is wrong' };
  if (user.disabled) return { kind: 'refused', reason: 'the account is disabled' };
  if (ports.passwords.isOutdated(stored)) void rehash(ports, user, stored, password);
  return { kind: 'verified', user, hash: stored };
}

/** Stores a new hash of the password, because the parameters have risen. */
async function rehash(
  { passwords, actors }: LoginPorts,
  { id }: UserRecord,
  expectedHash: string,
  password: string,
): Promise<void> {
  const hashed = await passwords.hash(password);
  // The next login tries again.
  if (!hashed.ok) return;
  const message = { type: 'user.rehash', userId: id, expectedHash, passwordHash: hashed.value } as const;
  actors.tell({ actor: 'accounts', id: ACCOUNTS_ID, message });
}

async function startSession(
  ports: LoginPorts,
  { user, hash }: Extract<Verified, { kind: 'verified' }>,
): Promise<
  Extract<LoginResult, { kind: 'accepted' }> | { readonly kind: 'refused'; readonly reason: string }
> {
  const { token, session } = newSession(ports, 'local');
  const outcome = await ports.actors.ask<UserRecord>((replyTo) => ({
    actor: 'accounts',
    id: ACCOUNTS_ID,
    message: { type: 'session.start', userId: user.id, verifiedHash: hash, session, replyTo },
  }));
  return outcome.ok
    ? { kind: 'accepted', user: outcome.value, token, digest: session.digest }
    : { kind: 'refused', reason: outcome.problem.detail };
}

/** Makes a session that the accounts actor has to store, and the token of its cookie. */
export function newSession(
  { secrets, auth }: Pick<Ports, 'secrets' | 'auth'>,
  source: NewSession['source'],
): { readonly token: string; readonly session: NewSession } {
  const token = secrets.create();
  return { token, session: { digest: secrets.digest(token), source, ttlMs: auth.ttlMs } };
}
