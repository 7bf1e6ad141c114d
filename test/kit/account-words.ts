import {
  ACCOUNTS_ID,
  type AccountsMessage,
  type NewSession,
} from '../../actors/service/accounts/messages.ts';
import { replyTo, type ReplyTo } from '../../actors/kernel/address.ts';
import type { Outcome } from '../../src/core/problems.ts';
import type { ApiKeyRecord } from '../../src/core/records/api-key.ts';
import type { SessionRecord } from '../../src/core/records/session.ts';
import type { UserRecord } from '../../src/core/records/user.ts';
import { TestFarm } from './test-farm.ts';

/** A message of the accounts actor without its reply address. */
type Unaddressed<Message> = Message extends { readonly replyTo: unknown } ? Omit<Message, 'replyTo'> : never;

export const DAY_MS = 24 * 3_600_000;

/** Returns a session with this digest that lasts for a day. */
export const sessionOf = (digest: string, source: NewSession['source'] = 'local'): NewSession => ({
  digest,
  source,
  ttlMs: DAY_MS,
});

/** The accounts actor of a test service. */
export class TestAccounts extends TestFarm {
  #asked = 0;

  /** Sends a request and returns the answer as text: `ok`, or the kind and the detail of the problem. */
  ask(message: Unaddressed<AccountsMessage>): string {
    this.#asked += 1;
    const client = `request ${this.#asked}`;
    const to: ReplyTo<Outcome<never>> = replyTo(client);
    this.send({
      actor: 'accounts',
      id: ACCOUNTS_ID,
      message: { ...message, replyTo: to } as AccountsMessage,
    });
    const answer = this.answer(client) as Outcome<unknown> | undefined;
    if (answer === undefined) return 'no answer';
    return answer.ok ? 'ok' : `${answer.problem.kind}: ${answer.problem.detail}`;
  }

  tell(message: AccountsMessage): void {
    this.send({ actor: 'accounts', id: ACCOUNTS_ID, message });
  }

  /** Creates an account whose password hash is `hash of <name>`. */
  create(username: string, role: UserRecord['role'] = 'user'): string {
    return this.ask({
      type: 'user.create',
      input: { username, displayName: '', role, passwordHash: `hash of ${username}` },
    });
  }

  /** Returns the stored account of a name as it was created. */
  user(username: string): UserRecord {
    const found = this.users().find((user) => user.username === username);
    if (found === undefined) throw new Error(`there is no user ${username}`);
    return found;
  }

  users(): readonly UserRecord[] {
    return [...this.store.scan('user')].map((row) => row.value);
  }

  /** Returns the stored sessions by digest. */
  sessions(): ReadonlyMap<string, SessionRecord> {
    return new Map([...this.store.scan('session')].map(({ key, value }) => [key, value]));
  }

  /** Returns the stored keys by digest. */
  keys(): ReadonlyMap<string, ApiKeyRecord> {
    return new Map([...this.store.scan('apiKey')].map(({ key, value }) => [key, value]));
  }

  /** Starts a session after a login with the password of `create`. */
  signIn(username: string, digest: string): string {
    const { id } = this.user(username);
    return this.ask({
      type: 'session.start',
      userId: id,
      verifiedHash: `hash of ${username}`,
      session: sessionOf(digest),
    });
  }
}
