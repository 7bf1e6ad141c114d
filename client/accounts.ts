import type { AuditEntry, Principal } from './resources.ts';
import type { QueryOf } from './rest-calls.ts';
import type { Rest } from './rest.ts';

/** Name and password of an account. */
export interface Credentials {
  readonly username: string;
  readonly password: string;
}

/** A session. */
export interface SignedIn {
  readonly principal: Principal;
  /** Client of the same service that sends the session. In a page, the browser sends it with every request. */
  readonly rest: Rest;
}

/**
 * Signs in. Rejects with `ProblemError`: 401 if the name or the password is wrong, 409 while authentication is off. Scripts
 * that run for long use an API key instead, because a session expires.
 */
export async function signIn(rest: Rest, { username, password }: Credentials): Promise<SignedIn> {
  const { headers, body } = await rest.callWithHeaders('post', '/auth/login', {
    body: { username, password },
  });
  // Browsers hide the header.
  const [cookie] = headers.getSetCookie();
  const pair = cookie?.split(';', 1)[0];
  if (pair === undefined) return { principal: body, rest };
  // As a browser does: the service accepts changes with a session only from its own pages.
  const { origin } = new URL(rest.first);
  return { principal: body, rest: rest.withHeaders({ cookie: pair, origin }) };
}

/** Ends the session of a client that `signIn` has returned. */
export async function signOut(rest: Rest): Promise<void> {
  await rest.call('post', '/auth/logout');
}

/** Filters of the audit log. */
export type AuditFilter = Omit<QueryOf<'get', '/audit'>, 'limit' | 'before' | 'format'>;

/** Entries of the largest page. */
const PAGE_MAX = 1000;

/**
 * Yields the entries of the audit log, latest first, page by page. Leave the loop when you have enough. `pageSize` is the
 * number of entries that one request asks for.
 */
export async function* auditEntries(
  rest: Rest,
  filter: AuditFilter = {},
  pageSize = PAGE_MAX,
): AsyncGenerator<AuditEntry> {
  let before: string | undefined;
  do {
    const query = { ...filter, limit: pageSize, ...(before !== undefined && { before }) };
    const { items, next } = await rest.call('get', '/audit', { query });
    yield* items;
    before = next;
  } while (before !== undefined);
}
