import { literal, leastInt, numberLiteral, stringLiterals } from './atoms.ts';
import { BINARY, BINDING, COMPARISONS, KEYWORDS, REFUSED_BINARY, WORDS } from './keywords.ts';
import { parsed, Refusals, tooDeep, type Parsed } from './parsed.ts';
import { spanOf, TokenCursor } from './token-cursor.ts';
import type { CompareOperator, Comparison, SourceSpan, UnaryOperator } from './tree.ts';

/**
 * Maximum nesting of constructs during parsing, including brackets that add no level to the tree. The stack of a main thread
 * (984 KiB) has room for 550 levels.
 */
const MAX_NESTING = 400;

const NO_TUPLES = 'Tuple literals are not supported; use a list';

/** `Cannot call '__eq__' directly`: function names of operators and properties (section 1.3.3). */
const DUNDER = /^__.+__$/;

/**
 * Parses an expression by Python's grammar, including the parts that this language does not have, so that errors can
 * name them. Takes time linear in the number of tokens. Too deep nesting ends it.
 */
export class ExpressionParser {
  readonly #tokens: TokenCursor;
  readonly #refusals = new Refusals();
  #nesting = 0;

  /** Parses the source from `start` on. */
  constructor(source: string, start: number) {
    this.#tokens = new TokenCursor(source, start);
  }

  /** Parses the whole source. Fails with an ExprFailure that has a position. */
  whole(): Parsed {
    const whole = this.#items('end');
    if (this.#tokens.peek().kind !== 'end') throw this.#tokens.unexpected();
    this.#refusals.check();
    return whole;
  }

  /** Parses a construct that can be nested. */
  #nested<Result>(read: () => Result): Result {
    this.#nesting += 1;
    if (this.#nesting > MAX_NESTING) throw tooDeep(spanOf(this.#tokens.peek()), MAX_NESTING);
    const result = read();
    this.#nesting -= 1;
    return result;
  }

  /** Parses an expression, or a tuple of several separated by commas. */
  #items(closing: ')' | ']' | 'end'): Parsed {
    const first = this.#item();
    if (!this.#tokens.is(',')) return first;
    const parts = this.#tuple(first, closing);
    const place = spanOf({ start: first.start, end: this.#tokens.last.end });
    return this.#refusals.add(NO_TUPLES, place, parts);
  }

  /** Parses the items of a tuple after the first. */
  #tuple(first: Parsed, closing: ')' | ']' | 'end'): Parsed[] {
    const parts = [first];
    while (this.#tokens.takes(',') && !this.#tokens.is(closing) && this.#tokens.peek().kind !== 'end') {
      parts.push(this.#item());
    }
    return parts;
  }

  /** Parses an expression, a starred one, or an assignment to a name. */
  #item(): Parsed {
    const { start } = this.#tokens.peek();
    if (this.#tokens.takes('*')) {
      const operand = this.#nested(() => this.#operation(BINDING.bitwiseOr));
      return this.#refusals.add('Star expressions are not supported', spanOf({ start, end: operand.end }), [
        operand,
      ]);
    }
    const item = this.#expression();
    if (!this.#tokens.takes(':=')) return item;
    const value = this.#expression();
    const place = spanOf({ start, end: value.end });
    return this.#refusals.add('Assignment expressions (:=) are not supported', place, [item, value]);
  }

  /** Parses a conditional expression, or one that binds tighter. */
  #expression(): Parsed {
    if (this.#tokens.is('lambda')) return this.#nested(() => this.#lambda());
    const then = this.#operation(BINDING.or);
    if (!this.#tokens.takes('if')) return then;
    const condition = this.#operation(BINDING.or);
    this.#tokens.expect('else');
    const otherwise = this.#nested(() => this.#expression());
    const place = spanOf({ start: then.start, end: otherwise.end });
    return parsed(
      {
        ...place,
        kind: 'conditional',
        condition: condition.expr,
        then: then.expr,
        otherwise: otherwise.expr,
      },
      [then, condition, otherwise],
    );
  }

  #lambda(): Parsed {
    const { start } = this.#tokens.take();
    while (!this.#tokens.takes(':')) {
      if (this.#tokens.takes('=')) this.#expression();
      else if (
        this.#tokens.peek().kind === 'name' ||
        ['*', '**', '/', ','].some((text) => this.#tokens.is(text))
      ) {
        this.#tokens.take();
      } else throw this.#tokens.failure("Expected ':'");
    }
    const body = this.#expression();
    return this.#refusals.add('Lambda expressions are not supported', spanOf({ start, end: body.end }), [
      body,
    ]);
  }

  /** Parses operands with operators that bind at least this tightly. */
  #operation(binding: number): Parsed {
    let left = this.#prefixed(binding);
    for (;;) {
      const { text } = this.#tokens.peek();
      const infix = BINARY.get(text) ?? REFUSED_BINARY.get(text);
      if (infix !== undefined && infix.binding >= binding) left = this.#binary(left, infix.binding);
      else if (binding <= BINDING.comparison && this.#isComparison()) left = this.#comparison(left);
      else if (binding <= BINDING.and && this.#tokens.is('and')) left = this.#logical(left, 'and');
      else if (binding <= BINDING.or && this.#tokens.is('or')) left = this.#logical(left, 'or');
      else return left;
    }
  }

  #binary(left: Parsed, binding: number): Parsed {
    const { text, start: caret } = this.#tokens.take();
    const right = this.#operation(binding + 1);
    const place: SourceSpan = { start: left.start, end: right.end, caret };
    const known = BINARY.get(text);
    if (known === undefined) {
      return this.#refusals.add(`${REFUSED_BINARY.get(text)?.operator ?? ''} is not supported`, place, [
        left,
        right,
      ]);
    }
    const { operator } = known;
    return parsed({ ...place, kind: 'binary', operator, left: left.expr, right: right.expr }, [left, right]);
  }

  #isComparison(): boolean {
    const { text, kind } = this.#tokens.peek();
    if (kind !== 'name' && kind !== 'operator') return false;
    return COMPARISONS.has(text) || text === 'is' || (text === 'not' && this.#tokens.is('in', 1));
  }

  /** Parses a chain of comparisons: each one is a level. */
  #comparison(first: Parsed): Parsed {
    const operands = [first];
    const rest: Comparison[] = [];
    let before = first;
    while (this.#isComparison()) {
      const operator = this.#comparisonOperator();
      const operand = this.#operation(BINDING.bitwiseOr);
      const place = spanOf({ start: before.start, end: operand.end });
      if (operator === 'is' || operator === 'is not') {
        const instead = operator === 'is' ? '==' : '!=';
        this.#refusals.add(`The '${operator}' operator is not supported; use '${instead}'`, place);
      } else rest.push({ operator, operand: operand.expr, place });
      operands.push(operand);
      before = operand;
    }
    const place = spanOf({ start: first.start, end: before.end });
    return parsed({ ...place, kind: 'compare', first: first.expr, rest }, operands, operands.length - 1);
  }

  #comparisonOperator(): CompareOperator | 'is' | 'is not' {
    const { text } = this.#tokens.take();
    const known = COMPARISONS.get(text);
    if (known !== undefined) return known;
    if (text === 'is') return this.#tokens.takes('not') ? 'is not' : 'is';
    this.#tokens.take();
    return 'not in';
  }

  #logical(first: Parsed, operator: 'and' | 'or'): Parsed {
    const operands = [first];
    let end = first.end;
    while (this.#tokens.takes(operator)) {
      const operand = this.#operation(BINDING[operator] + 1);
      operands.push(operand);
      end = operand.end;
    }
    const place = spanOf({ start: first.start, end });
    return parsed(
      { ...place, kind: 'logical', operator, operands: operands.map(({ expr }) => expr) },
      operands,
    );
  }

  /** Parses an operand with its prefix operators. */
  #prefixed(binding: number): Parsed {
    if (this.#tokens.is('not') && binding <= BINDING.not) {
      const { start } = this.#tokens.take();
      return this.#unary(
        'not',
        start,
        this.#nested(() => this.#operation(BINDING.not)),
      );
    }
    return this.#signed();
  }

  /** Parses an operand with signs; they bind looser than `**` after it, and tighter than `**` before them. */
  #signed(): Parsed {
    const least = leastInt(this.#tokens, this.#refusals);
    if (least !== null) return least;
    for (const operator of ['-', '+'] as const) {
      if (this.#tokens.is(operator)) {
        const { start } = this.#tokens.take();
        return this.#unary(
          operator,
          start,
          this.#nested(() => this.#signed()),
        );
      }
    }
    if (this.#tokens.is('~')) {
      const { start } = this.#tokens.take();
      const operand = this.#nested(() => this.#signed());
      return this.#refusals.add('Bitwise NOT (~) is not supported', spanOf({ start, end: operand.end }), [
        operand,
      ]);
    }
    return this.#power();
  }

  #unary(operator: UnaryOperator, start: number, operand: Parsed): Parsed {
    const place = spanOf({ start, end: operand.end });
    return parsed({ ...place, kind: 'unary', operator, operand: operand.expr }, [operand]);
  }

  #power(): Parsed {
    const left = this.#awaited();
    if (!this.#tokens.is('**')) return left;
    const { start: caret } = this.#tokens.take();
    const right = this.#nested(() => this.#signed());
    const place: SourceSpan = { start: left.start, end: right.end, caret };
    return parsed({ ...place, kind: 'binary', operator: '**', left: left.expr, right: right.expr }, [
      left,
      right,
    ]);
  }

  #awaited(): Parsed {
    const { start } = this.#tokens.peek();
    if (!this.#tokens.takes('await')) return this.#postfixed();
    const operand = this.#postfixed();
    return this.#refusals.add('Await expressions are not supported', spanOf({ start, end: operand.end }), [
      operand,
    ]);
  }

  /** Parses attributes, calls and subscripts after an operand. */
  #postfixed(): Parsed {
    let base = this.#atom();
    for (;;) {
      if (this.#tokens.takes('.')) base = this.#attribute(base);
      else if (this.#tokens.takes('(')) base = this.#call(base);
      else if (this.#tokens.is('[')) base = this.#nested(() => this.#subscript(base));
      else return base;
    }
  }

  /** After a dot every word is a name. */
  #attribute(base: Parsed): Parsed {
    if (this.#tokens.peek().kind !== 'name') throw this.#tokens.failure("Expected a name after '.'");
    const { text: name, start: caret, end } = this.#tokens.take();
    return parsed({ start: base.start, end, caret, kind: 'attribute', base: base.expr, name }, [base]);
  }

  #call(called: Parsed): Parsed {
    const args = this.#nested(() => this.#arguments());
    const { expr, start } = called;
    const place: SourceSpan = {
      start,
      end: this.#tokens.last.end,
      caret: expr.kind === 'attribute' ? expr.caret : start,
    };
    const parts = [called, ...args];
    if (expr.kind !== 'name' && expr.kind !== 'attribute') {
      return this.#refusals.add('Only functions and methods can be called', place, parts);
    }
    const { name } = expr;
    if (DUNDER.test(name)) return this.#refusals.add(`Cannot call '${name}' directly`, place, parts);
    const values = args.map((arg) => arg.expr);
    if (expr.kind === 'name') return parsed({ ...place, kind: 'call', name, args: values }, args);
    return parsed({ ...place, kind: 'method', receiver: expr.base, name, args: values }, [
      { ...called, depth: called.depth - 1 },
      ...args,
    ]);
  }

  /** Parses up to the closing parenthesis. */
  #arguments(): Parsed[] {
    const args: Parsed[] = [];
    while (!this.#tokens.takes(')')) {
      args.push(this.#argument());
      if (!this.#tokens.is(')')) this.#tokens.expect(',', "')' or ");
    }
    return args;
  }

  #argument(): Parsed {
    const { start, kind } = this.#tokens.peek();
    const isKeyword = kind === 'name' && this.#tokens.is('=', 1);
    if (isKeyword || this.#tokens.is('**')) {
      this.#tokens.take();
      this.#tokens.takes('=');
      const value = this.#expression();
      return this.#refusals.add('Keyword arguments are not supported', spanOf({ start, end: value.end }), [
        value,
      ]);
    }
    const item = this.#item();
    return this.#isClause() ? this.#generator(item, start, null) : item;
  }

  #generator(element: Parsed, start: number, closing: ')' | null): Parsed {
    const clauses = this.#clauses();
    if (closing !== null) this.#tokens.expect(closing);
    return this.#refusals.add(
      'Generator expressions are not supported; use a list comprehension',
      spanOf({ start, end: this.#tokens.last.end }),
      [element, ...clauses.parts],
    );
  }

  #subscript(base: Parsed): Parsed {
    const { start: caret } = this.#tokens.take();
    if (this.#tokens.is(']')) throw this.#tokens.failure('Expected an index');
    const bounds: (Parsed | null)[] = [];
    if (!this.#tokens.is(':')) bounds.push(this.#items(']'));
    else bounds.push(null);
    while (bounds.length < 3 && this.#tokens.takes(':')) {
      bounds.push(this.#tokens.is(']') || this.#tokens.is(':') ? null : this.#items(']'));
    }
    const { end } = this.#tokens.expect(']');
    const [lower = null, upper = null, step = null] = bounds;
    const place: SourceSpan = { start: base.start, end, caret };
    if (bounds.length === 1 && lower !== null) {
      return parsed({ ...place, kind: 'subscript', base: base.expr, index: lower.expr }, [base, lower]);
    }
    const of = (bound: Parsed | null): Parsed['expr'] | null => bound?.expr ?? null;
    return parsed(
      { ...place, kind: 'slice', base: base.expr, lower: of(lower), upper: of(upper), step: of(step) },
      [base, ...bounds.filter((bound) => bound !== null)],
    );
  }

  #atom(): Parsed {
    const token = this.#tokens.peek();
    switch (token.kind) {
      case 'int':
      case 'float':
      case 'imaginary':
        return numberLiteral(this.#tokens, this.#refusals);
      case 'string':
        return stringLiterals(this.#tokens, this.#refusals);
      case 'name':
        return this.#word();
      default:
        if (this.#tokens.takes('...'))
          return this.#refusals.add('Ellipsis (...) is not supported', spanOf(token));
        if (this.#tokens.takes('(')) return this.#nested(() => this.#parenthesised(token.start));
        if (this.#tokens.takes('[')) return this.#nested(() => this.#list(token.start));
        if (this.#tokens.takes('{')) return this.#nested(() => this.#braces(token.start));
        throw this.#noExpression();
    }
  }

  #word(): Parsed {
    const token = this.#tokens.peek();
    if (KEYWORDS.has(token.text)) throw this.#noExpression();
    this.#tokens.take();
    const word = WORDS.get(token.text);
    if (word !== undefined) return literal(word, spanOf(token));
    const { text: name, start, end } = token;
    return parsed({ kind: 'name', start, end, caret: start, name }, []);
  }

  /** An expression in parentheses has a position without them; the enclosing expression includes them. */
  #parenthesised(start: number): Parsed {
    const parts = this.#tokens.is(')') ? [] : [this.#item()];
    const [first] = parts;
    if (first !== undefined && this.#isClause()) return this.#generator(first, start, ')');
    const isTuple = first === undefined || this.#tokens.is(',');
    if (first !== undefined && isTuple) parts.push(...this.#tuple(first, ')').slice(1));
    const { end } = this.#tokens.expect(')');
    if (isTuple) return this.#refusals.add(NO_TUPLES, spanOf({ start, end }), parts);
    return { ...first, start, end };
  }

  /** Parses a list or a comprehension. */
  #list(start: number): Parsed {
    const items: Parsed[] = [];
    while (!this.#tokens.is(']')) {
      items.push(this.#item());
      if (items.length === 1 && this.#isClause()) return this.#comprehension(start, items);
      if (!this.#tokens.is(']')) this.#tokens.expect(',', "']' or ");
    }
    const place = spanOf({ start, end: this.#tokens.take().end });
    return parsed({ ...place, kind: 'list', items: items.map(({ expr }) => expr) }, items);
  }

  #comprehension(start: number, [element]: readonly Parsed[]): Parsed {
    if (element === undefined) throw new Error('a comprehension has an element');
    const { variable, iterable, filter, parts } = this.#clauses();
    const place = spanOf({ start, end: this.#tokens.expect(']').end });
    const { expr: name } = variable;
    return parsed(
      {
        ...place,
        kind: 'comprehension',
        element: element.expr,
        variable: name.kind === 'name' ? name.name : '',
        variablePlace: spanOf(variable),
        iterable: iterable.expr,
        filter: filter?.expr ?? null,
      },
      [element, ...parts],
    );
  }

  #isClause(): boolean {
    return this.#tokens.is('for') || (this.#tokens.is('async') && this.#tokens.is('for', 1));
  }

  /** Parses the `for` and `if` clauses of a comprehension. */
  #clauses(): Clauses {
    const clauses = this.#forClause();
    const parts = [...clauses.parts];
    while (this.#isClause()) {
      const { start } = this.#tokens.peek();
      const more = this.#forClause();
      this.#refusals.add(
        "Multiple 'for' clauses in a comprehension are not supported",
        spanOf({ start, end: this.#tokens.last.end }),
        more.parts,
      );
      parts.push(...more.parts);
    }
    return { ...clauses, parts };
  }

  #forClause(): Clauses {
    const { start } = this.#tokens.peek();
    if (this.#tokens.takes('async')) {
      this.#refusals.add(
        'Asynchronous comprehensions are not supported',
        spanOf({ start, end: this.#tokens.last.end }),
      );
    }
    this.#tokens.expect('for');
    const variable = this.#variable();
    this.#tokens.expect('in');
    const iterable = this.#operation(BINDING.or);
    const filters: Parsed[] = [];
    while (this.#tokens.is('if')) {
      const clause = this.#tokens.take();
      const filter = this.#operation(BINDING.or);
      if (filters.length > 0) {
        const place = spanOf({ start: clause.start, end: filter.end });
        this.#refusals.add("Multiple 'if' clauses in a comprehension are not supported", place, [filter]);
      }
      filters.push(filter);
    }
    return { variable, iterable, filter: filters[0] ?? null, parts: [variable, iterable, ...filters] };
  }

  #variable(): Parsed {
    const isGroup = this.#tokens.is('(') || this.#tokens.is('[');
    const first = this.#operation(BINDING.bitwiseOr);
    const parts = [first];
    while (this.#tokens.takes(',') && !this.#tokens.is('in')) parts.push(this.#operation(BINDING.bitwiseOr));
    const place = spanOf({ start: first.start, end: this.#tokens.last.end });
    const isSeveral = this.#tokens.last.text === ',' || parts.length > 1;
    if (first.expr.kind === 'name' && !isSeveral) return first;
    if (isSeveral || isGroup) {
      return this.#refusals.add('Tuple unpacking in a comprehension is not supported', place, parts);
    }
    return this.#refusals.add('The loop variable of a comprehension must be a name', place, parts);
  }

  /** Parses a dict, a set, or a comprehension of one. */
  #braces(start: number): Parsed {
    const parts: Parsed[] = [];
    let kind: 'Dict' | 'Set' = this.#tokens.is('}') ? 'Dict' : 'Set';
    let isComprehension = false;
    while (!this.#tokens.is('}')) {
      if (this.#tokens.takes('**')) {
        kind = 'Dict';
        parts.push(this.#operation(BINDING.bitwiseOr));
      } else {
        parts.push(this.#item());
        if (this.#tokens.takes(':')) {
          kind = 'Dict';
          parts.push(this.#expression());
        }
      }
      if (this.#isClause()) {
        isComprehension = true;
        parts.push(...this.#clauses().parts);
      }
      if (!this.#tokens.is('}')) this.#tokens.expect(',', "'}' or ");
    }
    const place = spanOf({ start, end: this.#tokens.take().end });
    return this.#refusals.add(
      isComprehension
        ? `${kind} comprehensions are not supported; only list comprehensions are allowed`
        : `${kind} literals are not supported`,
      place,
      parts,
    );
  }

  #noExpression(): Error {
    return this.#tokens.failure('Expected an expression');
  }
}

interface Clauses {
  readonly variable: Parsed;
  readonly iterable: Parsed;
  readonly filter: Parsed | null;
  readonly parts: readonly Parsed[];
}
