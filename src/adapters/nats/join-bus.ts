import type { Msg } from '@nats-io/transport-node';
import type { BusEvent } from '../../core/ports/bus.ts';
import { isInbox } from '../../core/wire/identifiers.ts';
import { JOIN_MESSAGE_CHARACTERS_MAX, type JoinReply } from '../../core/wire/join-messages.ts';
import { BusConnection } from './connection.ts';
import { readText } from './message-text.ts';
import type { ServerList } from './server-address.ts';

const JOIN = 'service.join.';
const RENEW = 'worker.renew.';

/** Requests of workers for credentials. Must not throw or reject. */
export interface JoinBusListener {
  /** `tokenId` is that of the subject. */
  joinRequested(tokenId: string, text: string): Promise<JoinReply>;
  /** `worker` is that of the subject. */
  renewalRequested(worker: string, text: string): Promise<JoinReply>;
  busChanged(event: BusEvent): void;
}

/** The service's connection for requests for credentials. */
export interface JoinBus {
  close(): Promise<void>;
}

/**
 * Serves `service.join.*` and `worker.renew.*`. A request gets a reply only if its reply subject is an inbox of the token or
 * worker of its subject: the service may publish to subjects that its sender may not.
 */
export function connectJoinBus(servers: ServerList, listener: JoinBusListener): JoinBus {
  const answer = async (
    message: Msg,
    start: string,
    ask: (id: string, text: string) => Promise<JoinReply>,
  ): Promise<void> => {
    const id = message.subject.slice(start.length);
    const { reply = '' } = message;
    if (!isInbox(reply) || !reply.startsWith(`_INBOX.${id}.`)) return;
    if (message.data.length > JOIN_MESSAGE_CHARACTERS_MAX) return;
    const read = readText(message.data, (text) => ({ ok: true, value: text }));
    if (read.ok) connection.publish(reply, JSON.stringify(await ask(id, read.value)));
  };
  const connection = new BusConnection(
    { servers, name: 'callsheet joins' },
    {
      sessionStarted: (nc) => {
        nc.subscribe(`${JOIN}*`, {
          // An error is a refused subscription, which the connection has reported.
          callback: (error, message) => {
            if (error === null) void answer(message, JOIN, (id, text) => listener.joinRequested(id, text));
          },
        });
        nc.subscribe(`${RENEW}*`, {
          callback: (error, message) => {
            if (error === null)
              void answer(message, RENEW, (id, text) => listener.renewalRequested(id, text));
          },
        });
      },
      sessionEnded: () => undefined,
      changed: (event) => listener.busChanged(event),
    },
  );
  return { close: () => connection.close() };
}
