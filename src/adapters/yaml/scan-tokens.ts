import { CST, Lexer } from 'yaml';
import type { DocumentLimits } from '../../openjd/primitives/document-limits.ts';

/** Tokens of a text. If it was refused, they are those before the refused one. */
export interface ScannedTokens {
  readonly tokens: readonly string[];
  readonly refused: {
    readonly detail: string;
    readonly offset: number;
    /** The whole document is too large. */
    readonly isSize: boolean;
  } | null;
}

/**
 * Splits YAML text into tokens. Rejects text that is nested too deeply, too large, or uses tags or directives, before a
 * parser recurses. Iterative. Uses the lexer of the parser, so that both see the same nesting.
 */
export function scanTokens(text: string, limits: DocumentLimits): ScannedTokens {
  const tokens: string[] = [];
  const nesting = new Nesting(limits.maxDepth);
  let offset = 0;
  let nodes = 0;
  let scalar = false;
  for (const token of new Lexer().lex(text)) {
    const refused = (detail: string, isSize = false): ScannedTokens => ({
      tokens,
      refused: { detail, offset, isSize },
    });
    if (tokens.length >= limits.maxTokens) return refused(`has more than ${limits.maxTokens} tokens`, true);
    if (scalar) {
      scalar = false;
      offset += token.length;
      tokens.push(token);
      continue;
    }
    const type = CST.tokenType(token);
    if (type === 'tag') return refused('tags are not supported; remove it, or put the text in quotes');
    if (type === 'directive-line') return refused('directives are not supported; remove this line');
    if (isNode(type) && ++nodes > limits.maxNodes)
      return refused(`has more than ${limits.maxNodes} nodes`, true);
    if (!nesting.accepts(type, token)) return refused(`is nested deeper than ${limits.maxDepth} levels`);
    tokens.push(token);
    scalar = type === 'scalar';
    if (type !== 'doc-mode' && type !== 'flow-error-end' && !scalar) offset += token.length;
  }
  return { tokens, refused: null };
}

type TokenType = ReturnType<typeof CST.tokenType>;

const isNode = (type: TokenType): boolean =>
  type === 'scalar' ||
  type === 'single-quoted-scalar' ||
  type === 'double-quoted-scalar' ||
  type === 'alias' ||
  type === 'flow-map-start' ||
  type === 'flow-seq-start' ||
  type === 'seq-item-ind' ||
  type === 'map-value-ind' ||
  type === 'explicit-key-ind' ||
  type === 'comma';

/**
 * Maximum number of indicators between two commas of a flow collection; the parser nests at each, and valid text has at
 * most two.
 */
const MAX_FLOW_INDICATORS = 4;

/**
 * An upper bound of the depth at each token. In flow style the open brackets count, and the indicators between two
 * commas are limited. In block style each column with a token counts as a level until a token further left; a level can
 * take two columns (key and value), so twice the depth is allowed here and the exact depth is measured on the tree.
 */
class Nesting {
  readonly #maxDepth: number;
  readonly #columns: number[] = [];
  /** Number of indicators since the last comma, for each open bracket. */
  readonly #flow: number[] = [];
  #column = 0;
  #atIndent = true;

  constructor(maxDepth: number) {
    this.#maxDepth = maxDepth;
  }

  accepts(type: TokenType, token: string): boolean {
    switch (type) {
      case 'flow-map-start':
      case 'flow-seq-start':
        this.#stand();
        this.#flow.push(0);
        break;
      case 'flow-map-end':
      case 'flow-seq-end':
        this.#flow.pop();
        break;
      case 'comma':
        if (this.#flow.length > 0) this.#flow[this.#flow.length - 1] = 0;
        break;
      case 'flow-error-end':
        this.#flow.length = 0;
        return true;
      case 'doc-mode':
        return true;
      case 'newline':
        this.#column = 0;
        this.#atIndent = true;
        return true;
      case 'seq-item-ind':
      case 'explicit-key-ind':
      case 'map-value-ind':
        if (!this.#indicate()) return false;
        break;
      case 'space':
      case 'comment':
        break;
      default:
        this.#stand();
    }
    this.#column += token.length;
    return this.#flow.length <= this.#maxDepth && this.#columns.length <= 2 * this.#maxDepth;
  }

  #indicate(): boolean {
    const open = this.#flow.length - 1;
    if (open >= 0) {
      const indicators = (this.#flow[open] ?? 0) + 1;
      this.#flow[open] = indicators;
      return indicators <= MAX_FLOW_INDICATORS;
    }
    this.#atIndent = true;
    this.#stand();
    this.#atIndent = true;
    return true;
  }

  /** Records a token at the current column of a block. */
  #stand(): void {
    if (this.#flow.length > 0 || !this.#atIndent) return;
    this.#atIndent = false;
    while ((this.#columns.at(-1) ?? -1) >= this.#column) this.#columns.pop();
    this.#columns.push(this.#column);
  }
}
