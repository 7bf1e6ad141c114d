import { RE2JSException } from 're2js';
import type { CompiledRegex, Regex, RegexEngine, RegexMatch } from '../../openjd/expr/regex/regex-engine.ts';
import { ANYWHERE, AT_START, Program } from './re2-machine.ts';

/** Maximum number of patterns that stay compiled: the most recently used ones. */
const MAX_COMPILED = 100;
/** Maximum cost of such a pattern: the memory of a program grows with it. */
const MAX_KEPT_COST = 2000;
/** Longer patterns are compiled each time. */
const MAX_KEPT_LENGTH = 1000;

type Compiled =
  | { readonly ok: true; readonly value: PlainRegex | BoundedRegex }
  | Extract<CompiledRegex, { ok: false }>;

/** Regular expressions in RE2 syntax, run by re2js: every pattern takes linear time. */
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
    // A literal backslash is written \x{5c}, or doubled in patterns from elsewhere.
    const bounded = /(?:^|[^\\])(?:\\\\)*\\[bB]/.test(pattern);
    return { ok: true, value: bounded ? new BoundedRegex(pattern) : new PlainRegex(pattern) };
  } catch (error) {
    if (error instanceof RE2JSException) return { ok: false, detail: error.message };
    throw error;
  }
}

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
 * A pattern with `\b` or `\B`. At position 0 the engine knows only ASCII word boundaries, so the text begins at
 * position 1, and the pattern itself requires a match at the start of the text.
 */
class BoundedRegex implements Regex {
  readonly #anywhere: Program;
  readonly #atStart: Program;

  constructor(pattern: string) {
    this.#anywhere = new Program(pattern);
    this.#atStart = new Program(`\\A(?:${pattern})`);
    this.#anywhere.disableStartShortcut();
    this.#atStart.disableStartShortcut();
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
