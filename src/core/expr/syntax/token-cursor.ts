import { ExprFailure } from '../expr-failure.ts';
import type { Token } from './token.ts';
import { tokensOf } from './tokens.ts';
import type { Place } from './tree.ts';

/** Reads the tokens of a source one after another. Fails with ExprFailure where one is wanted that is not there. */
export class TokenCursor {
  readonly #tokens: readonly Token[];
  readonly #start: number;
  #next = 0;

  constructor(source: string) {
    this.#tokens = tokensOf(source);
    this.#start = this.#tokens[0]?.start ?? 0;
  }

  /** The next token, or one further on; the last one is the end. */
  peek(ahead = 0): Token {
    const token = this.#tokens[Math.min(this.#next + ahead, this.#tokens.length - 1)];
    if (token === undefined) throw new Error('a source has an end');
    return token;
  }

  /** The token that was taken last. */
  get last(): Token {
    return this.#tokens[this.#next - 1] ?? this.peek();
  }

  take(): Token {
    const token = this.peek();
    this.#next += 1;
    return token;
  }

  /** Whether the next token (or one further on) is an operator or a keyword. */
  is(text: string, ahead = 0): boolean {
    const token = this.peek(ahead);
    return token.text === text && (token.kind === 'operator' || token.kind === 'name');
  }

  /** Takes the next token when it is the operator or keyword. */
  takes(text: string): boolean {
    const is = this.is(text);
    if (is) this.#next += 1;
    return is;
  }

  expect(text: string, or: string = ''): Token {
    if (this.is(text)) return this.take();
    throw this.failure(`Expected ${or}'${text}'`);
  }

  /** What to tell of the next token where another one was wanted. */
  failure(wanted: string): ExprFailure {
    const token = this.peek();
    if (token.kind === 'error') return new ExprFailure(token.text, placeOf(token));
    if (token.kind === 'end') return new ExprFailure(`Syntax error: ${wanted}`, this.#whole());
    return new ExprFailure(`Syntax error: ${wanted}, found ${shown(token)}`, placeOf(token));
  }

  /** What to tell of the next token where the expression could be over. */
  unexpected(): ExprFailure {
    const token = this.peek();
    if (token.kind === 'error') return new ExprFailure(token.text, placeOf(token));
    const instead = INSTEAD.get(token.text);
    const hint = instead === undefined ? '' : `. Did you mean '${instead}'?`;
    return new ExprFailure(`Syntax error: Unexpected token ${shown(token)}${hint}`, placeOf(token));
  }

  /** The whole source: an expression that is not over has its fault everywhere. */
  #whole(): Place {
    return { start: this.#start, end: this.last.end, caret: this.#start };
  }
}

export const placeOf = ({ start, end }: { readonly start: number; readonly end: number }): Place => ({
  start,
  end,
  caret: start,
});

/** What other languages write, and what this one has for it. */
const INSTEAD: ReadonlyMap<string, string> = new Map([
  ['=', '=='],
  ['&&', 'and'],
  ['||', 'or'],
  ['!', 'not'],
]);

/** UTF-16 units of a token that a message shows. */
const MAX_SHOWN = 40;

const shown = ({ text }: Token): string =>
  text.length > MAX_SHOWN ? `'${text.slice(0, MAX_SHOWN)}...'` : `'${text}'`;
