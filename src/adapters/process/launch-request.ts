import type { SessionFile } from '../../core/ports/task-processes.ts';

/** What launcher.pl is asked for. */
export interface LaunchRequest {
  readonly run: number;
  readonly workingDirectory: string;
  readonly command: string;
  readonly args: readonly string[];
  /** The whole environment of the process. */
  readonly environment: Readonly<Record<string, string>>;
  /** The variable of it that is another one for each process. */
  readonly varying: string;
  /** Written before it is started. */
  readonly files: readonly SessionFile[];
}

/** What it answers. */
export type LaunchAnswer =
  | { readonly type: 'ready' }
  | { readonly type: 'failed'; readonly run: number; readonly stage: LaunchStage; readonly errno: number }
  | { readonly type: 'started'; readonly run: number; readonly pid: number }
  | { readonly type: 'ended'; readonly run: number; readonly code: number; readonly signal: number };

/** What could not be done. */
type LaunchStage = 'file' | 'directory' | 'start';

/** A longer request is not sent: the launcher holds it in memory several times. */
const REQUEST_BYTES_MAX = 1024 * 1024;
const LENGTH_BYTES = 4;
const NUL = '\0';
const ANSWER = /^(ready|failed|started|ended)(?: (\d+) (?:(file|directory|start) )?(\d+)(?: (\d+))?)?$/;

/**
 * The frame that launcher.pl reads, or null for what it is not to start: a request that is too long, and one that the system takes for
 * shorter than it is because it has a NUL character.
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

/** Reads a line that launcher.pl has written; null when it is none of its own. */
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
