import { listOf, NAMED_TYPES, NULLTYPE, ANY, unionOf, unresolved, type ExprType } from './expr-type.ts';

/** Maximum nesting of brackets in a type's text. */
const MAX_DEPTH = 8;
const TOKEN = /[ \t]*([A-Za-z_][A-Za-z0-9_]*|[[\]|?])/y;

/**
 * Parses the text of a type: `int`, `list[string]`, `int?`, `int | string`, `unresolved[list[int]]`, `unresolved`.
 * Returns null if it is invalid.
 */
export function parseType(text: string): ExprType | null {
  const tokens: string[] = [];
  TOKEN.lastIndex = 0;
  const source = text.trimEnd();
  while (TOKEN.lastIndex < source.length) {
    const token = TOKEN.exec(source)?.[1];
    if (token === undefined) return null;
    tokens.push(token);
  }
  const reader = new TypeReader(tokens);
  const type = reader.union(0);
  return reader.atEnd ? type : null;
}

class TypeReader {
  readonly #tokens: readonly string[];
  #next = 0;

  constructor(tokens: readonly string[]) {
    this.#tokens = tokens;
  }

  get atEnd(): boolean {
    return this.#next === this.#tokens.length;
  }

  union(depth: number): ExprType | null {
    const members: ExprType[] = [];
    do {
      const member = this.#single(depth);
      if (member === null) return null;
      members.push(member);
    } while (this.#takes('|'));
    return unionOf(members);
  }

  #single(depth: number): ExprType | null {
    const name = this.#tokens[this.#next++];
    if (name === undefined || depth > MAX_DEPTH) return null;
    let type: ExprType | null;
    if (name === 'list' || name === 'unresolved') {
      if (this.#takes('[')) {
        const inner = this.union(depth + 1);
        if (inner === null || !this.#takes(']')) return null;
        type = name === 'list' ? listOf(inner) : unresolved(inner);
      } else type = name === 'unresolved' ? unresolved(ANY) : null;
    } else type = NAMED_TYPES.get(name) ?? null;
    if (type === null) return null;
    return this.#takes('?') ? unionOf([type, NULLTYPE]) : type;
  }

  #takes(token: string): boolean {
    if (this.#tokens[this.#next] !== token) return false;
    this.#next += 1;
    return true;
  }
}
