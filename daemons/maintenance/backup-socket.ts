import { chmodSync, closeSync, constants, openSync, rmSync } from 'node:fs';
import { createConnection, createServer, type Socket } from 'node:net';
import { copyStores, type CopiedStore, type EnvironmentCopy } from '../../src/adapters/lmdb/copy-stores.ts';

/** Socket in `data.dir`. Only its owner may connect. */
const SOCKET = 'backup.sock';
const VERSION = 1;
/** Maximum number of characters of a line. */
const LINE_MAX = 65_536;

/** Request for copies of the stores in this directory. */
interface CopyRequest {
  readonly version: typeof VERSION;
  readonly directory: string;
}

type CopyAnswer =
  | { readonly version: typeof VERSION; readonly type: 'copied'; readonly copies: readonly EnvironmentCopy[] }
  | { readonly version: typeof VERSION; readonly type: 'failed'; readonly reason: string };

export interface BackupServer {
  close(): Promise<void>;
}

/** No service listens on the socket. */
class NoServiceError extends Error {
  override readonly name = 'NoServiceError';
}

/**
 * Starts the server that copies the open stores of this process for `callsheet backup`. Another process must not open
 * them: LMDB would then write the number of the last transaction that it read for the writer, and a commit of that
 * moment would be lost (docs/decisions/backup.md).
 */
export async function startBackupServer(
  dataDirectory: string,
  stores: readonly CopiedStore[],
): Promise<BackupServer> {
  const place = socketPlace(dataDirectory);
  // This process holds the locks of the stores, so an existing socket is that of a killed service.
  rmSync(place.path, { force: true });
  const callers = new Set<Socket>();
  const running = new Set<Promise<void>>();
  const server = createServer((socket) => {
    callers.add(socket);
    socket.on('close', () => callers.delete(socket));
    const answering = firstLine(socket)
      .then((line) => answer(socket, line, stores))
      .finally(() => running.delete(answering));
    running.add(answering);
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(place.path, resolve);
  });
  chmodSync(place.path, 0o600);
  return {
    close: async () => {
      for (const socket of callers) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
      // A store must not be closed while it is copied.
      await Promise.all(running);
      place.release();
    },
  };
}

async function answer(socket: Socket, line: string, stores: readonly CopiedStore[]): Promise<void> {
  if (line === '') return;
  let reply: CopyAnswer;
  try {
    const { directory } = requestOf(line);
    const copies = await copyStores(stores, directory);
    // The client has disconnected and will not remove the copies.
    if (socket.destroyed) for (const { path } of copies) rmSync(path, { force: true });
    reply = { version: VERSION, type: 'copied', copies };
  } catch (error) {
    reply = {
      version: VERSION,
      type: 'failed',
      reason: error instanceof Error ? error.message : String(error),
    };
  }
  if (!socket.destroyed) socket.end(`${JSON.stringify(reply)}\n`);
}

function requestOf(line: string): CopyRequest {
  const value: unknown = JSON.parse(line);
  if (
    typeof value === 'object' &&
    value !== null &&
    'version' in value &&
    value.version === VERSION &&
    'directory' in value &&
    typeof value.directory === 'string'
  )
    return { version: VERSION, directory: value.directory };
  throw new Error('the server and this command are of different versions');
}

/**
 * Requests copies of the stores from the service of a `data.dir`. Throws if no service answers or if it cannot copy
 * them.
 */
export async function requestStoreCopies(
  dataDirectory: string,
  directory: string,
): Promise<readonly EnvironmentCopy[]> {
  const place = socketPlace(dataDirectory);
  try {
    const socket = createConnection(place.path);
    await new Promise<void>((resolve, reject) => {
      socket.once('connect', resolve);
      socket.once('error', (error) =>
        reject(
          new NoServiceError(
            `${dataDirectory} is in use and no server answers there (it starts, stops or is compacted); try again: ${error.message}`,
          ),
        ),
      );
    });
    const request: CopyRequest = { version: VERSION, directory };
    socket.write(`${JSON.stringify(request)}\n`);
    return copiesOf(await firstLine(socket));
  } finally {
    place.release();
  }
}

/** Returns the first line that the peer sends, or an empty text if it disconnects before. */
function firstLine(socket: Socket): Promise<string> {
  return new Promise((resolve) => {
    let received = '';
    socket.setEncoding('utf8');
    socket.on('data', (text: string) => {
      received += text;
      const end = received.indexOf('\n');
      if (end !== -1) resolve(received.slice(0, end));
      else if (received.length > LINE_MAX) socket.destroy();
    });
    socket.on('error', () => socket.destroy());
    socket.on('close', () => resolve(''));
  });
}

function copiesOf(line: string): readonly EnvironmentCopy[] {
  if (line === '') throw new Error('the server stopped while it made the copies');
  // Only a service of this version writes it.
  const reply = JSON.parse(line) as CopyAnswer;
  if (reply.type === 'failed') throw new Error(reply.reason);
  return reply.copies;
}

/**
 * Returns the path of the socket through an open directory: a socket path may have at most 107 bytes, that of
 * `data.dir` more.
 */
function socketPlace(dataDirectory: string): { readonly path: string; readonly release: () => void } {
  const directory = openSync(dataDirectory, constants.O_RDONLY | constants.O_DIRECTORY);
  return { path: `/proc/self/fd/${directory}/${SOCKET}`, release: () => closeSync(directory) };
}
