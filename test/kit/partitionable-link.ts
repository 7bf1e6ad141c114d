import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Socket } from 'node:net';

/** A proxy to a loopback port that can be cut, like a network between two machines. */
export interface PartitionableLink {
  readonly port: number;
  /** Closes all connections and accepts no new ones. */
  cut(): void;
  heal(): void;
  /** Holds back what the target sends until `unmute`: requests arrive, and their answers do not. */
  mute(): void;
  unmute(): void;
  close(): Promise<void>;
}

export async function openPartitionableLink(target: number): Promise<PartitionableLink> {
  const sockets = new Set<Socket>();
  let isCut = false;
  let isMute = false;
  const answers = new Map<Socket, Socket>();
  const server = createServer((near) => {
    if (isCut) {
      near.destroy();
      return;
    }
    const far = connect(target, '127.0.0.1');
    for (const [socket, other] of [
      [near, far],
      [far, near],
    ] as const) {
      sockets.add(socket);
      // The end or error of one side closes the other.
      socket.on('error', () => other.destroy());
      socket.on('close', () => {
        sockets.delete(socket);
        other.destroy();
      });
      if (socket === near || !isMute) socket.pipe(other);
    }
    answers.set(far, near);
    far.on('close', () => answers.delete(far));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const cut = (): void => {
    isCut = true;
    for (const socket of sockets) socket.destroy();
  };
  return {
    port: (server.address() as AddressInfo).port,
    cut,
    heal: () => {
      isCut = false;
    },
    mute: () => {
      isMute = true;
      for (const [far, near] of answers) far.unpipe(near);
    },
    unmute: () => {
      isMute = false;
      for (const [far, near] of answers) far.pipe(near);
    },
    close: async () => {
      cut();
      server.close();
      await once(server, 'close');
    },
  };
}
