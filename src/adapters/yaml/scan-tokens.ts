import { CST, Lexer } from 'yaml';
import type { DocumentLimits } from '../../openjd/primitives/document-limits.ts';
import type { LineIndex } from '../../openjd/primitives/line-index.ts';
import { Unreadable } from '../../openjd/template/read-result.ts';

/**
 * Splits YAML text into tokens. Rejects text that is nested too deeply, too large, or uses tags or directives, before a
 * parser recurses. Iterative. Uses the lexer of the parser, so that both see the same nesting.
 */
export function scanTokens(text: string, limits: DocumentLimits, lines: LineIndex): string[] {
  const tokens: string[] = [];
  const nesting = new Nesting(limits.maxDepth);
  let offset = 0;
  let nodes = 0;
  let scalar = false;
  for (const token of new Lexer().lex(text)) {
    tokens.push(token);
    if (tokens.length > limits.maxTokens)
      throw new Unreadable(`has more than ${limits.maxTokens} tokens`, lines.at(offset));
    if (scalar) {
      scalar = false;
      offset += token.length;
      continue;
    }
    const type = CST.tokenType(token);
    if (type === 'tag') throw new Unreadable('tags are not supported', lines.at(offset));
    if (type === 'directive-line') throw new Unreadable('directives are not supported', lines.at(offset));
    if (isNode(type) && ++nodes > limits.maxNodes) {
      throw new Unreadable(`has more than ${limits.maxNodes} nodes`, lines.at(offset));
    }
    if (!nesting.accepts(type, token)) {
      throw new Unreadable(`is nested deeper than ${limits.maxDepth} levels`, lines.at(offset));
    }
    scalar = type === 'scalar';
    if (type !== 'doc-mode' && type !== 'flow-error-end' && !scalar) offset += token.length;
  }
  return tokens;
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
