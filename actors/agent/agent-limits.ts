const SECOND_MS = 1000;
const KIB = 1024;

/** Named limits of a worker's daemon. */
export const AGENT_LIMITS = {
  /** The longest time between two heartbeats; a short heartbeat timeout makes it a sixth of that. */
  heartbeatMsMax: 5 * SECOND_MS,
  heartbeatsPerTimeout: 6,
  /** How long an answer to an announcement is waited for before the first registration has named a timeout. */
  announceTimeoutMs: 10 * SECOND_MS,
  registerRetry: { firstMs: 250, mostMs: 5 * SECOND_MS },
  refusedRetry: { firstMs: 1 * SECOND_MS, mostMs: 10 * SECOND_MS },
  /** The longest time between SIGTERM and SIGKILL when the worker has lost contact, or the service has given the work away. */
  fenceGraceMs: 3 * SECOND_MS,
  /** Of the heartbeat timeout: without contact for so much of it nothing of the worker's tasks may run. */
  killShare: 0.9,
  /** Between SIGTERM and SIGKILL when the worker leaves. */
  leaveGraceMs: 5 * SECOND_MS,
  /** How long the tasks that a leaving worker stops and the exits of their environments may take together. */
  leaveExitsMs: 15 * SECOND_MS,
  /** How long a leaving worker waits for the service to confirm its last reports. */
  leaveConfirmMs: 5 * SECOND_MS,
  /** The time between two heartbeats of a worker that waits for that. */
  confirmBeatMs: SECOND_MS / 2,
  /** How long a leaving worker waits for the answer to its departure. */
  departMs: 3 * SECOND_MS,
  /** How long a lease request is waited for (docs/contract/limits.md#scheduling: about 35 s). */
  leaseTimeoutMs: 35 * SECOND_MS,
  /** The service takes back what it does not hear to be running for so long after it has assigned it. */
  assignedMs: 30 * SECOND_MS,
  /** Before that time is over, so long, nothing may run that the service has not heard of. */
  assignedMarginMs: 2 * SECOND_MS,
  leaseRetry: { firstMs: 250, mostMs: 5 * SECOND_MS },
  /** An empty answer that comes sooner than this counts as a failed try. */
  leaseEmptyMsMin: 1 * SECOND_MS,
  /** Attempts that have ended here and are remembered, so that a doubled assignment is not run twice. */
  endedAttempts: 4096,
  reportRetry: { firstMs: 250, mostMs: 10 * SECOND_MS },
  /** A report that is stored and still not confirmed is said again after this. */
  reportRepeatMs: 60 * SECOND_MS,
  /** A running report waits so long: of a task that ends before, its end alone is told. */
  runningHoldMs: 100,
  /** How long the end of an attempt waits at the most for the next lease request, when the answer to the last one may come any moment. */
  piggybackWaitMs: 100,
  /** The end of an attempt that left with a lease request and is not confirmed after this goes by the stream of statuses. */
  piggybackConfirmMs: SECOND_MS,
  /** Characters of the reports that leave with one lease request, escaped as badly as can be. */
  rideCharacters: 256 * KIB,
  /** Between two reports of how far a task is. */
  progressMs: 1 * SECOND_MS,
  /** Characters of a report's message that are kept. */
  reportMessageCharacters: 4 * KIB,
  logChunkBytes: 32 * KIB,
  logChunkMs: 100,
  /** Log chunks that are published together. */
  logChunksAtOnce: 8,
  logRetry: { firstMs: 250, mostMs: 5 * SECOND_MS },
  /** When the bus has not taken logs for this long, they go to the spool. */
  logDivertMs: 1 * SECOND_MS,
  /** When neither the bus nor the spool has taken logs for this long, output is dropped and the task goes on. */
  logStallMs: 10 * SECOND_MS,
  /** How long a terminal report waits for the logs before it. */
  logDrainMs: 5 * SECOND_MS,
  /** How long the logs of an ended attempt that are in memory are still offered to the bus. */
  logGiveUpMs: 60 * SECOND_MS,
  /** onExit without a timeout of its own (docs/contract/sessions.md#timeouts-and-cancelation). */
  exitTimeoutSeconds: 300,
  /** NOTIFY_THEN_TERMINATE without a period of its own. */
  notifyRunSeconds: 120,
  notifyEnvironmentSeconds: 30,
} as const;
