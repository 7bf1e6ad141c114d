import {
  DiscardPolicy,
  JetStreamApiCodes,
  JetStreamApiError,
  jetstreamManager,
  RetentionPolicy,
  StorageType,
  type JetStreamManager,
  type StreamConfig,
  type StreamInfo,
} from '@nats-io/jetstream';
import { nanos, type NatsConnection } from '@nats-io/transport-node';
import { STREAMS, type StreamDefinition } from '../../core/wire/subjects.ts';
import { CONNECTION_LIMITS, STREAM_LIMITS } from './limits.ts';

export type StreamKind = keyof typeof STREAMS;

/** Returns access to the JetStream API of a connection, without a request. */
export const managerOf = (nc: NatsConnection): Promise<JetStreamManager> =>
  jetstreamManager(nc, { checkAPI: false, timeout: CONNECTION_LIMITS.apiMs });

/** Required configuration of a stream. Other fields belong to the operator of the server (replicas, placement). */
function configOf(kind: StreamKind) {
  const definition: StreamDefinition = STREAMS[kind];
  const limits = STREAM_LIMITS[kind];
  return {
    name: definition.name,
    subjects: [...definition.subjects],
    retention: RetentionPolicy.Limits,
    storage: StorageType.File,
    discard: DiscardPolicy.Old,
    max_age: nanos(definition.retentionMs),
    max_bytes: limits.bytes,
    max_msg_size: limits.messageBytes,
    duplicate_window: nanos(limits.duplicateWindowMs),
    allow_direct: true,
  } satisfies Partial<StreamConfig>;
}

const isAsWanted = (have: StreamConfig, want: ReturnType<typeof configOf>): boolean =>
  Object.entries(want).every(
    ([field, value]) => JSON.stringify(have[field as keyof StreamConfig]) === JSON.stringify(value),
  );

async function find(manager: JetStreamManager, name: string): Promise<StreamInfo | null> {
  try {
    return await manager.streams.info(name);
  } catch (error) {
    const isMissing = error instanceof JetStreamApiError && error.code === JetStreamApiCodes.StreamNotFound;
    if (isMissing) return null;
    throw error;
  }
}

/**
 * Creates the stream, or updates it to the required configuration. May be called at any time and from several threads.
 * Throws the server's error, for example if the stream exists with another storage type.
 */
export async function ensureStream(manager: JetStreamManager, kind: StreamKind): Promise<StreamInfo> {
  const want = configOf(kind);
  let have = await find(manager, want.name);
  if (have === null) {
    try {
      return await manager.streams.add(want);
    } catch (error) {
      // Also refused if another thread creates the stream at the same moment: its space is then already reserved.
      have = await find(manager, want.name);
      if (have === null) throw error;
    }
  }
  return isAsWanted(have.config, want) ? have : manager.streams.update(want.name, want);
}
