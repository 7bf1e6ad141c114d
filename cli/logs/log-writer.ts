import type { LogChunk } from '../../client/resources.ts';
import { parseAttemptId } from '../../src/core/ids.ts';
import { printJsonLine } from '../output/output.ts';
import type { ClientContext } from '../client/client-command.ts';
import { TerminalFilter } from '../terminal/terminal-filter.ts';

/** Part of the log of a task that is printed. */
export interface LogSelection {
  /** Pass control characters and escape sequences to a terminal. */
  readonly isRaw: boolean;
  /** Only this attempt; null for all. */
  readonly attempt: number | null;
  /** Only the last lines; null for all. */
  readonly tail: number | null;
}

/** Lines that were read of one stream, and the unfinished last one. */
interface Line {
  readonly stream: string;
  readonly attempt: string;
  readonly text: string;
}

/**
 * Writes chunks to the stream that the task wrote them to, standard output or standard error, with a line between two
 * attempts. A terminal gets only text and colors, unless everything is requested; a file or a pipe gets everything.
 */
export class LogWriter {
  readonly #context: ClientContext;
  readonly #selection: LogSelection;
  readonly #out: TerminalFilter | null;
  readonly #err: TerminalFilter | null;
  #endsLine = true;
  /** Id of the attempt whose chunks are being written. */
  #attempt: string | null = null;
  /** The last lines, with `tail`, and the unfinished lines by stream. */
  #lines: Line[] = [];
  readonly #open = new Map<string, Line>();
  /** Cursor of the last chunk that was read. */
  seen = 0;

  constructor(context: ClientContext, selection: LogSelection) {
    const { terminal } = context;
    this.#context = context;
    this.#selection = selection;
    this.#out = selection.isRaw || !terminal.isTerminal ? null : new TerminalFilter(terminal.colors);
    this.#err =
      selection.isRaw || !terminal.isErrorTerminal ? null : new TerminalFilter(terminal.errorColors);
  }

  write(chunk: LogChunk): void {
    const { attempt, tail } = this.#selection;
    this.seen = chunk.bus_seq;
    if (attempt !== null && numberOf(chunk.attempt_id) !== attempt) return;
    if (this.#context.isForPrograms) return printJsonLine(this.#context.terminal, chunk);
    if (chunk.data === '') return;
    if (tail === null) this.#print(chunk.stream, chunk.attempt_id, chunk.data);
    else this.#keep(chunk, tail);
  }

  /** Writes the last lines of `tail`, and ends an unfinished line. */
  end(): void {
    const { tail } = this.#selection;
    if (tail !== null) {
      const lines = [...this.#lines, ...this.#open.values()].slice(-tail);
      for (const { stream, attempt, text } of lines) this.#print(stream, attempt, text);
    }
    const { terminal } = this.#context;
    terminal.err(this.#err?.end() ?? '');
    terminal.out(this.#out?.end() ?? '');
    this.#endLine();
  }

  #keep({ stream, attempt_id: attempt, data }: LogChunk, tail: number): void {
    const lines = ((this.#open.get(stream)?.text ?? '') + data).split('\n');
    const rest = lines.pop() ?? '';
    this.#open.delete(stream);
    if (rest !== '') this.#open.set(stream, { stream, attempt, text: rest });
    this.#lines.push(...lines.slice(-tail).map((text) => ({ stream, attempt, text: `${text}\n` })));
    this.#lines = this.#lines.slice(-tail);
  }

  #print(stream: string, attempt: string, data: string): void {
    const { terminal } = this.#context;
    this.#separate(attempt);
    if (stream === 'stderr') terminal.err(this.#err?.write(data) ?? data);
    else {
      terminal.out(this.#out?.write(data) ?? data);
      this.#endsLine = data.endsWith('\n');
    }
  }

  /** Writes a line between two attempts, and before a first one that is not attempt 1. */
  #separate(attempt: string): void {
    if (attempt === this.#attempt) return;
    const isFirst = this.#attempt === null;
    this.#attempt = attempt;
    const number = numberOf(attempt);
    if (isFirst && (number === null || number === 1)) return;
    this.#endLine();
    this.#context.terminal.out(`--- attempt ${number ?? attempt} ---\n`);
  }

  #endLine(): void {
    if (!this.#endsLine) this.#context.terminal.out('\n');
    this.#endsLine = true;
  }
}

/** Returns the number of an attempt; null if a later service has other ids. */
const numberOf = (attemptId: string): number | null => parseAttemptId(attemptId)?.attemptNumber ?? null;
