import { execFileSync } from 'node:child_process';
import { chownSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { benchDirectory, freePort } from '../kit/service.ts';
import type { Installation } from './installation.ts';
import { startServer } from './server-process.ts';

/** A PostgreSQL server with an empty database `postgres` of the user `bench`. */
export interface Postgres {
  readonly port: number;
  stop(): Promise<void>;
}

/** Text for the table of settings. */
export const POSTGRES_SETTINGS =
  'PostgreSQL: fsync and synchronous_commit on, shared_buffers 512 MB, max_wal_size 4 GB, jit off';

/** Commits are flushed, as by default; memory and log are as its manual recommends for a server of this size. */
export async function startPostgres(installation: Installation, connections: number): Promise<Postgres> {
  const folder = await benchDirectory();
  const data = join(folder, 'data');
  const user = serverUser();
  if (user !== undefined) chownSync(folder, user.uid, user.gid);
  execFileSync(
    installation.program('initdb'),
    ['-D', data, '-A', 'trust', '-U', 'bench', '--no-sync', '-E', 'UTF8', '--locale=C'],
    { stdio: ['ignore', 'ignore', 'pipe'], cwd: '/', ...user },
  );
  const port = await freePort();
  const settings = {
    listen_addresses: '127.0.0.1',
    unix_socket_directories: folder,
    max_connections: connections,
    fsync: 'on',
    synchronous_commit: 'on',
    full_page_writes: 'on',
    shared_buffers: '512MB',
    max_wal_size: '4GB',
    jit: 'off',
  };
  const isReady = installation.program('pg_isready');
  const server = await startServer({
    program: installation.program('postgres'),
    args: [
      ...['-D', data, '-p', String(port)],
      ...Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]),
    ],
    // A fast shutdown does not wait for clients.
    signal: 'SIGINT',
    ...(user === undefined ? {} : { user }),
    isReady: () => {
      try {
        execFileSync(isReady, ['-q', '-h', '127.0.0.1', '-p', String(port)], { stdio: 'ignore' });
        return true;
      } catch {
        return false;
      }
    },
  });
  return {
    port,
    stop: async () => {
      await server.stop();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** PostgreSQL refuses to run as root: returns the user that its package created. */
function serverUser(): { uid: number; gid: number } | undefined {
  if (process.getuid?.() !== 0) return undefined;
  const id = (flag: string): number => Number(execFileSync('id', [flag, 'postgres'], { encoding: 'utf8' }));
  return { uid: id('-u'), gid: id('-g') };
}
