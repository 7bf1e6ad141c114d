import { FUNCTIONS } from '../../src/openjd/expr/functions/library.ts';
import type { Signature } from '../../src/openjd/expr/functions/signature.ts';
import { parseType } from '../../src/openjd/expr/type-system/type-text.ts';
import {
  listOf,
  NULLTYPE,
  resolvedType,
  type ExprType,
  type VariableName,
} from '../../src/openjd/expr/type-system/expr-type.ts';
import { readValue } from '../../src/openjd/expr/values/read-value.ts';
import type { Value } from '../../src/openjd/expr/values/value.ts';

/** Source of the choices of a generator. */
export interface Choices {
  /** Returns a number from 0 to below `n`. */
  below(n: number): number;
}

/** Makes the same choices for the same seed on every machine (mulberry32). */
export function seededChoices(seed: number): Choices {
  let state = seed | 0;
  return {
    below(n) {
      state = (state + 0x6d2b79f5) | 0;
      let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
      mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
      return Math.floor((((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32) * n);
    },
  };
}

function typeFrom(text: string): ExprType {
  const type = parseType(text);
  if (type === null) throw new Error(`no type: ${text}`);
  return type;
}

const LONG_TEXT = 'render shot010_v003 été 🌍 '.repeat(400);

/** Symbols that the expressions of a template could use: small, large and unresolved values. */
const SYMBOLS: readonly (readonly [name: string, type: string, value: unknown])[] = [
  ['Param.Text', 'string', 'shot010_comp_v003'],
  ['Param.Long', 'string', LONG_TEXT],
  ['Param.Same', 'string', 'x'.repeat(50_000)],
  ['Param.Int', 'int', 7],
  ['Param.Big', 'int', '9223372036854775807'],
  ['Param.Low', 'int', '-9223372036854775808'],
  ['Param.Million', 'int', 1_000_000],
  ['Param.Float', 'float', '3.500'],
  ['Param.Tiny', 'float', 5e-324],
  ['Param.Huge', 'float', 1.7e308],
  ['Param.Bool', 'bool', true],
  ['Param.Path', 'path', '/projects/shot010/comp.0042.exr'],
  ['Param.Uri', 'path', 's3://bucket/a//b.exr'],
  ['Param.Range', 'range_expr', '1-10:3,20-30'],
  ['Param.Endless', 'range_expr', '1-4000000000000000000'],
  ['Param.Ints', 'list[int]', Array.from({ length: 500 }, (_, index) => (index * 7919) % 1000)],
  ['Param.Floats', 'list[float]', [1.5, -2.25, 1e300]],
  ['Param.Texts', 'list[string]', ['a b', "it's", '', '"q"', 'x'.repeat(1000), 'é\n']],
  ['Param.Paths', 'list[path]', ['/a/b', 'c.exr']],
  ['Param.Bools', 'list[bool]', [true, false]],
  ['Param.Nested', 'list[list[int]]', [[1, 2, 3], [], [4]]],
  ['Task.Int', 'unresolved[int]', null],
  ['Task.Text', 'unresolved[string]', null],
  ['Task.Either', 'unresolved[int | string]', null],
  ['Task.Maybe', 'unresolved[list[string]?]', null],
  ['Task.Any', 'unresolved[bool | float | int | list[int] | path | range_expr | string?]', null],
  ['Task.List', 'unresolved[list[int]]', null],
  ['Task.Flag', 'unresolved[bool]', null],
  ['Task.Range', 'unresolved[range_expr]', null],
];

export const GENERATED_SYMBOLS: ReadonlyMap<string, Value> = new Map(
  SYMBOLS.map(([name, type, json]) => {
    const read = readValue(typeFrom(type), json, 'posix');
    if (!read.ok) throw new Error(read.detail);
    return [name, read.value];
  }),
);

const INTS = [
  '0',
  '1',
  '2',
  '-1',
  '3',
  '10',
  '64',
  '255',
  '1000',
  '100000',
  '10**9',
  '2**62',
  '0x7fffffffffffffff',
  '-9223372036854775808',
];
const FLOATS = ['0.0', '1.5', '-2.25', '1e300', '1e-300', '3.500', '1e16', '.5'];
const STRINGS = [
  "''",
  "'a'",
  "'aa'",
  "' '",
  "','",
  "'abc,def,,ghi'",
  "'  a b\\tc '",
  "'é日🌍'",
  "'ΑΣ ß ǆ'",
  "'10'",
  "'-3.5'",
  "'true'",
  "'1-10:2'",
  "'a' * 1000",
  "'ab ' * 3000",
  "'a' * 100000",
  "'\\x00\\n\\'\"'",
  "'/a/b.exr'",
  "'s3://b/c'",
  "r'C:\\a\\b'",
  "'f_####.exr'",
  "'%04d'",
];
const PATTERNS = [
  "r'\\d+'",
  "r'(\\w+)_v(\\d+)'",
  "'a|b'",
  "'(a*)*'",
  "'(a+)+$'",
  "'(?:x+x+)+y'",
  "'a{1000}'",
  "'(a{1000}){1000}'",
  "r'(\\w{1,30}){30}'",
  "'x*'",
  "r'\\b\\w'",
  "r'[^\\W_]+'",
  "'((x|y|z)*(x|y)*){50}q'",
  "'x.*y|x'",
  "'(?i)[a-z]+'",
  "r'\\w{150}'",
  "'a(?=b)'",
  "'('",
  "'.'",
  "'(.)(.)(.)(.)'",
];
const RANGES = [
  "'1-10'",
  "'1-1000000000000000000'",
  "'-5-5:2'",
  "'1,3,5-9'",
  "'0-9223372036854775807:3'",
  "'x'",
  "'1-100000'",
];
const NAMES = ['x', 'y', 'z', 'frame', '_t'];

const BASIC = ['int', 'float', 'string', 'bool', 'path', 'range_expr'];
const LISTS = [
  ...BASIC.filter((name) => name !== 'range_expr').map((name) => `list[${name}]`),
  'list[list[int]]',
];
const WANTED = [...BASIC, ...LISTS, 'nulltype'].map(typeFrom);

const INFIX: ReadonlyMap<string, string> = new Map(
  Object.entries({
    add: '+',
    sub: '-',
    mul: '*',
    truediv: '/',
    floordiv: '//',
    mod: '%',
    pow: '**',
    eq: '==',
    ne: '!=',
    lt: '<',
    le: '<=',
    gt: '>',
    ge: '>=',
  }).map(([name, symbol]) => [`__${name}__`, symbol]),
);

/** Signatures of the library by return type. Those that return a type variable are in every list. */
const SIGNATURES: readonly Signature[] = [...FUNCTIONS.values()].flatMap(({ signatures }) => signatures);

/** Generates expressions that mostly type-check, and sources that were broken by a random change. */
export class ExpressionGenerator {
  readonly #choices: Choices;
  #locals: { readonly name: string; readonly type: ExprType }[] = [];

  constructor(choices: Choices) {
    this.#choices = choices;
  }

  /** Returns the source of an expression. One in four is broken by changes to its text. */
  source(): string {
    this.#locals = [];
    const wanted = this.#one(WANTED);
    const source = this.#rarely(100) ? this.#wide(wanted) : this.#of(wanted, 1 + this.#choices.below(5));
    return this.#choices.below(4) === 0 ? this.#mutated(source) : source;
  }

  #one<Item>(items: readonly Item[]): Item {
    const item = items[this.#choices.below(items.length)];
    if (item === undefined) throw new Error('nothing to choose from');
    return item;
  }

  #rarely(one: number): boolean {
    return this.#choices.below(one) === 0;
  }

  #of(wanted: ExprType, depth: number): string {
    const type = this.#rarely(40) ? this.#one(WANTED) : wanted;
    if (depth <= 0) return this.#leaf(type);
    switch (this.#choices.below(12)) {
      case 0:
        return this.#leaf(type);
      case 1:
        return `(${this.#of(type, depth - 1)} if ${this.#of(typeFrom('bool'), depth - 1)} else ${this.#of(type, depth - 1)})`;
      case 2:
        return `(${this.#of(type, depth - 1)} ${this.#one(['and', 'or'])} ${this.#of(type, depth - 1)})`;
      case 3:
      case 4:
        return type.kind === 'list' ? this.#comprehension(type.element, depth) : this.#call(type, depth);
      default:
        return this.#call(type, depth);
    }
  }

  /** Returns a chain of parts, up to the maximum length of a source. */
  #wide(type: ExprType): string {
    const [open, between, close] = this.#one(WIDE);
    const piece = this.#of(type, this.#choices.below(2));
    const most = Math.floor(60_000 / (piece.length + between.length));
    return open + Array.from({ length: 1 + this.#choices.below(most) }, () => piece).join(between) + close;
  }

  #comprehension(element: ExprType, depth: number): string {
    const name = this.#one(NAMES);
    const items = this.#one(['int', 'string', 'int']);
    const iterable = items === 'int' && this.#rarely(2) ? 'range_expr' : `list[${items}]`;
    const over = this.#of(typeFrom(iterable), depth - 1);
    this.#locals.push({ name, type: typeFrom(items) });
    const each = this.#of(element, depth - 1);
    const filter = this.#rarely(3) ? ` if ${this.#of(typeFrom('bool'), depth - 1)}` : '';
    this.#locals.pop();
    return `[${each} for ${name} in ${over}${filter}]`;
  }

  #leaf(type: ExprType): string {
    const locals = this.#locals.filter((local) => local.type === type || this.#rarely(10));
    if (locals.length > 0 && !this.#rarely(3)) return this.#one(locals).name;
    if (this.#rarely(3)) {
      const fitting = SYMBOLS.filter(([, text]) => text === type.text || text === `unresolved[${type.text}]`);
      if (fitting.length > 0) return this.#one(fitting)[0];
      if (this.#rarely(4)) return this.#one(SYMBOLS)[0];
    }
    switch (type.kind) {
      case 'int':
        return this.#one(INTS);
      case 'float':
        return this.#one(FLOATS);
      case 'string':
        return this.#one(STRINGS);
      case 'bool':
        return this.#one(['true', 'False', '1 < 2', 'not true']);
      case 'path':
        return this.#one(["path('/a/b.exr')", "path('s3://b/c//d')", "path('')", 'Param.Path']);
      case 'range_expr':
        return `range_expr(${this.#one(RANGES)})`;
      case 'list':
        return this.#list(type.element);
      default:
        return 'null';
    }
  }

  #list(element: ExprType): string {
    if (element.kind === 'int' && this.#rarely(2)) return `range(${this.#one(INTS)})`;
    const items = Array.from({ length: this.#choices.below(4) }, () => this.#leaf(element));
    const list = `[${items.join(', ')}]`;
    return this.#rarely(4) ? `${list} * ${this.#one(INTS)}` : list;
  }

  #call(wanted: ExprType, depth: number): string {
    const fitting = SIGNATURES.filter(
      ({ returns }) => returns === wanted || returns.kind === 'variable' || returns.kind === wanted.kind,
    );
    const signature = this.#one(fitting.length === 0 ? SIGNATURES : fitting);
    const bound = new Map<VariableName, ExprType>();
    if (signature.returns.kind === 'variable') bound.set(signature.returns.name, wanted);
    const isRegex = signature.name.startsWith('re_');
    const args = signature.parameters.map(({ name, type }) =>
      isRegex && name === 'pattern' && !this.#rarely(8)
        ? this.#one(PATTERNS)
        : this.#argument(type, bound, depth - 1),
    );
    return this.#written(signature.name, args);
  }

  #argument(type: ExprType, bound: Map<VariableName, ExprType>, depth: number): string {
    if (type.kind === 'union') {
      const member = this.#one(type.members);
      return member === NULLTYPE ? '' : this.#of(member, depth);
    }
    return this.#of(this.#substituted(type, bound), depth);
  }

  #substituted(type: ExprType, bound: Map<VariableName, ExprType>): ExprType {
    if (type.kind === 'list') return listOf(this.#substituted(type.element, bound));
    if (type.kind !== 'variable') return resolvedType(type);
    const known = bound.get(type.name) ?? this.#one(BASIC.map(typeFrom));
    bound.set(type.name, known);
    return known;
  }

  #written(name: string, args: readonly string[]): string {
    const [a = '', b = '', c = '', d = ''] = args;
    const infix = INFIX.get(name);
    if (infix !== undefined) return `(${a} ${infix} ${b})`;
    switch (name) {
      case '__neg__':
        return `-${a}`;
      case '__pos__':
        return `+${a}`;
      case '__not__':
        return `(not ${a})`;
      case '__contains__':
        return `(${b} in ${a})`;
      case '__not_contains__':
        return `(${b} not in ${a})`;
      case '__getitem__':
        return args.length === 2 ? `(${a})[${b}]` : `(${a})[${b}:${c}:${d}]`;
    }
    const [, property] = /^__property_(.+)__$/.exec(name) ?? [];
    if (property !== undefined) return `(${a}).${property}`;
    if (args.length > 0 && this.#rarely(2)) return `(${a}).${name}(${args.slice(1).join(', ')})`;
    return `${name}(${args.join(', ')})`;
  }

  /** Returns the text with pieces removed, repeated, moved or replaced. */
  #mutated(source: string): string {
    let text = source;
    for (let changes = 1 + this.#choices.below(3); changes > 0; changes--) {
      const at = this.#choices.below(text.length + 1);
      const end = Math.min(text.length, at + 1 + this.#choices.below(6));
      const piece = text.slice(at, end);
      switch (this.#choices.below(5)) {
        case 0:
          text = text.slice(0, at) + text.slice(end);
          break;
        case 1:
          text = text.slice(0, end) + piece.repeat(1 + this.#choices.below(200)) + text.slice(end);
          break;
        case 2: {
          const to = this.#choices.below(text.length + 1);
          text = text.slice(0, to) + piece + text.slice(to);
          break;
        }
        case 3:
          text = text.slice(0, at) + this.#one(FOREIGN) + text.slice(end);
          break;
        default:
          text = text.slice(0, at) + this.#one(FOREIGN).repeat(1 + this.#choices.below(80)) + text.slice(at);
      }
    }
    return text;
  }
}

/** Parts of a long expression: opening, separator and closing. */
const WIDE: readonly (readonly [open: string, between: string, close: string])[] = [
  ['[', ', ', ']'],
  ['', ' and ', ''],
  ['', ' or ', ''],
  ['', ' + ', ''],
  ['', ' < ', ''],
  ['max(', ', ', ')'],
  ['', ' if true else ', ''],
  ['len([', '])) + len([', '])'],
  ["'", ' ', "'"],
  ['[[', '], [', ']]'],
];

const FOREIGN = [
  '(',
  ')',
  '[',
  ']',
  "'",
  '"',
  '"""',
  '.',
  ',',
  ':',
  '{',
  '}',
  '\\',
  '\0',
  '\n',
  '\t',
  '🌍',
  '\ud83c',
  'é',
  '+',
  '-',
  '**',
  '//',
  '%',
  ' not ',
  ' in ',
  ' for x in ',
  ' if ',
  ' else ',
  'lambda: ',
  '1_0',
  '0x',
  '1e400',
  '99999999999999999999',
  'None',
  '__add__',
  'Param',
  '.upper',
  '\u2028',
  "r'",
  'f"',
  '@',
  '#',
];
