import { readFileSync } from 'node:fs';
import { test } from 'tap';
import { returnType } from '../../src/openjd/expr/evaluate/dispatch.ts';
import { ExprFailure } from '../../src/openjd/expr/expr-failure.ts';
import { EXPR_LIMITS } from '../../src/openjd/expr/expr-limits.ts';
import { Call } from '../../src/openjd/expr/functions/call.ts';
import { FUNCTIONS, propertyFunction } from '../../src/openjd/expr/functions/library.ts';
import { signature } from '../../src/openjd/expr/functions/signature.ts';
import { NULLTYPE, type ExprType } from '../../src/openjd/expr/type-system/expr-type.ts';
import {
  matches,
  satisfies,
  substitute,
  type Bindings,
} from '../../src/openjd/expr/type-system/type-match.ts';
import { parseType } from '../../src/openjd/expr/type-system/type-text.ts';
import { coerce } from '../../src/openjd/expr/values/coerce.ts';
import { displayOf } from '../../src/openjd/expr/values/display.ts';
import { readValue } from '../../src/openjd/expr/values/read-value.ts';
import { typeOf, type Value } from '../../src/openjd/expr/values/value.ts';
import type { FileStyle } from '../../src/openjd/expr/paths/parsed-path.ts';
import type { RegexEngine } from '../../src/openjd/expr/regex/regex-engine.ts';
import { sharedFolder } from './shared-folder.ts';

/** The vectors that test the API of a library, with the corresponding functions here. */
const folder = sharedFolder('openjd');
const skip = folder === null ? 'the vectors are not here' : false;

interface Typed {
  readonly type: string;
  readonly value?: unknown;
  readonly path_format?: FileStyle;
  readonly text?: string;
}

interface Vector {
  readonly id: string;
  readonly kind: string;
  readonly product?: string;
  readonly input?: Typed | string;
  readonly target_type?: string;
  readonly type?: string;
  readonly signature?: string;
  readonly signature_type?: string;
  readonly arg_type?: string;
  readonly args?: readonly (string | readonly string[])[];
  readonly tags?: readonly string[];
  readonly expect: {
    readonly ok?: boolean;
    readonly type?: string;
    readonly display?: string;
    readonly value?: unknown;
    readonly result?: unknown;
    readonly exists?: boolean;
    readonly list_len?: number;
    readonly unresolved?: boolean;
    readonly elem_type?: string;
    readonly items?: Readonly<Record<string, { display?: string; type?: string; list_len?: number }>>;
    readonly error_message?: string;
    readonly error_contains?: readonly string[];
    readonly bindings?: Readonly<Record<string, string>>;
  };
}

const vectors = (kind: string): readonly Vector[] => {
  const all = JSON.parse(readFileSync(`${folder}/vectors/expr_vectors.json`, 'utf8')) as readonly Vector[];
  return all.filter((vector) => vector.kind === kind && vector.product === undefined);
};

const typeFrom = (text: string | undefined): ExprType => parseType(text ?? '') ?? NULLTYPE;

function valueFrom(input: Typed | string | undefined): Value {
  const typed = typeof input === 'object' ? input : { type: 'string', value: input };
  const json = typed.type === 'float' && typed.text !== undefined ? typed.text : (typed.value ?? null);
  const read = readValue(typeFrom(typed.type), json, typed.path_format ?? 'posix');
  if (!read.ok) throw new Error(read.detail);
  return read.value;
}

/** These vectors call no function. */
const regex: RegexEngine = { compile: () => ({ ok: false, detail: 'no engine' }) };
const call = (): Call => new Call({ limits: EXPR_LIMITS, pathStyle: 'posix', regex, mapPath: null });

/** Converts a value to the form of the vectors. */
function told(value: Value): { type: string; display: string } {
  return { type: typeOf(value).text, display: displayOf(value) };
}

for (const kind of ['coerce', 'coerce_str']) {
  void test(`vectors: ${kind}`, { skip }, (t) => {
    for (const vector of vectors(kind)) {
      const { expect } = vector;
      // A text is parsed as the type, not coerced: only then does "null" become null.
      const input =
        kind === 'coerce_str' && vector.target_type === 'nulltype' ? { type: 'nulltype' } : vector.input;
      try {
        const value = coerce(valueFrom(input), typeFrom(vector.target_type), call());
        t.not(expect.ok, false, `${vector.id} fails, and gave ${displayOf(value)}`);
        const { type, display } = told(value);
        if (expect.type !== undefined) t.equal(type, expect.type, vector.id);
        if (expect.display !== undefined) t.equal(display, expect.display, vector.id);
        for (const [index, item] of Object.entries(expect.items ?? {})) {
          const list = typeof value === 'object' && value?.kind === 'list' ? value.items : [];
          const found = told(list[Number(index)] ?? null);
          if (item.display !== undefined) t.equal(found.display, item.display, vector.id);
          if (item.type !== undefined) t.equal(found.type, item.type, vector.id);
        }
      } catch (error) {
        if (!(error instanceof ExprFailure)) throw error;
        t.equal(expect.ok, false, `${vector.id}: ${error.message}`);
        if (expect.error_message !== undefined) t.equal(error.message, expect.error_message, vector.id);
        for (const part of expect.error_contains ?? []) t.match(error.message, part, vector.id);
      }
    }
    t.end();
  });
}

void test('vectors: value', { skip }, (t) => {
  for (const { id, input, expect } of vectors('value')) {
    const value = valueFrom(input);
    const { type, display } = told(value);
    if (expect.type !== undefined) t.equal(type, expect.type, id);
    if (expect.display !== undefined) t.equal(display, expect.display, id);
    if (expect.unresolved !== undefined) t.equal(type.startsWith('unresolved'), expect.unresolved, id);
    if (expect.elem_type !== undefined) t.equal(type, `list[${expect.elem_type}]`, id);
    if (expect.list_len !== undefined)
      t.equal(
        typeof value === 'object' && value?.kind === 'list' ? value.items.length : -1,
        expect.list_len,
        id,
      );
  }
  t.end();
});

void test('vectors: type_satisfies', { skip }, (t) => {
  for (const { id, type, target_type, expect } of vectors('type_satisfies')) {
    t.equal(
      satisfies(typeFrom(type), typeFrom(target_type)),
      expect.result,
      `${id}: ${type} as ${target_type}`,
    );
  }
  t.end();
});

/** Returns a signature with parameter names. */
function named(text: string): string {
  return text.replace(
    /\((.*)\) ->/,
    (_, list: string) =>
      `(${list
        .split(', ')
        .map((type, index) => `p${index}: ${type}`)
        .join(', ')}) ->`,
  );
}

void test('vectors: type_match', { skip }, (t) => {
  for (const { id, signature_type, arg_type, expect } of vectors('type_match')) {
    const bindings: Bindings = new Map();
    t.equal(matches(typeFrom(signature_type), typeFrom(arg_type), bindings), expect.ok, id);
    for (const [name, type] of Object.entries(expect.bindings ?? {})) {
      t.equal([...bindings].find(([bound]) => bound === name)?.[1].text, type, id);
    }
  }
  t.end();
});

for (const kind of ['type_match_call', 'type_resolve_call']) {
  void test(`vectors: ${kind}`, { skip }, (t) => {
    for (const { id, signature: written, args, expect } of vectors(kind)) {
      const { parameters, returns } = signature(`f${named(written ?? '')}`, '', () => null);
      const types = (args ?? []).map((text) => typeFrom(String(text)));
      const bindings: Bindings = new Map();
      const ok =
        types.length === parameters.length &&
        parameters.every(({ type }, index) => matches(type, types[index] ?? NULLTYPE, bindings));
      t.equal(ok, expect.ok ?? true, id);
      if (expect.result !== undefined) t.equal(substitute(returns, bindings).text, expect.result, id);
    }
    t.end();
  });
}

void test('vectors: function_exists', { skip }, (t) => {
  for (const { id, args, tags, expect } of vectors('function_exists')) {
    const called = FUNCTIONS.get(String(args?.[0]));
    const exists = called !== undefined && (!called.hostOnly || tags?.includes('host') === true);
    t.equal(exists, expect.exists, id);
  }
  t.end();
});

void test('vectors: derive_return_type and get_property_type', { skip }, (t) => {
  for (const { id, args, expect } of vectors('derive_return_type')) {
    const called = FUNCTIONS.get(String(args?.[0]));
    const types = [args?.[1] ?? []].flat().map(typeFrom);
    t.equal(called === undefined ? null : returnType(called, types, false)?.text, expect.result, id);
  }
  for (const { id, args, expect } of vectors('get_property_type')) {
    const called = FUNCTIONS.get(propertyFunction(String(args?.[1])));
    const type = called === undefined ? null : returnType(called, [typeFrom(String(args?.[0]))], true);
    t.equal(type?.text ?? null, expect.result, id);
  }
  t.end();
});
