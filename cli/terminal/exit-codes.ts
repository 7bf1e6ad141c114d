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

/** Meaning of each exit status, printed by `--help`. docs/commands.md has the same table. */
export const EXIT_MEANINGS: Readonly<Record<keyof typeof EXIT, string>> = {
  ok: 'done; of a command that waits: the job completed (all jobs, or with `--any` the first that ended)',
  failed:
    'the job, or one of several, failed, a template or definition file has errors (`openjd`, `products`), the host is not ready (`doctor`), a daemon could not start, or the server answered with an internal error',
  usage:
    'wrong arguments or configuration, a name that means several things, or a request that the server refuses as invalid',
  forbidden: 'the API key is missing, wrong, or does not allow it',
  notFound: 'not found',
  conflict: 'the current state of the resource does not allow the operation',
  unavailable: 'the server cannot be reached or is not ready',
  canceled: 'the job was canceled; of several jobs: none failed and one was canceled',
};

/** Returns the exit statuses as lines of help. */
export const exitStatusHelp = (): string =>
  [
    '',
    'Exit statuses:',
    ...Object.entries(EXIT).map(
      ([name, status]) => `  ${status}  ${EXIT_MEANINGS[name as keyof typeof EXIT].replaceAll('`', '')}`,
    ),
  ].join('\n');

/** A command failed: the message for standard error, and the exit status. */
export class CommandError extends Error {
  readonly exitCode: ExitCode;

  constructor(exitCode: ExitCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'CommandError';
    this.exitCode = exitCode;
  }
}

/**
 * A CommandError whose message is ready for a terminal: text from elsewhere is escaped, and colors are those of standard
 * error. Messages of other errors are escaped when they are printed.
 */
export class PaintedError extends CommandError {}

/** The service cannot be reached or is not ready. A retry may succeed. */
export class ServiceUnavailable extends CommandError {
  /** True if the service may have processed the request although no response arrived. */
  readonly answerLost: boolean;

  constructor(message: string, answerLost: boolean, options?: ErrorOptions) {
    super(EXIT.unavailable, message, options);
    this.name = 'ServiceUnavailable';
    this.answerLost = answerLost;
  }
}

/** Returns the error of a command whose request failed with this HTTP status. */
export function errorForStatus(status: number, message: string, options?: ErrorOptions): CommandError {
  switch (status) {
    case 401:
    case 403:
      return new CommandError(EXIT.forbidden, message, options);
    case 404:
      return new CommandError(EXIT.notFound, message, options);
    case 409:
    case 412:
      return new CommandError(EXIT.conflict, message, options);
    case 429:
      return new CommandError(EXIT.unavailable, message, options);
    case 503:
      return new ServiceUnavailable(message, false, options);
    // Responses of a proxy, which may have forwarded the request.
    case 502:
    case 504:
      return new ServiceUnavailable(message, true, options);
    default:
      return new CommandError(status >= 400 && status < 500 ? EXIT.usage : EXIT.failed, message, options);
  }
}
