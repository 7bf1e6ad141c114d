import { quoteForMessage } from '../../primitives/text-rules.ts';

/** Combination of task parameters (specification, section 3.4.3). */
export type Combination =
  | { readonly kind: 'name'; readonly name: string }
  | { readonly kind: 'product'; readonly parts: readonly Combination[] }
  | { readonly kind: 'zip'; readonly parts: readonly Combination[] };

type ParsedCombination =
  | { readonly ok: true; readonly value: Combination }
  | { readonly ok: false; readonly detail: string };

const TOKEN = / *(?:([A-Za-z_][A-Za-z0-9_]*)|([*(),]))/y;
/** Maximum nesting of groups; every group has at least two names, so no valid expression is near it. */
const MAX_DEPTH = 64;

/** Parses `A * (B, C * D)`. Errors name the expected token. */
export function parseCombination(text: string): ParsedCombination {
  try {
    return { ok: true, value: new Parser(text).whole() };
  } catch (error) {
    if (error instanceof CombinationError) return { ok: false, detail: error.message };
    throw error;
  }
}

/** Formats a combination so that parsing returns the same combination. */
export function textOfCombination(combination: Combination): string {
  switch (combination.kind) {
    case 'name':
      return combination.name;
    case 'product':
      return combination.parts.map(textOfCombination).join(' * ');
    case 'zip':
      return `(${combination.parts.map(textOfCombination).join(', ')})`;
  }
}

/** Yields the names in a combination, from left to right, and whether each is inside a group. */
export function* namesIn(
  combination: Combination,
  grouped = false,
): Generator<{ readonly name: string; readonly grouped: boolean }> {
  if (combination.kind === 'name') yield { name: combination.name, grouped };
  else for (const part of combination.parts) yield* namesIn(part, grouped || combination.kind === 'zip');
}

class CombinationError extends Error {}

class Parser {
  readonly #text: string;
  #next: string | null = null;
  #isName = false;
  #at = 0;
  #depth = 0;

  constructor(text: string) {
    this.#text = text;
    this.#advance();
  }

  whole(): Combination {
    const value = this.#product();
    if (this.#next !== null) throw this.#expected('"*" or the end');
    return value;
  }

  #product(): Combination {
    const first = this.#term();
    const parts = [first];
    while (this.#is('*')) {
      this.#advance();
      parts.push(this.#term());
    }
    return parts.length === 1 ? first : { kind: 'product', parts };
  }

  #term(): Combination {
    if (this.#isName && this.#next !== null) {
      const name = this.#next;
      this.#advance();
      return { kind: 'name', name };
    }
    if (!this.#is('(')) throw this.#expected('a parameter name or "("');
    if (++this.#depth > MAX_DEPTH) throw new CombinationError(`is nested deeper than ${MAX_DEPTH} levels`);
    this.#advance();
    const parts = [this.#product()];
    while (this.#is(',')) {
      this.#advance();
      parts.push(this.#product());
    }
    if (!this.#is(')')) throw this.#expected('"," or ")"');
    if (parts.length === 1) throw new CombinationError('a group in parentheses must have more than one term');
    this.#depth -= 1;
    this.#advance();
    return { kind: 'zip', parts };
  }

  #is(token: string): boolean {
    return this.#next === token;
  }

  #advance(): void {
    TOKEN.lastIndex = this.#at;
    const match = TOKEN.exec(this.#text);
    if (match === null) {
      const rest = this.#text.slice(this.#at).replace(/^ +/, '');
      if (rest !== '')
        throw new CombinationError(`the character ${quoteForMessage(rest[0] ?? '')} is not allowed here`);
      this.#next = null;
      this.#isName = false;
      return;
    }
    this.#at += match[0].length;
    this.#isName = match[1] !== undefined;
    this.#next = match[1] ?? match[2] ?? null;
  }

  #expected(wanted: string): CombinationError {
    return new CombinationError(
      `${wanted} is expected, not ${this.#next === null ? 'the end' : quoteForMessage(this.#next)}`,
    );
  }
}
