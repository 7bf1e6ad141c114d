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
 * A port of the loopback that nobody listens on: the wished one, or else one that the system chooses. Someone may take it
 * before it is used; the service then says so.
 */
export async function freePort(wished: number): Promise<number> {
  const free = await listens(wished, LOOPBACK);
  const port = free ?? (await listens(0, LOOPBACK));
  if (port === null) throw new Error('this machine has no free port on its loopback');
  return port;
}
