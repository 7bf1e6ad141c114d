import type { SessionFile } from '../../core/ports/task-processes.ts';

/** Request to launcher.pl. */
export interface LaunchRequest {
  readonly run: number;
  readonly workingDirectory: string;
  readonly command: string;
  readonly args: readonly string[];
  /** The complete environment of the process. */
  readonly environment: Readonly<Record<string, string>>;
  /** The variable of it that differs for each process. */
  readonly varying: string;
  /** Written before the process is started. */
  readonly files: readonly SessionFile[];
}

/** Reply of launcher.pl. */
export type LaunchAnswer =
  | { readonly type: 'ready' }
  | { readonly type: 'failed'; readonly run: number; readonly stage: LaunchStage; readonly errno: number }
  | { readonly type: 'started'; readonly run: number; readonly pid: number }
  | { readonly type: 'ended'; readonly run: number; readonly code: number; readonly signal: number };

/** The operation that failed. */
type LaunchStage = 'file' | 'directory' | 'start';

/** Maximum size of a request: the launcher holds several copies in memory. */
const REQUEST_BYTES_MAX = 1024 * 1024;
const LENGTH_BYTES = 4;
const NUL = '\0';
const ANSWER = /^(ready|failed|started|ended)(?: (\d+) (?:(file|directory|start) )?(\d+)(?: (\d+))?)?$/;

/**
 * Encodes a request as a frame for launcher.pl. Returns null for a request that is too long, or that contains a NUL
 * character, at which the system would truncate it.
 */
export function encodeRequest(request: LaunchRequest): Buffer | null {
  const { run, workingDirectory, command, args, environment, varying, files } = request;
  let entries = '';
  let count = 0;
  for (const [name, value] of Object.entries(environment)) {
    if (name === varying) continue;
    entries += `${name}=${value}${NUL}`;
    count++;
  }
  const value = environment[varying] ?? '';
  const plain = [workingDirectory, command, ...args, varying, value, ...files.map(({ path }) => path)];
  if (plain.some((text) => text.includes(NUL)) || countOfNul(entries) !== count) return null;
  const fields = [
    String(run),
    workingDirectory,
    String(files.length),
    ...files.flatMap(({ path, runnable, data }) => [path, runnable ? '0700' : '0600', data]),
    String(args.length),
    command,
    ...args,
    entries,
    varying,
    value,
  ];
  const lengths = fields.map((field) => Buffer.byteLength(field));
  const bodyBytes = lengths.reduce((sum, length) => sum + LENGTH_BYTES + length, 0);
  if (bodyBytes > REQUEST_BYTES_MAX) return null;
  const frame = Buffer.allocUnsafe(LENGTH_BYTES + bodyBytes);
  let at = frame.writeUInt32BE(bodyBytes, 0);
  for (const [index, field] of fields.entries()) {
    at = frame.writeUInt32BE(lengths[index] ?? 0, at);
    at += frame.write(field, at);
  }
  return frame;
}

function countOfNul(text: string): number {
  let count = 0;
  for (let at = text.indexOf(NUL); at !== -1; at = text.indexOf(NUL, at + 1)) count++;
  return count;
}

/** Parses a line of launcher.pl; null if it is invalid. */
export function parseAnswer(line: string): LaunchAnswer | null {
  const [, type, runText = '', stage, second = '', third = ''] = ANSWER.exec(line) ?? [];
  const run = Number(runText);
  switch (type) {
    case 'ready':
      return runText === '' ? { type } : null;
    case 'started':
      return runText === '' || stage !== undefined || third !== ''
        ? null
        : { type, run, pid: Number(second) };
    case 'ended':
      return stage !== undefined || third === ''
        ? null
        : { type, run, code: Number(second), signal: Number(third) };
    case 'failed':
      return isStage(stage) && third === '' ? { type, run, stage, errno: Number(second) } : null;
    default:
      return null;
  }
}

const isStage = (text: string | undefined): text is LaunchStage =>
  text === 'file' || text === 'directory' || text === 'start';
