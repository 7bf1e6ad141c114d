import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  connect,
  jwtAuthenticator,
  nkeyAuthenticator,
  type NatsConnection,
  type NodeConnectionOptions,
} from '@nats-io/transport-node';
import { serviceUser } from '../../src/adapters/nats/authority/account-claims.ts';
import { loadBusKeys } from '../../src/adapters/nats/authority/bus-keys.ts';
import { until } from './until.ts';
import { tokenFile } from './worker-access.ts';

/** One message on the bus. */
export interface TappedMessage {
  /** Subject in the form of the contract: without the id of the worker that a bus with authentication adds. */
  readonly subject: string;
  /** Subject for the reply; empty if no reply is expected. */
  readonly reply: string;
  readonly headers: Readonly<Record<string, string>>;
  /** The payload as JSON, or null if it is not valid JSON. */
  readonly body: Readonly<Record<string, unknown>> | null;
}

/** Records all messages on a bus. */
export interface BusTap {
  readonly all: readonly TappedMessage[];
  readonly nc: NatsConnection;
  /** Waits for the first message from index `from` on that `fits` accepts. */
  next(what: string, fits: (message: TappedMessage) => boolean, from?: number): Promise<TappedMessage>;
  close(): Promise<void>;
}

/** Taps the managed bus of a service, with the credentials of the service: no other client may receive everything. */
export async function tapBus({
  folder,
  busPort,
}: {
  readonly folder: string;
  readonly busPort: number;
}): Promise<BusTap> {
  const nc = await connect({
    servers: [`127.0.0.1:${busPort}`],
    reconnect: false,
    ...(await serviceAccess(folder)),
  });
  const all: TappedMessage[] = [];
  nc.subscribe('>', {
    callback: (error, message) => {
      if (error !== null) return;
      const { subject, reply = '', headers } = message;
      const names = headers?.keys() ?? [];
      all.push({
        subject: contractSubject(subject),
        reply,
        headers: Object.fromEntries(names.map((name) => [name, headers?.get(name) ?? ''])),
        body: jsonOf(message.string()),
      });
    },
  });
  await nc.flush();
  return {
    all,
    nc,
    next: (what, fits, from = 0) => until(what, () => all.slice(from).find(fits) ?? null),
    close: () => nc.close(),
  };
}

async function serviceAccess(folder: string): Promise<NodeConnectionOptions> {
  const { users, bus } = await loadBusKeys(join(folder, 'data', 'bus'));
  const seed = users.requests.getSeed();
  if (!existsSync(tokenFile(folder))) return { authenticator: nkeyAuthenticator(seed) };
  const jwt = await serviceUser('tap', users.requests, bus);
  const ca = readFileSync(join(folder, 'data/bus/tls/ca.pem'), 'utf8');
  return { tls: { ca }, authenticator: jwtAuthenticator(jwt, seed) };
}

const SCOPED =
  /^(work\.lease\.[^.]+|task\.(?:status|logs|cancel)\.[^.]+|worker\.(?:register|heartbeat|deregister))\.[^.]+$/;

const contractSubject = (subject: string): string => SCOPED.exec(subject)?.[1] ?? subject;

function jsonOf(text: string): TappedMessage['body'] {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? (value as TappedMessage['body']) : null;
  } catch {
    return null;
  }
}
