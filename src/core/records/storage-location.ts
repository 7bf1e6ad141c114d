import { computeLocationNameWrong } from './compute-location.ts';

/**
 * A storage location (docs/contract/resources.md#storage-location): the same files at different roots, by compute
 * location.
 */
export interface StorageLocationRecord {
  readonly version: 1;
  readonly id: string;
  readonly name: string;
  readonly description: string;
  /** In the order given; at most one per compute location. */
  readonly roots: readonly StorageRoot[];
  /** Milliseconds since the epoch. */
  readonly createdAt: number;
  readonly updatedAt: number;
}

export interface StorageRoot {
  /** Name of a compute location, or DEFAULT_ROOT for all that have no root of their own. */
  readonly place: string;
  /** An absolute path, or `s3://bucket[/prefix]`. */
  readonly root: string;
}

/** Name of the fallback root (docs/contract/resources.md#storage-location). */
export const DEFAULT_ROOT = 'default';

export const STORAGE_LIMITS = {
  /** Roots of one location. */
  roots: 1000,
  /** Characters of one root. */
  rootLength: 4096,
  /** Total characters of the roots of all locations: they are sent with every lease. */
  rootsLength: 128 * 1024,
} as const;

export type StorageType = 'filesystem' | 's3' | 'mixed';

/** Returns the kind of the roots of a location; one without roots is a `filesystem`. */
export function storageTypeOf(roots: readonly StorageRoot[]): StorageType {
  const onS3 = roots.filter(({ root }) => isS3(root)).length;
  if (onS3 === 0) return 'filesystem';
  return onS3 === roots.length ? 's3' : 'mixed';
}

/** Returns why a text is not a valid compute location of a root, or null. */
export const storageRootKeyError = (place: string): string | null =>
  place === DEFAULT_ROOT ? null : computeLocationNameWrong(place);

/** Returns why a text is not a valid root of a storage location, or null (docs/decisions/catalog.md). */
export function storageRootWrong(root: string): string | null {
  if (root.length > STORAGE_LIMITS.rootLength) {
    return `must not have more than ${STORAGE_LIMITS.rootLength} characters`;
  }
  if (CONTROL.test(root)) return 'must not hold control characters';
  return isS3(root) ? s3Wrong(root) : pathWrong(root);
}

const CONTROL = /[\u0000-\u001f\u007f]/;
const S3_SCHEME = 's3://';

/** A text that begins like an s3 root is treated as one, well-formed or not. */
const isS3 = (root: string): boolean => /^s3:/i.test(root);

/** Lower case letters, digits, dots and hyphens, with a letter or digit at both ends. */
const BUCKET = /^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/;
const IPV4 = /^\d+\.\d+\.\d+\.\d+$/;
/** Characters that have a special meaning in a URI. */
const NOT_IN_PREFIX = /[\s?#\\]/u;

function s3Wrong(root: string): string | null {
  if (!root.startsWith(S3_SCHEME)) return 'must be s3://bucket[/prefix]';
  const [bucket = '', ...segments] = root.slice(S3_SCHEME.length).split('/');
  if (!BUCKET.test(bucket) || bucket.includes('..') || IPV4.test(bucket)) {
    return 'must name a bucket of 3 to 63 lower case letters, digits, dots and hyphens: s3://bucket[/prefix]';
  }
  if (segments.at(-1) === '') segments.pop();
  const isSound = segments.every((segment) => segment !== '' && !NOT_IN_PREFIX.test(segment));
  return isSound ? null : 'must not have a prefix with whitespace, "?", "#", backslashes or empty segments';
}

const POSIX = /^\//;
const DRIVE = /^[A-Za-z]:[\\/]/;
const UNC = /^\\\\[^\\/]+[\\/][^\\/]+/;

function pathWrong(root: string): string | null {
  if (!POSIX.test(root) && !DRIVE.test(root) && !UNC.test(root)) {
    return 'must be an absolute path (/mnt/a, C:\\a or \\\\server\\share) or s3://bucket[/prefix]';
  }
  const separator = POSIX.test(root) ? /\// : /[\\/]/;
  const climbs = root.split(separator).some((part) => part === '.' || part === '..');
  return climbs ? 'must not have "." or ".." in its path' : null;
}
