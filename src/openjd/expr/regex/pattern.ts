import { ExprFailure } from '../expr-failure.ts';
import { literalSource, loneClass, readClass, type TranslatedClass } from './pattern-classes.ts';
import { readEscape } from './pattern-escapes.ts';
import { invalid, unsupported } from './pattern-errors.ts';

/** A regular expression for the engine. */
export interface TranslatedPattern {
  /** In the syntax of RE2. */
  readonly source: string;
  /** Estimated size of the compiled pattern. */
  readonly bytes: number;
}

/** Maximum size of a compiled pattern (digest of the specification, section 13). */
const MAX_COMPILED_BYTES = 1_048_576;
/**
 * Bytes charged per instruction and per range of a class. The instruction includes the memory of a group during
 * matching.
 */
const INSTRUCTION_BYTES = 64;
const RANGE_BYTES = 8;
const GROUP_BYTES = 16;
/** Maximum length of a pattern: no character compiles to fewer bytes. */
const MAX_PATTERN_UNITS = MAX_COMPILED_BYTES / RANGE_BYTES;

/** Maximum nesting of groups. */
const MAX_DEPTH = 250;
/** Maximum product of nested repetitions: the engine's own limit. */
const MAX_REPEATS = 1000;

const COUNTS = /\{(\d+)(?:(,)(\d*))?\}/y;
const GROUP_NAME = /\?P<([A-Za-z_][A-Za-z0-9_]*)>/y;
const FLAGS = /\?([a-zA-Z]*)(?:-([a-zA-Z]*))?([:)])/y;
const KNOWN_FLAGS = /^[imsu]*$/;
const KNOWN_OFF_FLAGS = /^[ims]+$/;

/** Openings of groups that only one of the languages has, longest first. */
const FOREIGN_GROUPS: readonly (readonly [opening: string, feature: string])[] = [
  ['?=', 'lookahead'],
  ['?!', 'negative lookahead'],
  ['?<=', 'lookbehind'],
  ['?<!', 'negative lookbehind'],
  ['?P=', 'named backreferences'],
  ['?P>', 'recursion'],
  ['?(', 'conditional patterns'],
  ['?>', 'atomic groups'],
  ['?#', 'comments'],
  ['?<', 'named group (?<name>...), write (?P<name>...)'],
];

/**
 * Translates a pattern of the library into the syntax of RE2: the intersection of Python's `re` and Rust's `regex`,
 * with Unicode's `\d`, `\w` and `\s` (specification "Expression Language", section 2.2.5). Fails for features outside
 * of it, and for a pattern that is too large.
 */
export function translatePattern(pattern: string): TranslatedPattern {
  if (pattern === '') throw new ExprFailure('Empty regex pattern is not allowed');
  if (pattern.length > MAX_PATTERN_UNITS) throw tooLarge();
  const reader = new PatternReader(pattern);
  const program = reader.all().bytes;
  const bytes = program + (program / INSTRUCTION_BYTES) * reader.groups * GROUP_BYTES;
  if (bytes > MAX_COMPILED_BYTES) throw tooLarge();
  return { source: reader.source, bytes };
}

const tooLarge = (): ExprFailure =>
  new ExprFailure(`Compiled regex exceeds size limit of ${MAX_COMPILED_BYTES} bytes`);

/** Size of a compiled part of a pattern, and the number of repetitions of its innermost part. */
interface Part {
  readonly bytes: number;
  readonly repeats: number;
  /** Set for an assertion about a position: it has no text to repeat. */
  readonly assertion: boolean;
}

const part = (instructions: number, ranges = 0): Part => ({
  bytes: instructions * INSTRUCTION_BYTES + ranges * RANGE_BYTES,
  repeats: 1,
  assertion: false,
});
const ASSERTION: Part = { ...part(1), assertion: true };

class PatternReader {
  readonly #pattern: string;
  readonly #pieces: string[] = [];
  readonly #names = new Set<string>();
  #at = 0;
  /** Number of capturing groups so far. */
  groups = 0;
  /** Number of ranges of all classes so far: each class is written out, so too many are rejected early. */
  #ranges = 0;

  constructor(pattern: string) {
    this.#pattern = pattern;
  }

  get source(): string {
    return this.#pieces.join('');
  }

  all(): Part {
    const whole = this.#alternation(0);
    if (this.#at < this.#pattern.length) throw invalid('unbalanced )');
    return whole;
  }

  /** Reads to the end of the pattern, or to the parenthesis that closes the group. */
  #alternation(depth: number): Part {
    let bytes = INSTRUCTION_BYTES;
    let repeats = 1;
    while (this.#at < this.#pattern.length) {
      const next = this.#pattern.charAt(this.#at);
      if (next === ')') break;
      if (next === '|') {
        this.#emit('|', 1);
        bytes += INSTRUCTION_BYTES;
        continue;
      }
      const repeated = this.#repeated(this.#atom(depth));
      bytes += repeated.bytes;
      repeats = Math.max(repeats, repeated.repeats);
    }
    return { bytes, repeats, assertion: false };
  }

  /** Consumes `units` of the pattern and emits a piece of the result. */
  #emit(piece: string, units: number): void {
    this.#pieces.push(piece);
    this.#at += units;
  }

  #atom(depth: number): Part {
    const character = this.#pattern.charAt(this.#at);
    switch (character) {
      case '(':
        return this.#group(depth);
      case '[': {
        const { translated, end } = readClass(this.#pattern, this.#at);
        return this.#class(translated, end);
      }
      case '\\':
        return this.#escape();
      case '.':
        this.#emit('.', 1);
        return part(1, 2);
      case '^':
      case '$':
        this.#emit(character, 1);
        return ASSERTION;
      case '*':
      case '+':
      case '?':
        throw invalid(`nothing to repeat before ${character}`);
      case '{':
        throw invalid('{ must be written \\{ where it begins no repetition');
      default: {
        const code = this.#pattern.codePointAt(this.#at) ?? 0;
        this.#emit(literalSource(code), code > 0xffff ? 2 : 1);
        return part(1);
      }
    }
  }

  #class(translated: TranslatedClass, end: number): Part {
    this.#emit(translated.source, end - this.#at);
    this.#ranges += translated.ranges;
    if (this.#ranges * RANGE_BYTES > MAX_COMPILED_BYTES) throw tooLarge();
    return part(1, translated.ranges);
  }

  #escape(): Part {
    const { escape, end } = readEscape(this.#pattern, this.#at);
    switch (escape.kind) {
      case 'character':
        this.#emit(literalSource(escape.code), end - this.#at);
        return part(1);
      case 'class':
        return this.#class(loneClass(escape.name, escape.negated), end);
      case 'assertion':
        this.#emit(`\\${escape.name}`, end - this.#at);
        return ASSERTION;
    }
  }

  #group(depth: number): Part {
    if (depth >= MAX_DEPTH) throw invalid(`groups are nested more than ${MAX_DEPTH} deep`);
    const start = this.#at;
    if (!this.#opening()) return part(0);
    const inside = this.#alternation(depth + 1);
    if (this.#at >= this.#pattern.length) throw invalid(`the group at ${start} has no end`);
    this.#emit(')', 1);
    return { bytes: inside.bytes + 2 * INSTRUCTION_BYTES, repeats: inside.repeats, assertion: false };
  }

  /** Reads the opening of a group after its parenthesis. Returns false for flags, which have no group. */
  #opening(): boolean {
    const pattern = this.#pattern;
    const start = this.#at;
    const inside = start + 1;
    if (pattern.charAt(inside) !== '?') {
      this.groups += 1;
      this.#emit('(', 1);
      return true;
    }
    GROUP_NAME.lastIndex = inside;
    const [named, name] = GROUP_NAME.exec(pattern) ?? [];
    if (named !== undefined && name !== undefined) {
      if (this.#names.has(name)) throw invalid(`two groups are named ${name}`);
      this.#names.add(name);
      this.groups += 1;
      this.#emit(`(${named}`, 1 + named.length);
      return true;
    }
    const foreign = FOREIGN_GROUPS.find(([opening]) => pattern.startsWith(opening, inside));
    if (foreign !== undefined) throw unsupported(foreign[1]);
    FLAGS.lastIndex = inside;
    const [flags, on, off, close] = FLAGS.exec(pattern) ?? [];
    if (flags === undefined || on === undefined) throw invalid('an unknown extension after (?');
    if (!KNOWN_FLAGS.test(on) || (off !== undefined && !KNOWN_OFF_FLAGS.test(off))) {
      throw unsupported(`inline flags (${flags.slice(0, -1)})`);
    }
    if (close === ')' && (start > 0 || on === '' || off !== undefined)) {
      throw unsupported('flags for the rest of the pattern anywhere but at its start');
    }
    // The translation already uses Unicode.
    const set = on.replaceAll('u', '') + (off === undefined ? '' : `-${off}`);
    if (close === ':') this.#emit(`(?${set}:`, 1 + flags.length);
    else this.#emit(set === '' ? '' : `(?${set})`, 1 + flags.length);
    return close === ':';
  }

  /** Reads the repetition after a part, if there is one. */
  #repeated(atom: Part): Part {
    const counts = this.#counts();
    if (counts === null) return atom;
    if (atom.assertion || atom.bytes === 0) throw invalid('nothing to repeat');
    const repeats = atom.repeats * Math.max(1, counts.repeats);
    if (repeats > MAX_REPEATS) throw invalid(`repetition of more than ${MAX_REPEATS} times`);
    if (this.#pattern.charAt(this.#at) === '?') this.#emit('?', 1);
    const next = this.#pattern.charAt(this.#at);
    if (next === '+') throw unsupported('possessive quantifiers');
    if (next === '*' || next === '?' || next === '{') throw invalid('a repetition of a repetition');
    return { bytes: atom.bytes * counts.copies + INSTRUCTION_BYTES, repeats, assertion: false };
  }

  /**
   * Reads the next repetition: its upper limit, if it has one, and the number of copies of its part that it compiles
   * to.
   */
  #counts(): { readonly repeats: number; readonly copies: number } | null {
    const sign = this.#pattern.charAt(this.#at);
    if (sign === '*' || sign === '+' || sign === '?') {
      this.#emit(sign, 1);
      return { repeats: 1, copies: 1 };
    }
    if (sign !== '{') return null;
    COUNTS.lastIndex = this.#at;
    const [text, least, comma, most] = COUNTS.exec(this.#pattern) ?? [];
    if (text === undefined || least === undefined) {
      throw invalid('{ must be written \\{ where it begins no repetition');
    }
    const low = Number(least);
    const high = most === undefined || most === '' ? low : Number(most);
    if (high < low) throw invalid(`the repetition ${text} is in reverse`);
    const repeats = Math.max(low, high);
    if (repeats > MAX_REPEATS) throw invalid(`repetition of more than ${MAX_REPEATS} times`);
    const open = comma !== undefined && most === '';
    this.#emit(
      `{${low}${comma === undefined ? '' : ','}${open || most === undefined ? '' : high}}`,
      text.length,
    );
    return { repeats, copies: repeats + (open ? 1 : 0) };
  }
}
