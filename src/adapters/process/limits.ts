/** Limits of the processes of tasks. */
export const PROCESS_LIMITS = {
  /** A session gets its launcher from the task after this one on: most sessions with one task need none. */
  tasksBeforeLauncher: 2,
  /** Interval of heartbeats from the agent to a supervisor. */
  beatMs: 1000,
  /** A supervisor without a heartbeat for this long kills the processes it guards. */
  beatTimeoutSeconds: 20,
  /** A supervisor that does not answer for this long is considered lost. */
  supervisorAnswerMs: 5000,
  /** Maximum time of reading output after the end of a process. */
  outputAfterExitMs: 5000,
  /** Unconsumed bytes of output of one action at which reading pauses. */
  outputWindowBytes: 256 * 1024,
  /** Capacity of a pipe. */
  pipeBytes: 64 * 1024,
  /** Longer lines are delivered in pieces. */
  lineBytes: 64 * 1024,
  /** Maximum time of repeated kills while a tree has new processes. */
  killForMs: 5000,
  /** Delay between two searches for processes to kill. */
  killRoundMs: 20,
  /** Number of /proc files read at the same time. */
  procReadsAtOnce: 64,
} as const;
