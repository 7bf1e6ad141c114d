import { randomBytes, randomUUID } from 'node:crypto';
import { PermissionViolationError, type NatsConnection } from '@nats-io/transport-node';
import type { BusAccess } from '../../core/config/bus-access.ts';
import type { AnonymousReach } from '../../core/bus-identity/open-bus.ts';
import { connectOnce } from './connect-once.ts';
import { withDeadline } from './connection.ts';
import type { ServerList } from './server-address.ts';

/** Time limit of a round trip. */
const ROUND_TRIP_MS = 5_000;
const NO_ACCESS: AnonymousReach = { canWork: false, canReadReplies: false, canAnswer: false };
/** Subscriptions with which a client reads all replies: permissions may allow the second one only. */
const ALL_INBOXES = ['_INBOX.>', '_INBOX.*.*'];
const INBOX_BYTES = 16;

/** Returns the servers without credentials, and with the same certificate authorities. */
function withoutCredentials({ servers, isTls, access, ca }: ServerList): ServerList {
  const tls = access?.tls ?? null;
  const open = { servers, isTls: isTls || tls !== null, ...(ca === undefined ? {} : { ca }) };
  if (access === undefined || tls === null || tls.caFile === '') return open;
  const bare: BusAccess = {
    ...access,
    user: '',
    password: null,
    token: null,
    credentialsFile: '',
    nkeyFile: '',
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
      const diagnostics = `worker.diag.${randomUUID()}`;
      const canWork = await arrives(stranger, own, diagnostics, [diagnostics]);
      const canReadReplies = await arrives(own, stranger, newInbox(), ALL_INBOXES);
      // A client of an account of its own may publish anything, and reaches no worker.
      const isSameAccount = canWork || canReadReplies;
      return { canWork, canReadReplies, canAnswer: isSameAccount && (await mayAnswer(stranger)) };
    } finally {
      await stranger.close();
    }
  } finally {
    await own.close();
  }
}

const newInbox = (): string => `_INBOX.${randomBytes(INBOX_BYTES).toString('hex')}.check`;

/** Returns null if the server refuses a client without credentials. */
async function dialStranger(servers: ServerList): Promise<NatsConnection | null> {
  try {
    return await connectOnce(withoutCredentials(servers), 'callsheet check without credentials');
  } catch {
    // The server has just accepted a connection with credentials, so it is reachable: this one is refused.
    return null;
  }
}

/** Reports whether a message that one client publishes reaches one of the subscriptions of another. */
async function arrives(
  from: NatsConnection,
  to: NatsConnection,
  subject: string,
  subscribed: readonly string[],
): Promise<boolean> {
  let isReceived = false;
  for (const each of subscribed)
    to.subscribe(each, {
      callback: (error, message) => {
        if (error === null && message.subject === subject) isReceived = true;
      },
    });
  // The server handles the frames of a connection in order: after each round trip it has subscribed, routed and delivered.
  await roundTrip(to);
  from.publish(subject, '{}');
  await roundTrip(from);
  await roundTrip(to);
  return isReceived;
}

/** Reports whether the server allows what answers to requests need. Closes the connection. */
async function mayAnswer(client: NatsConnection): Promise<boolean> {
  let isRefused = false;
  const statuses = client.status();
  const heard = (async () => {
    for await (const status of statuses)
      if (status.type === 'error' && status.error instanceof PermissionViolationError) isRefused = true;
  })();
  client.subscribe('work.lease.*', { callback: () => undefined });
  client.publish(newInbox(), '{}');
  await roundTrip(client);
  await client.close();
  await heard;
  return !isRefused;
}

async function roundTrip(client: NatsConnection): Promise<void> {
  if (!(await withDeadline(client.flush(), ROUND_TRIP_MS)))
    throw new Error(`no answer within ${ROUND_TRIP_MS} ms`);
}
