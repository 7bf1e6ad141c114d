import type { NatsConnection } from '@nats-io/transport-node';
import { FOREIGN_SUBJECTS, type BusVisit } from '../../core/host-check/bus-findings.ts';
import { connectOnce } from './connect-once.ts';
import { reasonOf, withDeadline } from './connection.ts';
import type { ServerList } from './server-address.ts';

/** Time in which the server must answer after the connection. */
const ANSWER_MS = 5_000;

/**
 * Connects to the bus as the worker would, and tries to subscribe to messages of others. Sends no message.
 * Does not throw.
 */
export async function visitBus(servers: ServerList): Promise<BusVisit> {
  try {
    const nc = await connectOnce(servers, 'callsheet doctor');
    const wantsTls = servers.isTls || servers.ca !== undefined || (servers.access?.tls ?? null) !== null;
    try {
      return {
        ok: true,
        server: nc.getServer(),
        version: nc.info?.version ?? 'unknown',
        isEncrypted: nc.info?.tls_required === true || (nc.info?.tls_available === true && wantsTls),
        permitted: await permittedSubjects(nc),
      };
    } finally {
      await nc.close();
    }
  } catch (error) {
    return { ok: false, reason: `${servers.servers.join(', ')}: ${reasonOf(error)}` };
  }
}

/** Returns those of the foreign subjects to which the server allows a subscription. */
async function permittedSubjects(nc: NatsConnection): Promise<string[]> {
  const refused = new Set<string>();
  const subscriptions = FOREIGN_SUBJECTS.map((subject) =>
    nc.subscribe(subject, {
      callback: (error) => {
        if (error !== null) refused.add(subject);
      },
    }),
  );
  // The server answers the subscriptions in order, before it answers the ping of the flush.
  if (!(await withDeadline(nc.flush(), ANSWER_MS))) throw new Error(`no answer within ${ANSWER_MS} ms`);
  for (const each of subscriptions) if (!each.isClosed()) each.unsubscribe();
  return FOREIGN_SUBJECTS.filter((subject) => !refused.has(subject));
}
