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

/** Access to the JetStream API of a connection. No request is made. */
export const managerOf = (nc: NatsConnection): Promise<JetStreamManager> =>
  jetstreamManager(nc, { checkAPI: false, timeout: CONNECTION_LIMITS.apiMs });

/** What a stream has to be. Fields that are not named here belong to whoever runs the server (replicas, placement). */
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
 * Makes the stream, or brings it to what it has to be, or finds it so. May be called at any time and from several
 * threads. Throws what the server answers, for example when the stream exists with another storage.
 */
export async function ensureStream(manager: JetStreamManager, kind: StreamKind): Promise<StreamInfo> {
  const want = configOf(kind);
  let have = await find(manager, want.name);
  if (have === null) {
    try {
      return await manager.streams.add(want);
    } catch (error) {
      // Refused too when another thread makes the stream in the same moment: its room is then taken already.
      have = await find(manager, want.name);
      if (have === null) throw error;
    }
  }
  return isAsWanted(have.config, want) ? have : manager.streams.update(want.name, want);
}
