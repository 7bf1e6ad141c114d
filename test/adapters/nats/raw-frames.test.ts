import { once } from 'node:events';
import { createServer, Socket, type AddressInfo } from 'node:net';
import { connect, NatsConnectionImpl, type NatsConnection } from '@nats-io/transport-node';
import { test, type Test } from 'tap';
import { writeRawFrames } from '../../../src/adapters/nats/raw-frames.ts';

const INFO = { server_id: 'S', version: '2.10.0', max_payload: 1_048_576, headers: true };

interface ConnectedClient {
  readonly nc: NatsConnection;
  /** Returns the PUB commands received so far, after a round trip. */
  received: () => Promise<readonly string[]>;
}

/** Connects the client to a server that only greets and answers pings. */
async function connected(t: Test): Promise<ConnectedClient> {
  let text = '';
  const server = createServer((socket) => {
    socket.write(`INFO ${JSON.stringify(INFO)}\r\n`);
    socket.on('error', () => undefined);
    socket.on('data', (data) => {
      const read = data.toString();
      text += read;
      for (const _ of read.matchAll(/^PING\r\n/gm)) socket.write('PONG\r\n');
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const nc = await connect({ servers: [`127.0.0.1:${port}`], reconnect: false });
  t.teardown(async () => {
    await nc.close();
    server.close();
  });
  return {
    nc,
    async received() {
      await nc.flush();
      return [...text.matchAll(/^PUB \S+ \d+\r\n.*\r\n/gm)].map(([command]) => command);
    },
  };
}

const frame = (subject: string, text: string): Buffer =>
  Buffer.from(`PUB ${subject} ${Buffer.byteLength(text)}\r\n${text}\r\n`);

test('the client has the internal members that the port uses', async (t) => {
  const { nc } = await connected(t);
  t.ok(nc instanceof NatsConnectionImpl, 'connect() returns a NatsConnectionImpl');
  if (!(nc instanceof NatsConnectionImpl)) return;
  t.type(Reflect.get(nc.protocol, 'sendCommand'), 'function', 'protocol.sendCommand');
});

test('raw frames arrive unchanged, in order with the commands of the client', async (t) => {
  const { nc, received } = await connected(t);
  nc.publish('a', '1');
  writeRawFrames(nc, [frame('b', '2'), frame('c', 'é')]);
  nc.publish('d', '4');
  writeRawFrames(nc, [Buffer.concat([frame('e', '5'), frame('f', '6')])]);
  t.same(await received(), [
    'PUB a 1\r\n1\r\n',
    'PUB b 1\r\n2\r\n',
    'PUB c 2\r\né\r\n',
    'PUB d 1\r\n4\r\n',
    'PUB e 1\r\n5\r\n',
    'PUB f 1\r\n6\r\n',
  ]);
});

test('raw frames are on the socket before a microtask that the caller queues afterwards', async (t) => {
  const { nc } = await connected(t);
  const written: string[] = [];
  // oxlint-disable-next-line typescript/unbound-method -- called with the socket below
  const { write } = Socket.prototype;
  t.intercept(Socket.prototype, 'write', {
    value(this: Socket, ...args: Parameters<typeof write>): boolean {
      written.push(Buffer.from(args[0] as Uint8Array).toString());
      return Reflect.apply(write, this, args);
    },
  });
  await Promise.resolve();
  writeRawFrames(nc, [frame('b', '2')]);
  await Promise.resolve();
  t.same(written, ['PUB b 1\r\n2\r\n']);
});

test('another connection class is rejected', (t) => {
  t.throws(() => writeRawFrames({} as NatsConnection, []), /NatsConnectionImpl with protocol.sendCommand/);
  t.end();
});
