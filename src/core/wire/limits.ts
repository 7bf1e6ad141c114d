/** The limits of the worker-facing bus. Texts are counted in characters; a message of n bytes never has more than n. */
export const WIRE_LIMITS = {
  /** Depth of nested brackets in any message. */
  nesting: 32,
  presenceText: 512 * 1024,
  statusText: 256 * 1024,
  logText: 512 * 1024,
  previewText: 128 * 1024,
  cancelText: 8 * 1024,
  diagnosticText: 512 * 1024,
  leaseRequestText: 512 * 1024,
  /** Ends of attempts in one lease request. */
  reportsPerRequest: 256,
  presenceReplyText: 512 * 1024,
  leaseReplyText: 8 * 1024 * 1024,
  /** Names of workers, hosts, farms, queues, locations, tags. */
  name: 512,
  /** Opaque tokens: an incarnation, a session id. */
  token: 128,
  inbox: 256,
  tags: 256,
  tagValue: 1024,
  queues: 1024,
  /** Extensions of a template. */
  extensions: 64,
  openAttempts: 4096,
  /** Longest `scheduler.reclaim_after`: 7 days. */
  reclaimAfterMs: 7 * 86_400_000,
  /** Longest time for which a worker continues without a service, because the bus says that there is none. */
  absenceMs: 366 * 86_400_000,
  cpuCount: 65_536,
  memoryMib: 2 ** 40,
  cpuSeconds: 10 ** 10,
  gpus: 1024,
  /** Further amounts of a worker, and the largest value of one. */
  amounts: 64,
  amount: 2 ** 40,
  isolationParts: 64,
  /** The worker's message of a status, the reason of a cancel or refusal. */
  message: 8 * 1024,
  /** Lines of the log with the report of a failed attempt. */
  failureExcerpt: 2 * 1024,
  /** Text of one log chunk: even if each character is escaped with six, it fits a log message. */
  logData: 64 * 1024,
  assignments: 4096,
  /** Data that the tasks of one step share in a lease reply. */
  stepAssignmentBytes: 1024 * 1024,
  /** Steps in one lease: their assignments and the tasks fit a lease reply. */
  stepsPerLease: 5,
  tasksPerLease: 128,
  /** Storage locations of a path map, and sources of one of them. */
  pathMapEntries: 16_384,
  /** Entries of any list or map inside an assignment, and any text there. */
  planEntries: 65_536,
  planText: 8 * 1024 * 1024,
} as const;
