import { once } from 'node:events';
import { createServer, type AddressInfo } from 'node:net';

const LOOPBACK = '127.0.0.1';

async function listens(port: number, host: string): Promise<number | null> {
  const server = createServer();
  server.listen(port, host);
  try {
    await once(server, 'listening');
  } catch {
    return null;
  }
  const { port: taken } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return taken;
}

/**
 * Returns a free port of the loopback: the preferred one, or one that the system chooses. Another process may take it
 * before it is used; the server then reports that.
 */
export async function freePort(wished: number): Promise<number> {
  const free = await listens(wished, LOOPBACK);
  const port = free ?? (await listens(0, LOOPBACK));
  if (port === null) throw new Error('there is no free port on the loopback of this machine');
  return port;
}
