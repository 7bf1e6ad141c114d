import { Socket } from 'node:net';
import { NatsConnectionImpl, type NatsConnection } from '@nats-io/transport-node';
import { addressText } from './server-address.ts';

/**
 * Returns the addresses of the bus that an open connection has learned: the peer of its socket, whatever its name resolves
 * to now, and the other members of a cluster. `host:port` or `[IPv6]:port`.
 *
 * The socket is an internal of the client, which reports only names. The test of this file checks that it is there. Run it
 * after each update of the client.
 *
 * @throws Error if the connection is not of the expected class, or is closed.
 */
export function learnedServers(nc: NatsConnection): readonly string[] {
  return [peerAddress(nc), ...(nc.info?.connect_urls ?? [])];
}

function peerAddress(nc: NatsConnection): string {
  const transport = nc instanceof NatsConnectionImpl ? nc.protocol.transport : null;
  const socket = transport !== null && 'socket' in transport ? transport.socket : null;
  if (!(socket instanceof Socket))
    throw new Error('the NATS client is not the expected implementation: NodeTransport with socket');
  const { remoteAddress: host, remotePort: port } = socket;
  if (host === undefined || port === undefined) throw new Error('the connection was lost');
  return addressText({ host, port });
}
