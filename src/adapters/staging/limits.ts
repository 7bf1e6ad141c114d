const SECOND_MS = 1000;
const KIB = 1024;
const MIB = 1024 * KIB;
const GIB = 1024 * MIB;

/** Limits of staging. */
export const STAGING_LIMITS = {
  /** Files copied at the same time, over all sessions of a worker. */
  filesAtOnce: 4,
  /** Files and directories of one parameter. */
  entries: 200_000,
  /** Nesting of directories. */
  depth: 128,
  /** Symbolic links on the path of one file. */
  linkHops: 40,
  /** Bytes per read from a file. */
  chunkBytes: MIB,
  /** A file of at least this size is refused if less than one part in `sparseRatio` of it is allocated. */
  sparseBytes: GIB,
  sparseRatio: 64,
  /** Maximum size of an upload in one request, and minimum size of a part. */
  partBytes: 8 * MIB,
  /** Maximum memory of one part. */
  partBytesMax: 32 * MIB,
  /** Maximum number of parts of one object in S3. */
  parts: 10_000,
  /** Timeouts of connecting to S3, and of its silence. */
  s3ConnectMs: 10 * SECOND_MS,
  s3SilenceMs: 60 * SECOND_MS,
} as const;
