import type { EnvironmentKind } from '../../core/ports/store.ts';

/** Version of the format of `callsheet backup`. It increases when an older program could not restore the format. */
export const BACKUP_FORMAT = 1;

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

/** Description of a backup. */
export interface BackupManifest {
  readonly backup: typeof BACKUP_FORMAT;
  /** Version of the program that made it. */
  readonly made_by: string;
  /** RFC 3339, whole seconds. */
  readonly made_at: string;
  /** Id of the store. */
  readonly store_id: string;
  /** State first, then logs: they are copied in this order, so that the logs are not older than the state. */
  readonly parts: readonly BackupPart[];
}

export const partName = (kind: EnvironmentKind): string => `${kind}/data.mdb`;

const KINDS: readonly EnvironmentKind[] = ['state', 'logs'];

export const manifestText = (manifest: BackupManifest): string => `${JSON.stringify(manifest, null, 2)}\n`;

export type ReadManifest =
  { readonly ok: true; readonly manifest: BackupManifest } | { readonly ok: false; readonly reason: string };

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
  } = value as Record<string, unknown>;
  if (typeof backup === 'number' && backup !== BACKUP_FORMAT) {
    const by = typeof madeBy === 'string' ? ` (made by version ${madeBy})` : '';
    return {
      ok: false,
      reason: `it has format ${backup}${by} and this program knows format ${BACKUP_FORMAT}`,
    };
  }
  const isWhole =
    backup === BACKUP_FORMAT &&
    typeof madeBy === 'string' &&
    typeof madeAt === 'string' &&
    !Number.isNaN(Date.parse(madeAt)) &&
    typeof storeId === 'string' &&
    Array.isArray(parts) &&
    parts.length === KINDS.length &&
    KINDS.every((kind, at) => isPart(parts[at], kind));
  if (!isWhole) return { ok: false, reason: 'its manifest is damaged' };
  return {
    ok: true,
    manifest: { backup, made_by: madeBy, made_at: madeAt, store_id: storeId, parts: parts as BackupPart[] },
  };
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
