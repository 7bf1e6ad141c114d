import { once } from 'node:events';
import { connect, createServer, type Server, type Socket } from 'node:net';
import type { Cut, Line, Network } from './lines.ts';

/**
 * A proxy for each worker, for systems without permission to create network namespaces. During a cut the proxy does not
 * read from the sender. The data is forwarded after the cut, like retransmitted packets. New connections wait.
 */
export class ProxyNetwork implements Network {
  readonly kind = 'proxies';
  readonly busAddress: string;
  private readonly busPort: number;
  private readonly proxies: Proxy[] = [];

  constructor(busPort: number) {
    this.busPort = busPort;
    this.busAddress = `127.0.0.1:${busPort}`;
  }

  async line(): Promise<Line> {
    const proxy = new Proxy(this.busPort);
    this.proxies.push(proxy);
    const port = await proxy.listen();
    return {
      busUrl: `nats://127.0.0.1:${port}`,
      launcher: [],
      cut: (direction) => proxy.cut(direction),
      heal: () => proxy.heal(),
    };
  }

  async close(): Promise<void> {
    await Promise.all(this.proxies.map((proxy) => proxy.close()));
  }
}

class Proxy {
  private readonly busPort: number;
  private readonly server: Server;
  private readonly pairs = new Set<readonly [worker: Socket, bus: Socket]>();
  private direction: Cut | null = null;

  constructor(busPort: number) {
    this.busPort = busPort;
    this.server = createServer((worker) => this.join(worker));
  }

  async listen(): Promise<number> {
    this.server.listen(0, '127.0.0.1');
    await once(this.server, 'listening');
    const address = this.server.address();
    if (address === null || typeof address === 'string') throw new Error('the proxy has no port');
    return address.port;
  }

  cut(direction: Cut): void {
    this.direction = direction;
    for (const pair of this.pairs) this.hold(pair);
  }

  heal(): void {
    this.direction = null;
    for (const [worker, bus] of this.pairs) {
      worker.resume();
      bus.resume();
    }
  }

  async close(): Promise<void> {
    for (const pair of this.pairs) for (const socket of pair) socket.destroy();
    this.server.close();
    await once(this.server, 'close');
  }

  private join(worker: Socket): void {
    const bus = connect(this.busPort, '127.0.0.1');
    const pair = [worker, bus] as const;
    this.pairs.add(pair);
    pass(worker, bus);
    pass(bus, worker);
    for (const socket of pair) {
      socket.once('close', () => {
        this.pairs.delete(pair);
      });
    }
    this.hold(pair);
  }

  private hold([worker, bus]: readonly [Socket, Socket]): void {
    if (this.direction === null) return;
    if (this.direction !== 'from-bus') worker.pause();
    if (this.direction !== 'to-bus') bus.pause();
  }
}

function pass(from: Socket, to: Socket): void {
  from.on('data', (bytes) => {
    to.write(bytes);
  });
  from.on('end', () => to.end());
  from.on('error', () => to.destroy());
  from.on('close', () => to.destroy());
}
