import { nodeOfServer } from '../cluster-servers.ts';
import { readApiReply } from './api-reply.ts';
import { clusterNames } from './cluster-names.ts';
import { readLogInfo } from './stream-config.ts';

/** Subject of the request for the state of the stream of a cluster's log; its leader answers. */
export const streamInfoSubject = (cluster: string): string =>
  `$JS.API.STREAM.INFO.${clusterNames(cluster).stream}`;

/** Returns the node whose nats-server leads the stream, by the answer to that request; null if it does not say. */
export function leaderOf(payload: Uint8Array): string | null {
  const reply = readApiReply(payload);
  if (reply.type === 'error') return null;
  const leader = readLogInfo(reply.fields)?.leader ?? '';
  return leader === '' ? null : nodeOfServer(leader);
}
