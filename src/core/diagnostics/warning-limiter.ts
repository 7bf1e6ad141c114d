/**
 * Limits repeated warnings (docs/diagnostics.md): of each kind, `WARNINGS_PER_WINDOW` are admitted in a window of
 * `WINDOW_MS`, and the others are counted. The kind of a warning is its text without numbers, ids and quoted parts. A
 * limited number of kinds is known at a time; all others share one kind.
 *
 * States of a kind: unknown; open, with the start of its window and its counts. It becomes unknown again when its window
 * has ended. Invariant: every warning is either admitted or in the count of one summary.
 */
export const WARNINGS_PER_WINDOW = 100;
export const WINDOW_MS = 60_000;
const KINDS_MAX = 200;
const OTHERS = 'warnings of other kinds';

interface Kind {
  readonly openedAt: number;
  /** The first text of the kind. */
  readonly text: string;
  seen: number;
}

/** Warnings of one kind that were not logged. */
export interface DroppedWarnings {
  readonly text: string;
  readonly dropped: number;
  readonly windowMs: number;
}

export class WarningLimiter {
  readonly #kinds = new Map<string, Kind>();

  /** Counts a warning at `now` (milliseconds of a steady clock). Returns whether it may be logged. */
  admit(text: string, now: number): boolean {
    const known = this.#kinds.get(kindOf(text));
    const name = known !== undefined || this.#kinds.size < KINDS_MAX ? kindOf(text) : OTHERS;
    const kind = this.#kinds.get(name) ?? { openedAt: now, text: name === OTHERS ? OTHERS : text, seen: 0 };
    this.#kinds.set(name, kind);
    kind.seen += 1;
    return kind.seen <= WARNINGS_PER_WINDOW;
  }

  /** Closes the windows that have ended, or all of them, and returns what was dropped in them. */
  takeDropped(now: number, { all }: { readonly all: boolean }): readonly DroppedWarnings[] {
    const taken: DroppedWarnings[] = [];
    for (const [name, { openedAt, text, seen }] of this.#kinds) {
      if (!all && now - openedAt < WINDOW_MS) continue;
      this.#kinds.delete(name);
      const dropped = seen - WARNINGS_PER_WINDOW;
      if (dropped > 0) taken.push({ text, dropped, windowMs: now - openedAt });
    }
    return taken;
  }
}

const kindOf = (text: string): string =>
  text
    .replaceAll(/"[^"]*"|“[^”]*”|'[^']*'/g, '"')
    .replaceAll(/[0-9a-f]*[0-9][0-9a-f-]*/gi, '0')
    .slice(0, 200);
