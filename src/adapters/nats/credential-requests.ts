import {
  AuthorizationError,
  connect,
  jwtAuthenticator,
  UserAuthenticationExpiredError,
  type NodeConnectionOptions,
} from '@nats-io/transport-node';
import type { JoinToken } from '../../core/bus-identity/join-token.ts';
import type { WorkerId } from '../../core/ids.ts';
import { parseJoinReply, type JoinReply } from '../../core/wire/join-messages.ts';
import { accessOptions } from './access.ts';
import { reasonOf } from './connection.ts';
import { CONNECTION_LIMITS } from './limits.ts';
import { readText } from './message-text.ts';
import { ForeignServerError, pinnedAuthority } from './pinned-authority.ts';
import { parseServerList, type ServerList } from './server-address.ts';

/** Result of a request for a credential. */
export type CredentialAnswer =
  | { readonly type: 'answered'; readonly reply: JoinReply }
  /** The server does not accept the token or credential with which the request was sent. */
  | { readonly type: 'unauthorized'; readonly reason: string }
  /** The server is not the one of the token. */
  | { readonly type: 'foreign'; readonly reason: string }
  | { readonly type: 'unreachable'; readonly reason: string };

/** Time for the reply: the service writes to its disk. */
const REPLY_MS = 15_000;

/**
 * Sends the request to join to the servers of the token, one after the other. The certificate of the authority is checked
 * against the fingerprint in the token before anything is sent.
 */
export async function requestJoin(token: JoinToken, text: string): Promise<CredentialAnswer> {
  const faults: CredentialAnswer[] = [];
  for (const url of token.u) {
    const servers = parseServerList(url);
    const [server = ''] = servers?.servers ?? [];
    const colon = server.lastIndexOf(':');
    const host = server.slice(0, colon).replace(/^\[|\]$/g, '');
    if (servers === null || colon < 1) continue;
    const answer = await joinAt(servers, host, Number(server.slice(colon + 1)), token, text);
    if (answer.type !== 'unreachable' && answer.type !== 'foreign') return answer;
    faults.push({ type: answer.type, reason: `${server}: ${answer.reason}` });
  }
  // One that cannot be reached may be the right one.
  return (
    faults.find(({ type }) => type === 'unreachable') ??
    faults[0] ?? { type: 'foreign', reason: 'the token has no valid address' }
  );
}

async function joinAt(
  { servers }: ServerList,
  host: string,
  port: number,
  token: JoinToken,
  text: string,
): Promise<CredentialAnswer> {
  try {
    const ca = await pinnedAuthority({ host, port }, token.c, CONNECTION_LIMITS.dialMs);
    return await request(
      { servers: [...servers], tls: { ca }, authenticator: jwtAuthenticator(token.j) },
      { subject: `service.join.${token.i}`, inboxPrefix: `_INBOX.${token.i}` },
      text,
    );
  } catch (error) {
    return { type: error instanceof ForeignServerError ? 'foreign' : 'unreachable', reason: reasonOf(error) };
  }
}

/** Sends a request about the worker's own credential, on a connection with `servers.identity`. */
export function requestRenewal(
  servers: ServerList,
  worker: WorkerId,
  text: string,
): Promise<CredentialAnswer> {
  return request(
    { servers: [...servers.servers], ...accessOptions(servers) },
    { subject: `worker.renew.${worker}`, inboxPrefix: `_INBOX.${worker}` },
    text,
  );
}

async function request(
  options: NodeConnectionOptions,
  { subject, inboxPrefix }: { readonly subject: string; readonly inboxPrefix: string },
  text: string,
): Promise<CredentialAnswer> {
  let nc;
  try {
    nc = await connect({
      ...options,
      name: 'callsheet credential',
      inboxPrefix,
      reconnect: false,
      timeout: CONNECTION_LIMITS.dialMs,
      noAsyncTraces: true,
    });
  } catch (error) {
    return { type: isRefusal(error) ? 'unauthorized' : 'unreachable', reason: reasonOf(error) };
  }
  try {
    const message = await nc.request(subject, text, { timeout: REPLY_MS });
    const read = readText(message.data, parseJoinReply);
    return read.ok
      ? { type: 'answered', reply: read.value }
      : { type: 'unreachable', reason: `the reply cannot be read: ${read.reason}` };
  } catch (error) {
    return { type: 'unreachable', reason: `no reply of the service: ${reasonOf(error)}` };
  } finally {
    await nc.close();
  }
}

/** Reports whether the server does not accept the credential of a connection. */
const isRefusal = (error: unknown): boolean =>
  error instanceof AuthorizationError || error instanceof UserAuthenticationExpiredError;
