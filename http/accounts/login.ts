import {
  ACCOUNTS_ID,
  type AccountsMessage,
  type NewSession,
} from '../../actors/service/accounts/messages.ts';
import type { ReplyTo } from '../../actors/kernel/address.ts';
import { PASSWORD_BYTES_MAX } from '../../src/core/access/password-rules.ts';
import type { ExternalIdentity } from '../../src/core/access/external-identity.ts';
import type { Outcome } from '../../src/core/problems.ts';
import { keys } from '../../src/core/records/tables.ts';
import { usernameFault, usernameKey, type UserRecord } from '../../src/core/records/user.ts';
import type { Ports } from '../ports.ts';
import type { LoginThrottle } from './login-throttle.ts';

/** Ports of a login. */
export type LoginPorts = Pick<
  Ports,
  'store' | 'actors' | 'passwords' | 'directory' | 'secrets' | 'auth' | 'log' | 'steadyNow' | 'delay'
>;

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

/** Result of the check of a password. */
type Verified =
  | { readonly kind: 'local'; readonly user: UserRecord; readonly hash: string }
  | { readonly kind: 'directory'; readonly identity: ExternalIdentity }
  /** `isGuess` is false if the credentials were not checked. */
  | { readonly kind: 'refused'; readonly reason: string; readonly isGuess: boolean }
  | { readonly kind: 'busy' };

/**
 * Time in milliseconds of every refused login while there is a directory: otherwise its length would tell whether the
 * directory has the name.
 */
const REFUSAL_MS = 400;

/**
 * Signs in with a name and a password (docs/contract/authentication.md#sessions). Every refusal is the same for the
 * client; the log says why. A local account is checked here, and any other name by the directory, never by both.
 */
export async function signIn(
  ports: LoginPorts,
  throttle: LoginThrottle,
  credentials: Credentials,
): Promise<LoginResult> {
  const account = usernameKey(credentials.username.slice(0, 1000));
  const isSlowed = ports.auth.slowsFailedLogins;
  if (isSlowed && !(await throttle.admit(account, credentials.client))) return { kind: 'busy' };
  const startedAt = ports.steadyNow();
  const verified = await verify(ports, credentials);
  if (verified.kind === 'busy') return verified;
  const started = verified.kind === 'refused' ? verified : await startSession(ports, verified);
  if (started.kind === 'accepted') {
    throttle.succeeded(account);
    return started;
  }
  if (started.isGuess) throttle.failed(account, credentials.client);
  // A name that is not an account may be a password in the wrong field.
  const known = userNamed(ports, credentials.username)?.username ?? '';
  ports.log('warn', 'a login failed', { account: known, client: credentials.client, reason: started.reason });
  const leftMs = REFUSAL_MS - (ports.steadyNow() - startedAt);
  if (ports.directory !== null && leftMs > 0) await ports.delay(leftMs, NEVER);
  return { kind: 'refused', account: known };
}

const NEVER = new AbortController().signal;

/** Returns the account of a name; undefined if there is none. */
function userNamed({ store }: Pick<Ports, 'store'>, username: string): UserRecord | undefined {
  if (usernameFault(username) !== null) return undefined;
  const entry = store.get('username', keys.username(username));
  return entry === undefined ? undefined : store.get('user', keys.user(entry.userId));
}

const refusal = (reason: string, isGuess = true): Extract<Verified, { kind: 'refused' }> => ({
  kind: 'refused',
  reason,
  isGuess,
});

function verify(ports: LoginPorts, credentials: Credentials): Promise<Verified> {
  const user = userNamed(ports, credentials.username);
  const isOfDirectory = user === undefined || user.authSource === 'ldap';
  return ports.directory !== null && isOfDirectory
    ? verifyByDirectory(ports.directory, credentials)
    : verifyLocally(ports, user, credentials);
}

async function verifyByDirectory(
  directory: NonNullable<LoginPorts['directory']>,
  { username, password }: Credentials,
): Promise<Verified> {
  const answer = await directory.authenticate(username, password);
  switch (answer.kind) {
    case 'accepted': {
      const fault = usernameFault(answer.identity.username);
      if (fault !== null) return refusal(`the username in the directory ${fault}`);
      return { kind: 'directory', identity: answer.identity };
    }
    case 'refused':
      return refusal(answer.reason);
    case 'unavailable':
      return refusal(`no directory server could answer: ${answer.reason}`, false);
  }
}

async function verifyLocally(
  ports: LoginPorts,
  user: UserRecord | undefined,
  { password }: Credentials,
): Promise<Verified> {
  const isTooLong = Buffer.byteLength(password) > PASSWORD_BYTES_MAX;
  const stored = user?.passwordHash ?? null;
  const checked = await ports.passwords.verify(stored, isTooLong ? '' : password);
  if (!checked.ok) return { kind: 'busy' };
  if (user === undefined) return refusal('there is no such account');
  if (stored === null) return refusal(`the account signs in by ${user.authSource}`);
  if (isTooLong || !checked.value) return refusal('the password is wrong');
  if (user.disabled) return refusal('the account is disabled');
  if (ports.passwords.isOutdated(stored)) void rehash(ports, user, stored, password);
  return { kind: 'local', user, hash: stored };
}

/** Stores a new hash of the password, because the parameters have risen. */
async function rehash(
  { passwords, actors }: LoginPorts,
  { id }: UserRecord,
  expectedHash: string,
  password: string,
): Promise<void> {
  const hashed = await passwords.hash(password);
  // Too many wait already: a later login stores it.
  if (!hashed.ok) return;
  const message = { type: 'user.rehash', userId: id, expectedHash, passwordHash: hashed.value } as const;
  actors.tell({ actor: 'accounts', id: ACCOUNTS_ID, message });
}

async function startSession(
  ports: LoginPorts,
  verified: Extract<Verified, { kind: 'local' | 'directory' }>,
): Promise<Extract<LoginResult, { kind: 'accepted' }> | Extract<Verified, { kind: 'refused' }>> {
  const { token, session } = newSession(ports, verified.kind === 'local' ? 'local' : 'ldap');
  const messageTo = (replyTo: ReplyTo<Outcome<UserRecord>>): AccountsMessage =>
    verified.kind === 'local'
      ? { type: 'session.start', userId: verified.user.id, verifiedHash: verified.hash, session, replyTo }
      : { type: 'session.start-external', identity: verified.identity, session, replyTo };
  const outcome = await ports.actors.ask<UserRecord>((replyTo) => ({
    actor: 'accounts',
    id: ACCOUNTS_ID,
    message: messageTo(replyTo),
  }));
  return outcome.ok
    ? { kind: 'accepted', user: outcome.value, token, digest: session.digest }
    : refusal(outcome.problem.detail);
}

/** Makes a session that the accounts actor has to store, and the token of its cookie. */
export function newSession(
  { secrets, auth }: Pick<Ports, 'secrets' | 'auth'>,
  source: NewSession['source'],
): { readonly token: string; readonly session: NewSession } {
  const token = secrets.create();
  return { token, session: { digest: secrets.digest(token), source, ttlMs: auth.ttlMs } };
}
