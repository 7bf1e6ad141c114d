import { randomBytes, randomUUID } from 'node:crypto';
import type { NatsConnection } from '@nats-io/transport-node';
import type { BusAccess } from '../../core/config/bus-access.ts';
import type { AnonymousReach } from '../../core/bus-identity/open-bus.ts';
import { connectOnce } from './connect-once.ts';
import { withDeadline } from './connection.ts';
import type { ServerList } from './server-address.ts';

/** Time limit of a round trip. */
const ROUND_TRIP_MS = 5_000;
const NO_ACCESS: AnonymousReach = { canPublish: false, canReadReplies: false };
const INBOX_BYTES = 16;

/** Returns the servers without credentials, and with the same certificate authorities. */
export function withoutCredentials({ servers, isTls, access }: ServerList): ServerList {
  const tls = access?.tls ?? null;
  const open = { servers, isTls: isTls || tls !== null };
  if (access === undefined || tls === null || tls.caFile === '') return open;
  const bare: BusAccess = {
    ...access,
    user: '',
    password: null,
    token: null,
    credentialsFile: '',
    tls: { ...tls, certFile: '', keyFile: '' },
  };
  return { ...open, access: bare };
}

/**
 * Finds out how far a client without credentials gets on a bus, with messages that no worker reads and that the service
 * ignores. `servers` has the access of the service.
 *
 * @throws Error if the service itself cannot use the bus.
 */
export async function anonymousReach(servers: ServerList): Promise<AnonymousReach> {
  const own = await connectOnce(servers, 'callsheet check of the bus');
  try {
    const stranger = await dialStranger(servers);
    if (stranger === null) return NO_ACCESS;
    try {
      return {
        canPublish: await arrives(stranger, own, `worker.diag.${randomUUID()}`),
        canReadReplies: await arrives(own, stranger, `_INBOX.${randomToken()}.check`, '_INBOX.>'),
      };
    } finally {
      await stranger.close();
    }
  } finally {
    await own.close();
  }
}

const randomToken = (): string => randomBytes(INBOX_BYTES).toString('hex');

/** Returns null if the server refuses a client without credentials. */
async function dialStranger(servers: ServerList): Promise<NatsConnection | null> {
  try {
    return await connectOnce(withoutCredentials(servers), 'callsheet check without credentials');
  } catch {
    // The server has just accepted a connection with credentials, so it is reachable: this one is refused.
    return null;
  }
}

/** Reports whether a message that one client publishes reaches the subscription of another. */
async function arrives(
  from: NatsConnection,
  to: NatsConnection,
  subject: string,
  subscribed = subject,
): Promise<boolean> {
  let isReceived = false;
  const subscription = to.subscribe(subscribed, {
    callback: (error, message) => {
      if (error === null && message.subject === subject) isReceived = true;
    },
  });
  // The server handles the frames of a connection in order: after each flush it has subscribed, routed and delivered.
  for (const each of [to, from, to]) {
    if (each === from) from.publish(subject, '{}');
    if (!(await withDeadline(each.flush(), ROUND_TRIP_MS)))
      throw new Error(`no answer within ${ROUND_TRIP_MS} ms`);
  }
  subscription.unsubscribe();
  return isReceived;
}
