import { DiscardPolicy, RetentionPolicy, StorageType, type StreamConfig } from '@nats-io/jetstream';
import { nanos } from '@nats-io/transport-node';
import { MAX_RECORD_BYTES } from '../../../core/cluster/log-record.ts';
import { field, numberField, textField } from './api-reply.ts';
import { clusterNames } from './cluster-names.ts';

/** Bytes of the subject and the headers of a message. */
const ENVELOPE_BYTES = 16 * 1024;
/** The minimum of the server: records have no message ids. */
const DUPLICATE_WINDOW_MS = 100;
/** Keys of the metadata of the stream. */
const METADATA = { logId: 'callsheet-log', base: 'callsheet-base' } as const;

/** Identity of a log: all its records name the id. */
export interface LogIdentity {
  readonly logId: string;
  /**
   * State before the first record: an empty store, or that of a store from which the log was made. A node without a store
   * needs a copy of another node's store to follow a log of the second kind.
   */
  readonly base: 'empty' | 'store';
}

/** The log as its leader describes it. */
export interface LogInfo {
  /** Null if another program made the stream. */
  readonly identity: LogIdentity | null;
  /** Position of the first record; one more than the last if there is none. */
  readonly first: number;
  readonly last: number;
  /** Bytes of all records. */
  readonly bytes: number;
  /** Name of the server that leads the stream; null if it does not say so. */
  readonly leader: string | null;
  /** Names of the servers with the other copies, and whether each is complete. */
  readonly copies: readonly { readonly name: string; readonly isCurrent: boolean }[];
}

/** Returns the configuration of the stream of a new log. Only trimming removes records. */
export function logStreamConfig(cluster: string, replicas: number, { logId, base }: LogIdentity) {
  const { stream, log } = clusterNames(cluster);
  return {
    name: stream,
    subjects: [log],
    description: 'Changes of all nodes of the cluster. Do not delete it, and do not change it by hand.',
    retention: RetentionPolicy.Limits,
    storage: StorageType.File,
    discard: DiscardPolicy.New,
    num_replicas: replicas,
    max_msgs: -1,
    max_bytes: -1,
    max_age: 0,
    max_msg_size: MAX_RECORD_BYTES + ENVELOPE_BYTES,
    duplicate_window: nanos(DUPLICATE_WINDOW_MS),
    allow_direct: true,
    deny_delete: true,
    // Trimming purges the records up to a position.
    deny_purge: false,
    metadata: { [METADATA.logId]: logId, [METADATA.base]: base },
  } satisfies Partial<StreamConfig>;
}

/** Reads the answer of the leader to a request for information. Returns null if it does not have the fields. */
export function readLogInfo(fields: unknown): LogInfo | null {
  const state = field(fields, 'state');
  const last = numberField(state, 'last_seq');
  const messages = numberField(state, 'messages');
  const first = numberField(state, 'first_seq');
  if (last === null || first === null || messages === null) return null;
  const members = field(fields, 'cluster');
  const replicas = field(members, 'replicas');
  return {
    identity: readIdentity(field(field(fields, 'config'), 'metadata')),
    first: messages === 0 ? last + 1 : first,
    last,
    bytes: numberField(state, 'bytes') ?? 0,
    leader: textField(members, 'leader'),
    copies: Array.isArray(replicas)
      ? replicas.map((peer: unknown) => ({
          name: textField(peer, 'name') ?? '',
          isCurrent: field(peer, 'current') === true && field(peer, 'offline') !== true,
        }))
      : [],
  };
}

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

function readIdentity(metadata: unknown): LogIdentity | null {
  const logId = textField(metadata, METADATA.logId) ?? '';
  if (!UUID.test(logId)) return null;
  return { logId, base: textField(metadata, METADATA.base) === 'store' ? 'store' : 'empty' };
}
