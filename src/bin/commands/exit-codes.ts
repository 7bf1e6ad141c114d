/** Exit statuses of the command, documented in docs/commands.md. */
export const EXIT = {
  ok: 0,
  /** The job failed or was canceled, a template has errors, a daemon could not start, or the service answered with an internal error. */
  failed: 1,
  /** Wrong arguments or configuration, or a request that the service refuses as invalid. */
  usage: 2,
  notFound: 4,
  conflict: 5,
  /** The service cannot be reached or is not ready. */
  unavailable: 6,
} as const;

export type ExitCode = (typeof EXIT)[keyof typeof EXIT];

/** A command cannot do what was asked: what to print on standard error, and how to exit. */
export class CommandError extends Error {
  readonly exitCode: ExitCode;

  constructor(exitCode: ExitCode, message: string) {
    super(message);
    this.name = 'CommandError';
    this.exitCode = exitCode;
  }
}

/** The exit status for an HTTP status that is no success. */
export function exitCodeOf(status: number): ExitCode {
  if (status === 404) return EXIT.notFound;
  if (status === 409) return EXIT.conflict;
  if (status === 429 || status === 502 || status === 503 || status === 504) return EXIT.unavailable;
  return status >= 400 && status < 500 ? EXIT.usage : EXIT.failed;
}
