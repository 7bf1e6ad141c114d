import type { Style } from './ansi.ts';
import { PLAIN } from './ansi.ts';
import type { LogBlock, LogText, ReadableLog } from './log-text.ts';

/** Lines of several attempts, one after the other, each after a line that names the attempt. */

interface Part {
  readonly attempt: number;
  readonly text: LogText;
}

interface Placed {
  readonly firstLine: number;
  readonly block: LogBlock;
}

export class AttemptsLog implements ReadableLog {
  readonly firstLine = 0;
  readonly #parts: () => readonly Part[];
  /** Copies of the blocks of attempts with their place in this log; they share the text. */
  readonly #placed = new WeakMap<LogBlock, Placed>();
  readonly #owners = new WeakMap<LogBlock, LogText>();
  readonly #separators = new Map<string, LogBlock>();

  /** `parts` returns the attempts with output, in order. */
  constructor(parts: () => readonly Part[]) {
    this.#parts = parts;
  }

  get lineCount(): number {
    let count = 0;
    const parts = this.#parts();
    for (const [at, { text }] of parts.entries())
      count += 1 + (at === parts.length - 1 ? text.lineCount : heldLines(text));
    return count;
  }

  get characters(): number {
    return this.#parts().reduce((sum, { text }) => sum + text.characters, 0);
  }

  get firstStderr(): number | null {
    let before = 0;
    for (const { text } of this.#parts()) {
      if (text.firstStderr !== null) return before + 1 + text.firstStderr;
      before += 1 + heldLines(text);
    }
    return null;
  }

  blocks(): readonly LogBlock[] {
    const blocks: LogBlock[] = [];
    let before = 0;
    for (const { attempt, text } of this.#parts()) {
      blocks.push(this.#separator(attempt, before));
      before += 1;
      for (const block of text.blocks()) {
        blocks.push(this.#at(block, before + block.firstLine, text));
      }
      before += heldLines(text);
    }
    return blocks;
  }

  styleOf(block: LogBlock, at: number): Style {
    return this.#owners.get(block)?.styleOf(block, at) ?? PLAIN;
  }

  #at(block: LogBlock, firstLine: number, owner: LogText): LogBlock {
    const known = this.#placed.get(block);
    if (known?.firstLine === firstLine) return known.block;
    const placed = { ...block, firstLine };
    this.#placed.set(block, { firstLine, block: placed });
    this.#owners.set(placed, owner);
    return placed;
  }

  #separator(attempt: number, firstLine: number): LogBlock {
    const key = `${attempt} ${firstLine}`;
    const known = this.#separators.get(key);
    if (known !== undefined) return known;
    const text = `Attempt ${attempt}\n`;
    const block: LogBlock = {
      firstLine,
      lineCount: 1,
      text,
      starts: [0],
      flags: [0],
      styles: [0],
      times: [0],
      widths: [text.length - 1],
      isSpecial: false,
      beginsAttempt: attempt,
    };
    this.#separators.set(key, block);
    return block;
  }
}

/** Returns the number of lines of an attempt, including incomplete ones. */
function heldLines(text: LogText): number {
  const last = text.blocks().at(-1);
  return last === undefined ? 0 : last.firstLine + last.lineCount;
}
