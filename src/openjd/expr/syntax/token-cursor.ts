import { ExprFailure } from '../expr-failure.ts';
import type { Token } from './token.ts';
import { tokenFrom } from './tokens.ts';
import type { SourceSpan } from './tree.ts';

/** Reads the tokens of a source in order. Fails with an ExprFailure if an expected token is missing. */
export class TokenCursor {
  readonly #source: string;
  readonly #start: number;
  /** Tokens read so far, including lookahead. */
  readonly #tokens: Token[] = [];
  #next = 0;

  /** Reads the source from `start` on. */
  constructor(source: string, start: number) {
    this.#source = source;
    this.#start = start;
  }

  /** Returns the next token, or a later one. After the last one is the end token. */
  peek(ahead = 0): Token {
    const index = this.#next + ahead;
    for (;;) {
      const token = this.#tokens[index];
      if (token !== undefined) return token;
      this.#tokens.push(tokenFrom(this.#source, this.#tokens.at(-1)?.end ?? this.#start));
    }
  }

  /** Returns the latest consumed token. */
  get last(): Token {
    return this.#tokens[this.#next - 1] ?? this.peek();
  }

  take(): Token {
    const token = this.peek();
    this.#next += 1;
    return token;
  }

  /** Reports whether the next token (or a later one) is this operator or keyword. */
  is(text: string, ahead = 0): boolean {
    const token = this.peek(ahead);
    return token.text === text && (token.kind === 'operator' || token.kind === 'name');
  }

  /** Consumes the next token if it is this operator or keyword. */
  takes(text: string): boolean {
    const is = this.is(text);
    if (is) this.#next += 1;
    return is;
  }

  expect(text: string, or: string = ''): Token {
    if (this.is(text)) return this.take();
    throw this.failure(`Expected ${or}'${text}'`);
  }

  /** Returns the failure if the next token is not the expected one. */
  failure(wanted: string): ExprFailure {
    const token = this.peek();
    if (token.kind === 'error') return new ExprFailure(token.text, spanOf(token));
    if (token.kind === 'end') return new ExprFailure(`Syntax error: ${wanted}`, this.#lastLine());
    return new ExprFailure(`Syntax error: ${wanted}, found ${shown(token)}`, spanOf(token));
  }

  /** Returns the failure if the next token cannot follow the expression. */
  unexpected(): ExprFailure {
    const token = this.peek();
    if (token.kind === 'error') return new ExprFailure(token.text, spanOf(token));
    const instead = INSTEAD.get(token.text);
    const hint = instead === undefined ? '' : `. Did you mean '${instead}'?`;
    return new ExprFailure(`Syntax error: Unexpected token ${shown(token)}${hint}`, spanOf(token));
  }

  /** Returns the last line of the source: a missing token at its end may belong anywhere in it. */
  #lastLine(): SourceSpan {
    const { end } = this.last;
    const lineStart = this.#source.lastIndexOf('\n', end - 1) + 1;
    const first = this.#tokens.find((token) => token.start >= lineStart);
    return spanOf({ start: Math.min(first?.start ?? end, end), end });
  }
}

export const spanOf = ({ start, end }: { readonly start: number; readonly end: number }): SourceSpan => ({
  start,
  end,
  caret: start,
});

/** Notation of other languages, and its replacement in this one. */
const INSTEAD: ReadonlyMap<string, string> = new Map([
  ['=', '=='],
  ['&&', 'and'],
  ['||', 'or'],
  ['!', 'not'],
]);

/** Maximum number of UTF-16 units of a token in a message. */
const MAX_SHOWN = 40;

const shown = ({ text }: Token): string =>
  text.length > MAX_SHOWN ? `'${text.slice(0, MAX_SHOWN)}...'` : `'${text}'`;
