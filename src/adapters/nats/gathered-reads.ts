import { Socket } from 'node:net';
import { TLSSocket } from 'node:tls';
import { NatsConnectionImpl, type NatsConnection } from '@nats-io/transport-node';

/**
 * Lets a connection with TLS process all that it reads in one turn of the event loop as one piece, as a connection without TLS
 * does. To be called as soon as it is open.
 *
 * nats-server encrypts nearly every message as a record of its own, and Node.js emits the content of each record alone, with all
 * microtasks after each. What is processed together in one turn (a group of leases, their commit, one write for all replies) would
 * be one message only (docs/benchmarks.md#authentication-of-the-bus).
 *
 * The socket is an internal of the client, as in `peer-address.ts`, and so is that the client reads it by `data` events. The test
 * of this file checks both. Run it after each update of the client.
 *
 * @throws Error if the connection is not of the expected class, or reads its socket in another way.
 */
export function gatherReads(nc: NatsConnection): void {
  const transport = nc instanceof NatsConnectionImpl ? nc.protocol.transport : null;
  const socket = transport !== null && 'socket' in transport ? transport.socket : null;
  // The client forgets the socket of a connection that was lost meanwhile.
  if (socket === undefined) return;
  if (!(socket instanceof Socket))
    throw new Error('the NATS client is not the expected implementation: NodeTransport with socket');
  if (!(socket instanceof TLSSocket)) return;
  const [receive, ...others] = socket.listeners('data');
  if (receive === undefined || others.length > 0)
    throw new Error('the NATS client is not the expected implementation: one listener of data');
  let gathered: Buffer[] = [];
  const pass = (): void => {
    const chunks = gathered;
    gathered = [];
    if (chunks.length > 0)
      Reflect.apply(receive, socket, [chunks.length === 1 ? chunks[0] : Buffer.concat(chunks)]);
  };
  socket.removeAllListeners('data');
  socket.on('data', (chunk: Buffer) => {
    // The event loop runs immediates after it has read all sockets that are ready.
    if (gathered.push(chunk) === 1) setImmediate(pass);
  });
  // The client must have all bytes before it learns of the end.
  socket.prependListener('end', pass);
  socket.prependListener('close', pass);
}
