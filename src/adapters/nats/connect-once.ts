import { connect, type NatsConnection, type NodeConnectionOptions } from '@nats-io/transport-node';
import { accessOptions } from './access.ts';
import { CONNECTION_LIMITS } from './limits.ts';
import type { ServerList } from './server-address.ts';

/** An open connection to a server. */
export type OpenConnection = NatsConnection;

/**
 * Opens a connection that does not reconnect. `options` replace those of the configured access. Rejects with the reason if
 * the server is unreachable or refuses it.
 */
export const connectOnce = (
  servers: ServerList,
  name: string,
  options: Pick<NodeConnectionOptions, 'authenticator' | 'tls'> = {},
): Promise<NatsConnection> =>
  connect({
    servers: [...servers.servers],
    name,
    reconnect: false,
    timeout: CONNECTION_LIMITS.dialMs,
    noAsyncTraces: true,
    ...accessOptions(servers),
    ...options,
  });
