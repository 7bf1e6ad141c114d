import {
  DiscardPolicy,
  JetStreamApiCodes,
  JetStreamApiError,
  jetstreamManager,
  RetentionPolicy,
  StorageType,
  type JetStreamManager,
  type PeerInfo,
  type StreamConfig,
  type StreamInfo,
} from '@nats-io/jetstream';
import { nanos, type NatsConnection } from '@nats-io/transport-node';
import { CLUSTER_REPLICAS } from '../../core/config/cluster-config.ts';
import type { BusEvent } from '../../core/ports/bus.ts';
import { STREAMS, type StreamDefinition } from '../../core/wire/subjects.ts';
import { CONNECTION_LIMITS, STREAM_LIMITS } from './limits.ts';

export type StreamKind = keyof typeof STREAMS;

/** Returns access to the JetStream API of a connection, without a request. */
export const managerOf = (nc: NatsConnection): Promise<JetStreamManager> =>
  jetstreamManager(nc, { checkAPI: false, timeout: CONNECTION_LIMITS.apiMs });

/** Required configuration of a stream. Other fields belong to the operator of the server (placement, description). */
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

/** The server refuses to change these: only a new stream can have other ones. */
const FIXED: ReadonlySet<string> = new Set(['name', 'retention', 'storage']);

/** Returns the fields whose values differ from the required ones. */
function changedFields(have: StreamConfig, want: ReturnType<typeof configOf>): readonly string[] {
  return Object.entries(want).flatMap(([field, value]) =>
    JSON.stringify(have[field as keyof StreamConfig]) === JSON.stringify(value) ? [] : [field],
  );
}

/** Returns the stream, or null if the server has none of this kind. */
export const findStream = (manager: JetStreamManager, kind: StreamKind): Promise<StreamInfo | null> =>
  findNamedStream(manager, STREAMS[kind].name);

/** Returns the stream with this name, or null if the server has none. */
export async function findNamedStream(manager: JetStreamManager, name: string): Promise<StreamInfo | null> {
  try {
    return await manager.streams.info(name);
  } catch (error) {
    const isMissing = error instanceof JetStreamApiError && error.code === JetStreamApiCodes.StreamNotFound;
    if (isMissing) return null;
    throw error;
  }
}

/** Number of copies of the streams. */
export interface Replicas {
  readonly count: number;
  /** False: fewer copies are accepted if the cluster has too few servers. */
  readonly isRequired: boolean;
}

/**
 * Returns the number of copies on the bus of a connection: the configured one, or else three on a cluster. Null: on a
 * single server the number is left as it is.
 */
export function replicasOn(nc: NatsConnection, configured: number | null): Replicas | null {
  if (configured !== null) return { count: configured, isRequired: true };
  return isCluster(nc) ? { count: CLUSTER_REPLICAS, isRequired: false } : null;
}

function isCluster(nc: NatsConnection): boolean {
  const cluster: unknown = nc.info === undefined ? undefined : Reflect.get(nc.info, 'cluster');
  return typeof cluster === 'string' && cluster !== '';
}

/** Returns the number of copies to request, or null to leave it as it is. A larger number than the default is kept. */
function wantedReplicas(have: StreamConfig, replicas: Replicas | null): number | null {
  if (replicas === null || have.num_replicas === replicas.count) return null;
  return !replicas.isRequired && have.num_replicas > replicas.count ? null : replicas.count;
}

/**
 * Creates the stream, or repairs it. May be called at any time and from several threads. Throws the server's error, or an
 * error that names the settings which cannot be repaired.
 */
export async function ensureStream(
  manager: JetStreamManager,
  kind: StreamKind,
  replicas: Replicas | null,
): Promise<Repair> {
  const found = await findStream(manager, kind);
  if (found !== null) return repairStream(manager, kind, found, replicas);
  const want = configOf(kind);
  try {
    const info = await withReplicas(replicas?.count ?? null, replicas, (extra) =>
      manager.streams.add({ ...want, ...extra }),
    );
    return { info, repaired: [] };
  } catch (error) {
    // Also refused if another thread creates the stream at the same moment: its space is then already reserved.
    const made = await findStream(manager, kind);
    if (made === null) throw error;
    return repairStream(manager, kind, made, replicas);
  }
}

export interface Repair {
  readonly info: StreamInfo;
  /** Names of the settings that were repaired; empty if there were none. */
  readonly repaired: readonly string[];
}

/** Reports the repaired settings, if there are any. */
export function noteRepair({ info, repaired }: Repair, changed: (event: BusEvent) => void): void {
  if (repaired.length === 0) return;
  changed({ type: 'stream-repaired', stream: info.config.name, settings: repaired.join(', ') });
}

/**
 * Restores the required settings of an existing stream; it keeps its messages.
 *
 * @throws Error if the server refuses it, or if it cannot change a setting.
 */
export async function repairStream(
  manager: JetStreamManager,
  kind: StreamKind,
  { config: have, ...rest }: StreamInfo,
  replicas: Replicas | null,
): Promise<Repair> {
  const want = configOf(kind);
  const changed = changedFields(have, want);
  const fixed = changed.filter((field) => FIXED.has(field));
  const copies = wantedReplicas(have, replicas);
  let info: StreamInfo = { ...rest, config: have };
  if (changed.length > fixed.length || copies !== null) {
    const kept = Object.fromEntries(fixed.map((field) => [field, have[field as keyof StreamConfig]]));
    info = await withReplicas(copies, replicas, (extra) =>
      changed.length > fixed.length || 'num_replicas' in extra
        ? manager.streams.update(want.name, { ...want, ...kept, ...extra })
        : Promise.resolve(info),
    );
  }
  if (fixed.length > 0) throw new Error(unrepairable(want, have, fixed));
  const gained = info.config.num_replicas === have.num_replicas ? [] : ['num_replicas'];
  return { info, repaired: [...changed, ...gained] };
}

/** Returns why the stream cannot get its required settings, or null. */
export function settingsFault(kind: StreamKind, { config }: StreamInfo): string | null {
  const want = configOf(kind);
  const fixed = changedFields(config, want).filter((field) => FIXED.has(field));
  return fixed.length === 0 ? null : unrepairable(want, config, fixed);
}

function unrepairable(
  want: ReturnType<typeof configOf>,
  have: StreamConfig,
  fixed: readonly string[],
): string {
  const shown = fixed.map((field) => {
    const [is, wanted] = [have, want].map((config) => String(Reflect.get(config, field)));
    return `${field} is ${String(is)} and must be ${String(wanted)}`;
  });
  return `${shown.join(', ')}; the server cannot change this: delete the stream, and the service creates it again`;
}

/** Requests a number of copies. If the cluster cannot have them and they are not required, tries without. */
async function withReplicas(
  copies: number | null,
  replicas: Replicas | null,
  request: (extra: Partial<StreamConfig>) => Promise<StreamInfo>,
): Promise<StreamInfo> {
  if (copies === null) return request({});
  try {
    return await request({ num_replicas: copies });
  } catch (error) {
    if (replicas?.isRequired !== false || !(error instanceof JetStreamApiError)) throw error;
    return request({});
  }
}

/** Returns why no member of the stream can answer, or null. */
export const leaderFault = ({ cluster }: StreamInfo): string | null =>
  cluster !== undefined && (cluster.leader === undefined || cluster.leader === '')
    ? 'it has no leader'
    : null;

/** A server marks a peer as offline only after minutes. Peers exchange heartbeats every second. */
const SILENT_NANOS = nanos(10_000);

const isUnreachable = ({ offline, current, active }: PeerInfo): boolean =>
  offline === true || (!current && active > SILENT_NANOS);

/** Returns the servers with a copy of the stream that are unreachable, as text; null if there is none. */
export function missingReplicas({ cluster }: StreamInfo): string | null {
  const names = (cluster?.replicas ?? []).filter(isUnreachable).map(({ name }) => name);
  return names.length === 0 ? null : `the copy on ${names.sort().join(', ')} is unreachable`;
}
