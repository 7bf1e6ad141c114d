import { ExprFailure } from '../expr-failure.ts';
import type { Token } from './token.ts';
import { tokenFrom } from './tokens.ts';
import type { SourceSpan } from './tree.ts';

/** Reads the tokens of a source one after another. Fails with ExprFailure where one is wanted that is not there. */
export class TokenCursor {
  readonly #source: string;
  readonly #start: number;
  /** Those that were read, also ahead. */
  readonly #tokens: Token[] = [];
  #next = 0;

  /** Reads the source from `start` on. */
  constructor(source: string, start: number) {
    this.#source = source;
    this.#start = start;
  }

  /** The next token, or one further on; behind the last one is the end. */
  peek(ahead = 0): Token {
    const index = this.#next + ahead;
    for (;;) {
      const token = this.#tokens[index];
      if (token !== undefined) return token;
      this.#tokens.push(tokenFrom(this.#source, this.#tokens.at(-1)?.end ?? this.#start));
    }
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
    if (token.kind === 'error') return new ExprFailure(token.text, spanOf(token));
    if (token.kind === 'end') return new ExprFailure(`Syntax error: ${wanted}`, this.#lastLine());
    return new ExprFailure(`Syntax error: ${wanted}, found ${shown(token)}`, spanOf(token));
  }

  /** What to tell of the next token where the expression could be over. */
  unexpected(): ExprFailure {
    const token = this.peek();
    if (token.kind === 'error') return new ExprFailure(token.text, spanOf(token));
    const instead = INSTEAD.get(token.text);
    const hint = instead === undefined ? '' : `. Did you mean '${instead}'?`;
    return new ExprFailure(`Syntax error: Unexpected token ${shown(token)}${hint}`, spanOf(token));
  }

  /** The last line of the source: what is missing at its end may be missing anywhere in it. */
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
