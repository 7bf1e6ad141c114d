/** Exit statuses of the command. */
export const EXIT = {
  ok: 0,
  failed: 1,
  usage: 2,
  forbidden: 3,
  notFound: 4,
  conflict: 5,
  unavailable: 6,
  canceled: 7,
} as const;

export type ExitCode = (typeof EXIT)[keyof typeof EXIT];

/** What each exit status means: printed by `--help`, and the table of docs/commands.md. */
export const EXIT_MEANINGS: Readonly<Record<keyof typeof EXIT, string>> = {
  ok: 'done; of a command that waits: the job completed',
  failed:
    'the job failed, a template has errors (`openjd`), a daemon could not start, or the service answered with an internal error',
  usage:
    'wrong arguments or configuration, a name that means several things, or a request that the service refuses as invalid',
  forbidden: 'the API key is missing, wrong, or does not allow it',
  notFound: 'not found',
  conflict: 'the current state of the resource does not allow the operation',
  unavailable: 'the service cannot be reached or is not ready',
  canceled: 'the job was canceled',
};

/** The exit statuses as lines of help. */
export const exitStatusHelp = (): string =>
  [
    '',
    'Exit statuses:',
    ...Object.entries(EXIT).map(
      ([name, status]) => `  ${status}  ${EXIT_MEANINGS[name as keyof typeof EXIT].replaceAll('`', '')}`,
    ),
  ].join('\n');

/** A command cannot do what was asked: what to print on standard error, and how to exit. */
export class CommandError extends Error {
  readonly exitCode: ExitCode;

  constructor(exitCode: ExitCode, message: string) {
    super(message);
    this.name = 'CommandError';
    this.exitCode = exitCode;
  }
}

/** The service cannot be reached or is not ready: it may be soon. */
export class ServiceUnavailable extends CommandError {
  /** Whether the service may have done what was asked, though its answer did not arrive. */
  readonly answerLost: boolean;

  constructor(message: string, answerLost: boolean) {
    super(EXIT.unavailable, message);
    this.name = 'ServiceUnavailable';
    this.answerLost = answerLost;
  }
}

/** A request of this HTTP status, which is no success, as the end of the command. */
export function errorForStatus(status: number, message: string): CommandError {
  switch (status) {
    case 401:
    case 403:
      return new CommandError(EXIT.forbidden, message);
    case 404:
      return new CommandError(EXIT.notFound, message);
    case 409:
      return new CommandError(EXIT.conflict, message);
    case 429:
      return new CommandError(EXIT.unavailable, message);
    case 503:
      return new ServiceUnavailable(message, false);
    // Of something in between, which may have passed the request on.
    case 502:
    case 504:
      return new ServiceUnavailable(message, true);
    default:
      return new CommandError(status >= 400 && status < 500 ? EXIT.usage : EXIT.failed, message);
  }
}
