/** Named limits of the processes of tasks. */
export const PROCESS_LIMITS = {
  /** A session has its launcher from the task after this one on: most sessions of one task need none. */
  tasksBeforeLauncher: 2,
  /** Between two beats from the daemon to a supervisor. */
  beatMs: 1000,
  /** A supervisor that hears no beat for this long kills what it guards. */
  beatTimeoutSeconds: 20,
  /** A supervisor that does not answer for this long is taken for lost. */
  supervisorAnswerMs: 5000,
  /** After the end of a process its output is read for this long at the most. */
  outputAfterExitMs: 5000,
  /** Bytes of output of one action that are handed on and not yet consumed, before reading pauses. */
  outputWindowBytes: 256 * 1024,
  /** What a pipe holds. */
  pipeBytes: 64 * 1024,
  /** A longer line is cut. */
  lineBytes: 64 * 1024,
  /** How long the killing of a tree is repeated while new processes of it turn up. */
  killForMs: 5000,
  /** Between two looks for processes that are still to be killed. */
  killRoundMs: 20,
  /** Files of /proc that are read at the same time. */
  procReadsAtOnce: 64,
} as const;
