import { FUNCTIONS } from '../../../../src/openjd/expr/functions/library.ts';
import type { Signature } from '../../../../src/openjd/expr/functions/signature.ts';
import { isGeneric, resolvedType, unionOf } from '../../../../src/openjd/expr/type-system/expr-type.ts';
import { substitute, type Bindings } from '../../../../src/openjd/expr/type-system/type-match.ts';
import { typed } from './checked.ts';

/** Symbols of every parameter type, with values that suit many expressions. */
export const SYMBOLS: Readonly<
  Record<string, { readonly type: string; readonly values: readonly unknown[] }>
> = {
  'Param.B': { type: 'bool', values: [true, false] },
  'Param.I': { type: 'int', values: [0, 1, 2, 3, -1, 7, '9223372036854775807', '-9223372036854775808'] },
  'Param.J': { type: 'int', values: [1, 2, 5, -3] },
  'Param.F': { type: 'float', values: ['2.50', 0, 1.5, -0.5, 1e300] },
  'Param.S': { type: 'string', values: ['a', 'b c', '12', '/x/y.exr', '3-5', ''] },
  'Param.Name': { type: 'string', values: ['shot010_v003', 'Render', '1.5'] },
  'Param.P': { type: 'path', values: ['/a/b_001.exr', 'rel/c.tar.gz', 's3://bucket/k//v.usd'] },
  'Param.R': { type: 'range_expr', values: ['1-5', '1-9:2', '-3--1,7', '10'] },
  'Param.Li': { type: 'list[int]', values: [[1], [3, 1, 2], [2, 2, 5, -1]] },
  'Param.Lf': { type: 'list[float]', values: [[1.5], ['2.0', '0.50', '3']] },
  'Param.Ls': { type: 'list[string]', values: [['x'], ['b', 'a', 'b'], ['', '7']] },
  'Param.Lp': { type: 'list[path]', values: [['/p'], ['/p/q', 'r']] },
  'Param.Lb': { type: 'list[bool]', values: [[true], [false, true]] },
  'Param.Ll': { type: 'list[list[int]]', values: [[[1], [2, 3]], [[4]]] },
  'Param.Os': { type: 'string?', values: [null, 'given'] },
  'Param.N': { type: 'float | int', values: [2, '1.5', -1] },
  'Param.Oi': { type: 'int?', values: [null, 4] },
};

/** Returns the actual type of a value of a symbol type. */
export function typeOfJson(type: string, value: unknown): string {
  if (value === null) return 'nulltype';
  if (type === 'float | int') return typeof value === 'number' ? 'int' : 'float';
  return type.replace('?', '');
}

const ELEMENTS = ['int', 'float', 'string', 'path', 'bool'];
const LITERALS: Readonly<Record<string, readonly string[]>> = {
  bool: ['true', 'false'],
  int: ['0', '1', '2', '-1', '3', '10'],
  float: ['0.5', '2.50', '1e3', '-1.25'],
  string: ["'a'", "''", "'_'", "'12'", "'x y'"],
  path: ["path('/a/b.exr')", "path('c')"],
  range_expr: ["range_expr('1-4')", "range_expr('2,4,9')"],
  'list[int]': ['[1, 2]', '[5]'],
  'list[float]': ['[1.0, 2]', '[0.5]'],
  'list[string]': ["['q', 'r']", "[path('/z'), 's']"],
  'list[path]': ["[path('/z')]"],
  'list[bool]': ['[true, false]'],
  'list[list[int]]': ['[[1], [2, 3]]', '[[], [4]]'],
  'string?': ['null', "'lit'"],
  'int?': ['null', '6'],
  'float | int': ['4', '0.25'],
};

const PATTERNS = [String.raw`r'\d+'`, String.raw`r'(\w)_(\w)'`, "'a'", "'[a-z]+'"];

/** A signature with bound variables that produces a value. */
interface Producer {
  readonly signature: Signature;
  readonly parameters: readonly string[];
}

/** Producers by the text of their result type. */
const PRODUCERS = producers();

function producers(): ReadonlyMap<string, readonly Producer[]> {
  const found = new Map<string, Producer[]>();
  for (const { signatures, hostOnly } of FUNCTIONS.values()) {
    if (hostOnly) continue;
    for (const signature of signatures) {
      if (signature.returns.kind === 'noreturn') continue;
      for (const bindings of bound(signature)) {
        const types = signature.parameters.map(({ type }) => resolvedType(substitute(type, bindings)));
        const inferred =
          signature.infer === null ? substitute(signature.returns, bindings) : signature.infer(types);
        const parameters = types.map(({ text }) => text);
        if (inferred === null || !parameters.every(canBeMade)) continue;
        const { text } = resolvedType(inferred);
        found.set(text, [...(found.get(text) ?? []), { signature, parameters }]);
      }
    }
  }
  return found;
}

function bound(signature: Signature): readonly Bindings[] {
  if (!signature.parameters.some(({ type }) => isGeneric(type))) return [new Map()];
  return ELEMENTS.flatMap((one) =>
    ELEMENTS.map((other): Bindings => {
      const [a, b] = [resolvedType(typed(one)), resolvedType(typed(other))];
      return new Map([
        ['T', a],
        ['T1', a],
        ['T2', b],
      ]);
    }),
  );
}

function canBeMade(type: string): boolean {
  return type in LITERALS || type === 'nulltype';
}

/** Generates expressions from a list of numbers; the same numbers yield the same expression. */
export class ExpressionMaker {
  readonly #tape: readonly number[];
  #next = 0;
  readonly #locals: { readonly name: string; readonly type: string }[] = [];
  /** The symbols that the expression uses. */
  readonly used = new Set<string>();

  constructor(tape: readonly number[]) {
    this.#tape = tape;
  }

  /** Returns a number below `bound`. Returns 0 at the end of the tape, which ends every expression soon. */
  pick(bound: number): number {
    const number = this.#tape[this.#next++] ?? 0;
    return number % bound;
  }

  #oneOf<Item>(items: readonly Item[]): Item {
    const item = items[this.pick(items.length)];
    if (item === undefined) throw new Error('cannot choose from an empty list');
    return item;
  }

  /** Returns the source of an expression of the type. Its evaluation can fail. */
  make(type: string, depth: number): string {
    if (depth <= 0) return this.#leaf(type);
    switch (this.pick(9)) {
      case 0:
        return this.#leaf(type);
      case 1:
        return `(${this.make(type, depth - 1)} if ${this.make('bool', depth - 1)} else ${this.make(type, depth - 1)})`;
      case 2:
        return this.#logical(type, depth);
      case 3:
        return this.#list(type, depth);
      case 4:
        return type === 'bool' ? this.#chain(depth) : this.#produced(type, depth);
      default:
        return this.#produced(type, depth);
    }
  }

  #leaf(type: string): string {
    const locals = this.#locals.filter((local) => local.type === type).map(({ name }) => name);
    const symbols = Object.keys(SYMBOLS).filter((name) => SYMBOLS[name]?.type === type);
    if (type === 'nulltype') return 'null';
    const leaves = [...symbols, ...symbols, ...locals, ...locals, ...(LITERALS[type] ?? [])];
    // Values of union types come only from calls.
    if (leaves.length === 0) return this.#produced(type, 1);
    const leaf = this.#oneOf(leaves);
    if (leaf in SYMBOLS) this.used.add(leaf);
    return leaf;
  }

  #logical(type: string, depth: number): string {
    if (type === 'bool') {
      const operator = this.#oneOf(['and', 'or']);
      return `(${this.make('bool', depth - 1)} ${operator} ${this.make('bool', depth - 1)})`;
    }
    if (type === 'string' || type === 'int') {
      return `(${this.make(`${type}?`, depth - 1)} or ${this.make(type, depth - 1)})`;
    }
    return this.make(type, depth - 1);
  }

  #chain(depth: number): string {
    const type = this.#oneOf(['int', 'float', 'string']);
    const operators = [this.#oneOf(['<', '<=', '!=']), this.#oneOf(['<', '==', '>='])];
    const operands = [0, 1, 2].map(() => this.make(type, depth - 1));
    return `(${operands[0]} ${operators[0]} ${operands[1]} ${operators[1]} ${operands[2]})`;
  }

  #list(type: string, depth: number): string {
    const element = type in LITERALS ? /^list\[(.*)\]$/.exec(type)?.[1] : undefined;
    if (element === undefined) return this.make(type, depth - 1);
    if (this.pick(2) === 0) {
      return `[${[0, 1].map(() => this.make(element, depth - 1)).join(', ')}]`;
    }
    // Iterates only over lists that are not empty: the body for an empty list is never evaluated.
    const source = this.#oneOf(
      Object.keys(SYMBOLS).filter((name) => /^list\[|^range/.test(SYMBOLS[name]?.type ?? '')),
    );
    const of = SYMBOLS[source]?.type ?? '';
    this.used.add(source);
    const name = `v${this.#locals.length}`;
    this.#locals.push({ name, type: /^list\[(.*)\]$/.exec(of)?.[1] ?? 'int' });
    const made = this.make(element, depth - 1);
    this.#locals.pop();
    const filter = this.pick(3) === 0 ? ` if ${name} == ${name}` : '';
    return `[${made} for ${name} in ${source}${filter}]`;
  }

  #produced(type: string, depth: number): string {
    const known = PRODUCERS.get(type) ?? [];
    if (known.length === 0) return this.#leaf(type);
    const { signature, parameters } = this.#oneOf(known);
    const isMethod = this.pick(2) === 0;
    const args = parameters.map((parameter, index) =>
      this.#argument(signature, parameter, index, depth - 1, isMethod),
    );
    return written(signature.name, args, isMethod);
  }

  #argument(signature: Signature, type: string, index: number, depth: number, isMethod: boolean): string {
    const { name } = signature.parameters[index] ?? { name: '' };
    if (name === 'pattern') return this.#oneOf(PATTERNS);
    const isReceiver = index === 0 && (isMethod || /^__(property|getitem)/.test(signature.name));
    // Values that are coerced.
    if (!isReceiver && type === 'float' && this.pick(3) === 0) {
      return this.make(this.pick(2) === 0 ? 'int' : 'float | int', depth);
    }
    if (!isReceiver && type === 'string' && !signature.name.startsWith('__') && this.pick(4) === 0) {
      return this.make('path', depth);
    }
    return this.make(type, depth);
  }
}

const OPERATORS: Readonly<Record<string, string>> = {
  __add__: '+',
  __sub__: '-',
  __mul__: '*',
  __truediv__: '/',
  __floordiv__: '//',
  __mod__: '%',
  __pow__: '**',
  __eq__: '==',
  __ne__: '!=',
  __lt__: '<',
  __gt__: '>',
  __le__: '<=',
  __ge__: '>=',
};

function written(name: string, args: readonly string[], isMethod: boolean): string {
  const [a = '', b = '', c = '', d = ''] = args;
  const property = /^__property_(.+)__$/.exec(name)?.[1];
  if (property !== undefined) return `(${a}).${property}`;
  if (name in OPERATORS) return `(${a} ${OPERATORS[name]} ${b})`;
  switch (name) {
    case '__neg__':
      return `(-${a})`;
    case '__pos__':
      return `(+${a})`;
    case '__not__':
      return `(not ${a})`;
    case '__contains__':
      return `(${b} in ${a})`;
    case '__not_contains__':
      return `(${b} not in ${a})`;
    case '__getitem__':
      return args.length === 2 ? `(${a})[${b}]` : `(${a})[${b}:${c}:${d}]`;
    default:
      return isMethod && args.length > 0
        ? `(${a}).${name}(${args.slice(1).join(', ')})`
        : `${name}(${args.join(', ')})`;
  }
}

/** Types for which expressions are generated. */
export const RESULTS: readonly string[] = [...Object.keys(LITERALS), ...PRODUCERS.keys()].filter(
  (text, index, all) =>
    all.indexOf(text) === index && text !== 'noreturn' && (text in LITERALS || PRODUCERS.has(text)),
);

/** Types that template fields require. */
export const TARGETS: readonly (string | undefined)[] = [
  undefined,
  undefined,
  'string',
  unionOf([typed('string'), typed('nulltype'), typed('list[string]')]).text,
  'int',
  'float?',
  'list[string]',
  'bool | int',
];
