import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';

/** A TCP server in the place of a directory, and everything that clients sent to it. */
export interface Endpoint {
  readonly url: string;
  readonly port: number;
  /** Number of connections so far. */
  connections(): number;
  /** All received bytes of all connections, as Latin-1 text. */
  received(): string;
  /** Resolves when every connection has ended. */
  allClosed(): Promise<void>;
  close(): Promise<void>;
}

/** Starts a server that calls `serve` for each connection. */
export async function startEndpoint(serve: (socket: Socket) => void): Promise<Endpoint> {
  const sockets = new Set<Socket>();
  let count = 0;
  let received = '';
  const server = createServer((socket) => {
    count++;
    sockets.add(socket);
    // A client may end the connection at any time: what it sent is what counts.
    socket.on('error', () => socket.destroy());
    socket.on('close', () => sockets.delete(socket));
    socket.on('data', (chunk) => (received += chunk.toString('latin1')));
    serve(socket);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  return {
    url: `ldap://127.0.0.1:${port}`,
    port,
    connections: () => count,
    received: () => received,
    allClosed: async () => {
      for (const socket of sockets) await once(socket, 'close');
    },
    close: async () => {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, 'close');
    },
  };
}

/** Starts a server that passes all bytes to a port and back, and counts. */
export const startRelay = (port: number): Promise<Endpoint> =>
  startEndpoint((socket) => {
    const onward = connect(port, '127.0.0.1');
    onward.on('error', () => socket.destroy());
    onward.on('close', () => socket.destroy());
    socket.on('close', () => onward.destroy());
    socket.pipe(onward).pipe(socket);
  });

/** Starts a server that answers the first request of a connection with these bytes and then does `next`. */
export const startAnswering = (
  answer: Buffer,
  next: 'end' | 'stay' | 'relay' = 'stay',
  onwardPort = 0,
): Promise<Endpoint> =>
  startEndpoint((socket) => {
    socket.once('data', () => {
      socket.write(answer);
      if (next === 'end') socket.end();
      if (next !== 'relay') return;
      const onward = connect(onwardPort, '127.0.0.1');
      onward.on('error', () => socket.destroy());
      socket.on('close', () => onward.destroy());
      socket.pipe(onward).pipe(socket);
    });
  });

/** Starts a server that passes all bytes to a port and back, until a client has sent `count` pieces: then it is silent. */
export const startStalling = (port: number, count: number): Promise<Endpoint> => {
  let passed = 0;
  return startEndpoint((socket) => {
    const onward = connect(port, '127.0.0.1');
    onward.on('error', () => socket.destroy());
    socket.on('close', () => onward.destroy());
    onward.on('data', (chunk) => socket.write(chunk));
    socket.on('data', (chunk) => {
      if (passed++ < count) onward.write(chunk);
    });
  });
};

/** Returns the bytes of one BER value with a definite length. */
export function ber(tag: number, ...content: readonly Buffer[]): Buffer {
  const body = Buffer.concat(content);
  const length =
    body.length < 0x80
      ? Buffer.from([body.length])
      : Buffer.from([0x82, body.length >> 8, body.length & 0xff]);
  return Buffer.concat([Buffer.from([tag]), length, body]);
}

/** Returns an LDAP result message: `operation` is the tag of the response. */
export const ldapResult = (id: number, operation: number, code: number, message = ''): Buffer =>
  ber(
    0x30,
    ber(0x02, Buffer.from([id])),
    ber(operation, ber(0x0a, Buffer.from([code])), ber(0x04), ber(0x04, Buffer.from(message))),
  );

export const EXTENDED_RESPONSE = 0x78;
export const BIND_RESPONSE = 0x61;
