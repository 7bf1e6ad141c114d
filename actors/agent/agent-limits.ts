const SECOND_MS = 1000;
const KIB = 1024;

/** Limits of a worker agent. */
export const AGENT_LIMITS = {
  /** Maximum time between two heartbeats. With a short heartbeat timeout it is a sixth of the timeout. */
  heartbeatMsMax: 5 * SECOND_MS,
  heartbeatsPerTimeout: 6,
  /** Minimum time between two heartbeats because of cancel messages, which a hostile client may send all the time. */
  confirmCancelMs: SECOND_MS / 4,
  /** Time until an announcement to a new owner of the farms; half of it is random. */
  ownerDelay: { firstMs: SECOND_MS, maxMs: SECOND_MS },
  /** Reply timeout of announcements until the first registration has returned a heartbeat timeout. */
  announceTimeoutMs: 10 * SECOND_MS,
  registerRetry: { firstMs: 250, maxMs: 5 * SECOND_MS },
  refusedRetry: { firstMs: 1 * SECOND_MS, maxMs: 10 * SECOND_MS },
  /** Maximum time between SIGTERM and SIGKILL after contact was lost or the service has revoked the attempt. */
  fenceGraceMs: 3 * SECOND_MS,
  /** Share of the heartbeat timeout after which no process of the worker's tasks may run without contact. */
  killShare: 0.9,
  /** Time between SIGTERM and SIGKILL when the agent shuts down. */
  leaveGraceMs: 5 * SECOND_MS,
  /** Time limit for stopped tasks and the exits of their environments when the agent shuts down. */
  leaveExitsMs: 15 * SECOND_MS,
  /** Time that the agent waits at shutdown for the confirmation of its last reports. */
  leaveConfirmMs: 5 * SECOND_MS,
  /** Time between two heartbeats while it waits for that. */
  confirmHeartbeatMs: SECOND_MS / 2,
  /** Time that the agent waits at shutdown for the reply to its departure. */
  departMs: 3 * SECOND_MS,
  /** Timeout of a lease request (docs/contract/limits.md#scheduling: about 35 s). */
  leaseTimeoutMs: 35 * SECOND_MS,
  /** The service reclaims an assigned attempt that is not reported running within this time. */
  assignedMs: 30 * SECOND_MS,
  /** Margin before that time within which no unreported attempt may run. */
  assignedMarginMs: 2 * SECOND_MS,
  leaseRetry: { firstMs: 250, maxMs: 5 * SECOND_MS },
  /** An empty reply that arrives sooner than this counts as a failed try. */
  leaseEmptyMsMin: 1 * SECOND_MS,
  /** Number of ended attempts that are remembered, to ignore repeated assignments. */
  endedAttempts: 4096,
  reportRetry: { firstMs: 250, maxMs: 10 * SECOND_MS },
  /** A report that is stored but not confirmed is published again after this time. */
  reportRepeatMs: 60 * SECOND_MS,
  /** Delay of a running report. A task that ends sooner reports only its end. */
  runningHoldMs: 100,
  /** Maximum time that a terminal report waits for the next lease request, if one may be sent at any moment. */
  piggybackWaitMs: 100,
  /** A piggybacked terminal report that is not confirmed after this time is published to the status stream. */
  piggybackConfirmMs: SECOND_MS,
  /** Maximum size of the reports in one lease request, in characters after the worst escaping. */
  piggybackCharacters: 256 * KIB,
  /** Minimum time between two progress reports of an attempt. */
  progressMs: 1 * SECOND_MS,
  /** Maximum length of a report's message. */
  reportMessageCharacters: 4 * KIB,
  logChunkBytes: 32 * KIB,
  logChunkMs: 100,
  /** Number of log chunks that are published together. */
  logChunksAtOnce: 8,
  logRetry: { firstMs: 250, maxMs: 5 * SECOND_MS },
  /** If the bus has accepted no logs for this long, they go to the spool. */
  logDivertMs: 1 * SECOND_MS,
  /** If neither the bus nor the spool has accepted logs for this long, output is dropped and the task continues. */
  logStallMs: 10 * SECOND_MS,
  /** Maximum time that a terminal report waits for the logs before it. */
  logDrainMs: 5 * SECOND_MS,
  /** Time after the end of an attempt during which its logs in memory are still offered to the bus. */
  logGiveUpMs: 60 * SECOND_MS,
  /** Timeout of onExit without one of its own (docs/contract/sessions.md#timeouts-and-cancelation). */
  exitTimeoutSeconds: 300,
  /** Notify periods of NOTIFY_THEN_TERMINATE without one of their own. */
  notifyRunSeconds: 120,
  notifyEnvironmentSeconds: 30,
} as const;
