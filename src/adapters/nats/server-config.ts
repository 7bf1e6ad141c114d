import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { SERVER_LIMITS } from './limits.ts';
import type { ListenAddress } from './server-address.ts';
import type { ServerBinary } from './server-binary.ts';

/** Returns the paths of the managed server's files, all in one folder. */
export const serverFiles = (folder: string) => ({
  config: join(folder, 'nats-server.conf'),
  log: join(folder, 'nats-server.log'),
  /** Output of the program before it has read its configuration, and of a panic. */
  output: join(folder, 'nats-server.out'),
  store: join(folder, 'store'),
});

/** Returns the name that identifies the server of this folder. */
export const serverName = (folder: string): string =>
  `callsheet-${createHash('sha256').update(folder).digest('hex').slice(0, 16)}`;

const quoted = (text: string): string => JSON.stringify(text);

/**
 * Returns the server's configuration: clients and JetStream, without monitoring, websocket, mqtt, leaf node or cluster
 * listener (docs/dependency-hazards.md#d14-the-worker-channel-has-no-authentication). The first line names the program,
 * so that another program results in another text.
 */
export function serverConfigText(folder: string, listen: ListenAddress, binary: ServerBinary): string {
  const files = serverFiles(folder);
  return [
    `# Written by Callsheet for ${binary.path} ${binary.version}; changes are lost.`,
    `host: ${quoted(listen.host)}`,
    `port: ${listen.port}`,
    `server_name: ${quoted(serverName(folder))}`,
    `max_payload: ${SERVER_LIMITS.payloadBytes}`,
    `log_file: ${quoted(files.log)}`,
    `logfile_size_limit: ${SERVER_LIMITS.logFileBytes}`,
    'jetstream {',
    `  store_dir: ${quoted(files.store)}`,
    `  max_file_store: ${SERVER_LIMITS.storeBytes}`,
    `  max_memory_store: ${SERVER_LIMITS.memoryStoreBytes}`,
    ...(binary.canSyncAlways ? ['  sync_interval: always'] : []),
    '}',
    '',
  ].join('\n');
}
