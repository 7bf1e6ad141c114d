/** Limits of making previews on a worker (docs/outputs.md#previews). */
export const MAKER_LIMITS = {
  /** Bytes of an image file. */
  fileBytes: 256 * 2 ** 20,
  /** Pixels of an image. */
  pixels: 2 ** 27,
  /** Memory of the process that decodes, in bytes (RLIMIT_DATA). */
  memoryBytes: 1536 * 2 ** 20,
  /** Processor time of that process. */
  cpuSeconds: 30,
  /** Time for all previews of an attempt, after which the process is killed. */
  timeMs: 60_000,
  /** Bytes of its output, after which it is killed: more than the previews of an attempt take. */
  outputBytes: 2 ** 20,
  /** Entries of a directory that are looked at. */
  entries: 10_000,
  /** Time by which the clock of a file server may be behind that of the worker. */
  clockSkewMs: 2_000,
  /** Priority of the process: the lowest. */
  niceness: 19,
  /** Attempts that wait for their previews. Further ones get none. */
  waiting: 256,
  /** Time for which the preview of an ended attempt is offered to an unreachable bus. */
  tries: 5,
} as const;
