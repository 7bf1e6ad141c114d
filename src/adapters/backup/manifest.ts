import type { EnvironmentKind } from '../../core/ports/store.ts';

/** Formats of `callsheet backup`. The number increases when an older program could not restore the format. */
const STORES_FORMAT = 1;
/** Stores and keys of the bus. */
const KEYS_FORMAT = 2;

/** Returns the lowest format for a backup with these files. */
export const backupFormat = (files: readonly BackupFile[]): BackupManifest['backup'] =>
  files.length === 0 ? STORES_FORMAT : KEYS_FORMAT;

export const MANIFEST_NAME = 'callsheet-backup.json';
/** In the format of sha256sum(1). */
export const CHECKSUMS_NAME = 'SHA256SUMS';

/** A store inside a backup. */
export interface BackupPart {
  readonly kind: EnvironmentKind;
  /** Name of the entry. */
  readonly name: string;
  readonly bytes: number;
  /** Format of the store (store-format.ts). */
  readonly format: number;
}

/** A file of the keys of the bus (bus-key-files.ts). */
export interface BackupFile {
  /** Name of the entry, and path in `data.dir`. */
  readonly name: string;
  readonly bytes: number;
}

/** Description of a backup. */
export interface BackupManifest {
  readonly backup: typeof STORES_FORMAT | typeof KEYS_FORMAT;
  /** Version of the program that made it. */
  readonly made_by: string;
  /** RFC 3339, whole seconds. */
  readonly made_at: string;
  /** Id of the store. */
  readonly store_id: string;
  /** State first, then logs: they are copied in this order, so that the logs are not older than the state. */
  readonly parts: readonly BackupPart[];
  /** Keys of the bus, after the stores; absent in format 1. */
  readonly files?: readonly BackupFile[];
  /** The log of the cluster, and the last record that the state contains; absent in a backup of a single node. */
  readonly cluster?: BackupPosition;
}

/** Position of a backup in the log of a cluster. */
export interface BackupPosition {
  readonly log_id: string;
  readonly position: number;
  readonly epoch: number;
}

export const partName = (kind: EnvironmentKind): string => `${kind}/data.mdb`;

const KINDS: readonly EnvironmentKind[] = ['state', 'logs'];

export const manifestText = (manifest: BackupManifest): string => `${JSON.stringify(manifest, null, 2)}\n`;

export type ReadManifest =
  | { readonly ok: true; readonly manifest: BackupManifest }
  | { readonly ok: false; readonly reason: string };

/** Parses a manifest. A newer format is rejected with its number. */
export function readManifest(text: string): ReadManifest {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return { ok: false, reason: 'its manifest is damaged: invalid JSON' };
  }
  if (typeof value !== 'object' || value === null) return { ok: false, reason: 'its manifest is damaged' };
  const {
    backup,
    made_by: madeBy,
    made_at: madeAt,
    store_id: storeId,
    parts,
    files,
    cluster,
  } = value as Record<string, unknown>;
  if (typeof backup === 'number' && !isFormat(backup)) {
    const by = typeof madeBy === 'string' ? ` (made by version ${madeBy})` : '';
    return {
      ok: false,
      reason: `it has format ${backup}${by} and this program knows formats ${STORES_FORMAT} and ${KEYS_FORMAT}`,
    };
  }
  const isWhole =
    isFormat(backup) &&
    typeof madeBy === 'string' &&
    typeof madeAt === 'string' &&
    !Number.isNaN(Date.parse(madeAt)) &&
    typeof storeId === 'string' &&
    Array.isArray(parts) &&
    parts.length === KINDS.length &&
    KINDS.every((kind, at) => isPart(parts[at], kind)) &&
    (backup === KEYS_FORMAT ? areKeyFiles(files) : files === undefined) &&
    (cluster === undefined || isPosition(cluster));
  if (!isWhole) return { ok: false, reason: 'its manifest is damaged' };
  return {
    ok: true,
    manifest: {
      backup,
      made_by: madeBy,
      made_at: madeAt,
      store_id: storeId,
      parts: parts as BackupPart[],
      ...(backup === KEYS_FORMAT ? { files: files as BackupFile[] } : {}),
      ...(cluster === undefined ? {} : { cluster }),
    },
  };
}

function isPosition(value: unknown): value is BackupPosition {
  if (typeof value !== 'object' || value === null) return false;
  const { log_id: logId, position, epoch } = value as Record<string, unknown>;
  return (
    typeof logId === 'string' && logId !== '' && Number.isSafeInteger(position) && Number.isSafeInteger(epoch)
  );
}

const isFormat = (value: unknown): value is BackupManifest['backup'] =>
  value === STORES_FORMAT || value === KEYS_FORMAT;

/** Files that a backup may contain, each at most once and in this order: a restore writes no other paths. */
export const BUS_KEY_FILES: readonly string[] = ['bus/keys.json', 'bus/tls/ca.key', 'bus/tls/ca.pem'];
export const BUS_KEY_FILE_BYTES_MAX = 65_536;

function areKeyFiles(value: unknown): value is BackupFile[] {
  if (!Array.isArray(value) || value.length === 0) return false;
  let after = -1;
  return value.every((entry: unknown) => {
    if (typeof entry !== 'object' || entry === null) return false;
    const { name, bytes } = entry as Record<string, unknown>;
    const at = BUS_KEY_FILES.findIndex((each) => each === name);
    const isNext = at > after;
    after = at;
    return (
      isNext && Number.isSafeInteger(bytes) && Number(bytes) > 0 && Number(bytes) <= BUS_KEY_FILE_BYTES_MAX
    );
  });
}

function isPart(value: unknown, kind: EnvironmentKind): value is BackupPart {
  if (typeof value !== 'object' || value === null) return false;
  const { kind: ofKind, name, bytes, format } = value as Record<string, unknown>;
  return (
    ofKind === kind &&
    name === partName(kind) &&
    Number.isSafeInteger(bytes) &&
    Number(bytes) > 0 &&
    Number.isSafeInteger(format)
  );
}

/** Returns the last entry: a line for each previous entry. */
export const checksumsText = (sums: readonly (readonly [name: string, sha256: string])[]): string =>
  sums.map(([name, sum]) => `${sum}  ${name}\n`).join('');
