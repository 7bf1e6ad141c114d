import { RE2JS, RE2JSException } from 're2js';
import type { CompiledRegex, Regex, RegexEngine, RegexMatch } from '../../openjd/expr/regex/regex-engine.ts';
import { CountingInput } from './counting-input.ts';

/** Patterns that stay compiled, the most recently used ones. */
const MAX_COMPILED = 100;
/** Of these, each costs at most so much to run: what a program takes in memory grows with it. */
const MAX_KEPT_COST = 2000;
/** Longer ones are compiled anew each time. */
const MAX_KEPT_LENGTH = 1000;

/** Anchors of the engine. */
const ANYWHERE = 0;
const AT_START = 1;

type Compiled =
  { readonly ok: true; readonly value: PlainRegex | BoundedRegex } | Extract<CompiledRegex, { ok: false }>;

/** The regular expressions of RE2, by re2js: no pattern takes more than linear time. */
export function createRe2Engine(): RegexEngine {
  const compiled = new Map<string, Compiled>();
  return {
    compile(pattern) {
      const known = compiled.get(pattern);
      if (known !== undefined) {
        compiled.delete(pattern);
        compiled.set(pattern, known);
        return known;
      }
      const made = compile(pattern);
      if (pattern.length <= MAX_KEPT_LENGTH && (!made.ok || made.value.cost <= MAX_KEPT_COST)) {
        compiled.set(pattern, made);
        const [oldest] = compiled.keys();
        if (compiled.size > MAX_COMPILED && oldest !== undefined) compiled.delete(oldest);
      }
      return made;
    },
  };
}

function compile(pattern: string): Compiled {
  try {
    // A backslash that stands for itself is written \x{5c}, or doubled where a pattern comes from elsewhere.
    const bounded = /(?:^|[^\\])(?:\\\\)*\\[bB]/.test(pattern);
    return { ok: true, value: bounded ? new BoundedRegex(pattern) : new PlainRegex(pattern) };
  } catch (error) {
    if (error instanceof RE2JSException) return { ok: false, detail: error.message };
    throw error;
  }
}

/** A compiled program, run by the engine's machine alone: the other ways that the engine has to run it count no steps. */
class Program {
  readonly groups: number;
  readonly #compiled: ReturnType<RE2JS['re2']>;
  /** Instructions, and what is copied for groups with each. */
  readonly cost: number;

  constructor(pattern: string) {
    const re = RE2JS.compile(pattern);
    this.#compiled = re.re2();
    this.groups = re.groupCount();
    this.cost = Math.ceil((re.programSize() * (2 + this.groups)) / 2);
  }

  /** No shortcut for patterns that begin at the start of the text: it takes position 0 for the start. */
  matchWhereverTextStarts(): void {
    this.#compiled.cond = 0;
  }

  /** The text begins at position `offset` of the input; offsets of the result are those of the text. */
  run(
    text: string,
    from: number,
    options: { readonly offset: 0 | 1; readonly anchor: number; readonly wordBoundaries: boolean },
    work: (instructions: number) => void,
  ): RegexMatch | null {
    const { offset, anchor, wordBoundaries } = options;
    const input = new CountingInput(text, offset, wordBoundaries, (steps) => {
      work(steps * this.cost);
    });
    const found: unknown = this.#compiled.doExecuteNFA(input, from + offset, anchor, 2 * (1 + this.groups));
    input.flush();
    if (!Array.isArray(found)) return null;
    const bounds = found.map((position) => (typeof position === 'number' ? position - offset : -1));
    const groups: (string | null)[] = [];
    for (let group = 1; group <= this.groups; group++) {
      const [start, end] = boundsOf(bounds, group);
      groups.push(start < 0 ? null : text.slice(start, end));
    }
    const [start, end] = boundsOf(bounds, 0);
    return { start, end, groups };
  }
}

const boundsOf = (bounds: readonly number[], group: number): readonly [start: number, end: number] => [
  bounds[2 * group] ?? -1,
  bounds[2 * group + 1] ?? -1,
];

class PlainRegex implements Regex {
  readonly #program: Program;

  constructor(pattern: string) {
    this.#program = new Program(pattern);
  }

  get groups(): number {
    return this.#program.groups;
  }

  get cost(): number {
    return this.#program.cost;
  }

  match(
    text: string,
    from: number,
    anchored: boolean,
    work: (instructions: number) => void,
  ): RegexMatch | null {
    const anchor = anchored ? AT_START : ANYWHERE;
    return this.#program.run(text, from, { offset: 0, anchor, wordBoundaries: false }, work);
  }
}

/**
 * A pattern with `\b` or `\B`. The engine knows the word boundaries of ASCII alone at its position 0, so the text begins at position 1, and a match at the
 * start of the text is demanded by the pattern.
 */
class BoundedRegex implements Regex {
  readonly #anywhere: Program;
  readonly #atStart: Program;

  constructor(pattern: string) {
    this.#anywhere = new Program(pattern);
    this.#atStart = new Program(`\\A(?:${pattern})`);
    this.#anywhere.matchWhereverTextStarts();
    this.#atStart.matchWhereverTextStarts();
  }

  get groups(): number {
    return this.#anywhere.groups;
  }

  get cost(): number {
    return this.#anywhere.cost;
  }

  match(
    text: string,
    from: number,
    anchored: boolean,
    work: (instructions: number) => void,
  ): RegexMatch | null {
    const program = anchored ? this.#atStart : this.#anywhere;
    return program.run(text, from, { offset: 1, anchor: ANYWHERE, wordBoundaries: true }, work);
  }
}
