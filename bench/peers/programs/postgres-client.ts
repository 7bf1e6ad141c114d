import { loadPackage, type Order } from './host.ts';

interface Client {
  release(): void;
  on(event: 'error', listener: (error: Error) => void): void;
}

/** The used part of pg 8. */
export interface Pool {
  connect(): Promise<Client>;
  query(text: string): Promise<{ readonly rows: readonly object[] }>;
  on(event: 'error', listener: (error: Error) => void): void;
  on(event: 'connect', listener: (client: Client) => void): void;
}

interface Pg {
  readonly Pool: new (options: { connectionString: string; max: number; idleTimeoutMillis: number }) => Pool;
}

export const connectionString = ({ port }: Order): string => `postgres://bench@127.0.0.1:${port}/postgres`;

/** A pool with open connections, so that opening them is not timed. */
export async function openPool(order: Order, size: number): Promise<Pool> {
  const { Pool } = loadPackage(order.packages, 'pg') as Pg;
  const pool = new Pool({ connectionString: connectionString(order), max: size, idleTimeoutMillis: 0 });
  pool.on('error', fail);
  pool.on('connect', (client) => client.on('error', fail));
  const clients = await Promise.all(Array.from({ length: size }, () => pool.connect()));
  for (const client of clients) client.release();
  return pool;
}

function fail(error: Error): never {
  console.error(error);
  process.exit(1);
}
