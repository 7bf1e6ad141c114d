import type { PoolSource } from '../../core/config/pool-sources.ts';
import { readSlots } from '../../core/pools/read-slots.ts';
import { runCommand } from './run-command.ts';

/** Longest output or body that is read. */
const OUTPUT_BYTES_MAX = 65_536;

/** The slots, or why the question has failed: a clause without the command and the URL. `note` is for the log only. */
export type SourceAnswer =
  | { readonly ok: true; readonly slots: number }
  | { readonly ok: false; readonly reason: string; readonly note: string };

/** Limits of one question. `stopping` ends it early. */
interface AskLimits {
  readonly timeoutMs: number;
  readonly stopping: AbortSignal;
}

/**
 * Asks the source of a usage pool (docs/policy.md#measured-pools): runs its command, of which the first line of the
 * output counts, or requests its URL, without following redirects. Does not throw: a question without an answer has its
 * reason.
 */
export async function askSource(source: PoolSource, limits: AskLimits): Promise<SourceAnswer> {
  const { timeoutMs, stopping } = limits;
  const timeout = AbortSignal.timeout(timeoutMs);
  const signal = AbortSignal.any([timeout, stopping]);
  const answer = await (source.kind === 'command'
    ? answerOfCommand(source.command, signal)
    : answerOfUrl(source.url, signal));
  if (answer.ok || !signal.aborted) return answer;
  const reason = timeout.aborted ? `no answer within ${timeoutMs / 1000} s` : 'the server stops';
  return { ok: false, reason, note: answer.note };
}

async function answerOfCommand(command: string, signal: AbortSignal): Promise<SourceAnswer> {
  const { end, output, errors } = await runCommand(command, signal, OUTPUT_BYTES_MAX);
  if (end !== null) return { ok: false, reason: `the command ${end}`, note: firstLine(errors) };
  return readAnswer(firstLine(output), firstLine(errors));
}

async function answerOfUrl(url: string, signal: AbortSignal): Promise<SourceAnswer> {
  try {
    const response = await fetch(url, { signal, redirect: 'manual' });
    if (response.status !== 200) {
      await response.body?.cancel();
      return { ok: false, reason: `the response has status ${response.status} instead of 200`, note: '' };
    }
    const body = await boundedText(response);
    return body === null
      ? { ok: false, reason: `the response is longer than ${OUTPUT_BYTES_MAX} bytes`, note: '' }
      : readAnswer(body, '');
  } catch (error) {
    return { ok: false, reason: 'the request has failed', note: reasonOf(error) };
  }
}

function readAnswer(text: string, note: string): SourceAnswer {
  const read = readSlots(text);
  return read.ok ? read : { ...read, note };
}

/** Returns the body; null if it is too long. */
async function boundedText(response: Response): Promise<string | null> {
  const pieces: Uint8Array[] = [];
  let bytes = 0;
  const body: AsyncIterable<Uint8Array> | null = response.body;
  if (body === null) return '';
  for await (const piece of body) {
    bytes += piece.length;
    if (bytes > OUTPUT_BYTES_MAX) return null;
    pieces.push(piece);
  }
  return Buffer.concat(pieces).toString('utf8');
}

const firstLine = (text: string): string => text.split('\n', 1)[0] ?? '';

/** The error of fetch says only that it failed; its cause says why. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const { cause } = error;
  return cause instanceof Error && cause.message !== '' ? cause.message : error.message;
}
