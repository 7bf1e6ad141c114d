import { join } from 'node:path';
import { connect, nkeyAuthenticator, type NatsConnection } from '@nats-io/transport-node';
import { loadBusKeys } from '../../src/adapters/nats/authority/bus-keys.ts';
import { until } from './until.ts';

/** One message on the bus. */
export interface TappedMessage {
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
  const { users } = await loadBusKeys(join(folder, 'data', 'bus'));
  const nc = await connect({
    servers: [`127.0.0.1:${busPort}`],
    reconnect: false,
    authenticator: nkeyAuthenticator(users.requests.getSeed()),
  });
  const all: TappedMessage[] = [];
  nc.subscribe('>', {
    callback: (error, message) => {
      if (error !== null) return;
      const { subject, reply = '', headers } = message;
      const names = headers?.keys() ?? [];
      all.push({
        subject,
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

function jsonOf(text: string): TappedMessage['body'] {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? (value as TappedMessage['body']) : null;
  } catch {
    return null;
  }
}
