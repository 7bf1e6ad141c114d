const SECOND_MS = 1000;
const KIB = 1024;
const MIB = 1024 * KIB;
const GIB = 1024 * MIB;

/** Named limits of staging. */
export const STAGING_LIMITS = {
  /** Files that are copied at once, over all sessions of a worker. */
  filesAtOnce: 4,
  /** Files and directories of one parameter. */
  entries: 200_000,
  /** Directories inside directories. */
  depth: 128,
  /** Symbolic links on the way to one file. */
  linkHops: 40,
  /** Read at once from a file. */
  chunkBytes: MIB,
  /** A file of at least this size is refused when it holds less than one part in `sparseRatio` of it. */
  sparseBytes: GIB,
  sparseRatio: 64,
  /** Up to this an object is put in one piece, and a part is at least this. */
  partBytes: 8 * MIB,
  /** The most of memory that one part may take. */
  partBytesMax: 32 * MIB,
  /** S3 takes no more parts of one object. */
  parts: 10_000,
  /** How long a connection to S3 may take, and how long it may be silent. */
  s3ConnectMs: 10 * SECOND_MS,
  s3SilenceMs: 60 * SECOND_MS,
} as const;
