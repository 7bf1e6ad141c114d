import { Ajv2020, type ErrorObject, type ValidateFunction } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import type { PointedError } from '../../src/openjd/primitives/pointed-error.ts';
import { pointerTo } from '../../src/openjd/primitives/pointed-error.ts';
import { SCHEMA_SET, type Contract, type Node } from './contract.ts';

/** Returns the errors in a value; empty if it is valid. May fill in defaults. */
export type Check = (value: unknown) => readonly PointedError[];

const MAX_ERRORS = 20;
/** Maximum number of nested values in a body whose errors are all listed; for a larger one, only the first is. */
const LISTED_NODES_MAX = 10_000;

/** Keyword with the description of a pattern or a `not`. */
const PATTERN_TEXT = 'x-pattern-text';

/** Compiles validators from the contract's schemas. */
export class SchemaSet {
  readonly #contract: Contract;
  /** Stops at the first error, so that a large value with many errors needs little memory. */
  #first: Ajv2020 | null = null;
  /** Lists all errors. */
  #all: Ajv2020 | null = null;

  constructor(contract: Contract) {
    this.#contract = contract;
  }

  /**
   * `place` is a prefix of the pointers in errors. The validator is compiled at the first use: compiling all of them
   * would take a third of the start of the service. test/http/openapi compiles every schema of the contract.
   */
  check(schema: Node, place = ''): Check {
    let first: ValidateFunction | null = null;
    let all: ValidateFunction | null = null;
    return (value) => {
      this.#first ??= validatorOf(this.#contract, false);
      first ??= this.#first.compile(schema);
      if (first(value)) return [];
      if (!isSmall(value)) return errorsOf(first, place);
      this.#all ??= validatorOf(this.#contract, true);
      all ??= this.#all.compile(schema);
      // A default from the first pass may have made the value valid.
      return all(value) ? errorsOf(first, place) : errorsOf(all, place);
    };
  }
}

function validatorOf(contract: Contract, allErrors: boolean): Ajv2020 {
  const ajv = new Ajv2020({
    strict: true,
    verbose: true,
    allErrors,
    useDefaults: true,
    allowUnionTypes: true,
    strictRequired: false,
    // The contract's tests do this: compiling the meta-schema takes longer than the schemas of most operations.
    validateSchema: false,
  });
  ajv.addKeyword({ keyword: PATTERN_TEXT, schemaType: 'string' });
  addFormats.default(ajv);
  ajv.addSchema({ $id: SCHEMA_SET, $defs: contract.schemas });
  return ajv;
}

/** Reports whether a JSON value is small enough to list all errors. */
function isSmall(value: unknown): boolean {
  const open: unknown[] = [value];
  let seen = 1;
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    if (typeof next !== 'object' || next === null) continue;
    const inside: readonly unknown[] = Array.isArray(next) ? next : Object.values(next);
    seen += inside.length;
    if (seen > LISTED_NODES_MAX) return false;
    for (const each of inside) if (each !== undefined) open.push(each);
  }
  return true;
}

function errorsOf(failed: ValidateFunction, place: string): readonly PointedError[] {
  const found = new Map<string, PointedError>();
  for (const each of failed.errors ?? []) {
    const error = pointed(each, place);
    found.set(`${error.pointer} ${error.detail}`, error);
    if (found.size === MAX_ERRORS) break;
  }
  return [...found.values()];
}

function pointed(error: ErrorObject, place: string): PointedError {
  const at = `${place}${error.instancePath}`;
  const facts = error.params as Partial<Record<string, unknown>>;
  switch (error.keyword) {
    case 'required':
      return { pointer: `${at}${pointerTo([String(facts['missingProperty'])])}`, detail: 'is required' };
    case 'enum':
      return { pointer: at, detail: `must be one of ${listed(facts['allowedValues'], ', ')}` };
    case 'type':
      return { pointer: at, detail: `must be ${listed(facts['type'], ' or ')}` };
    case 'pattern':
    case 'not':
      return { pointer: at, detail: patternText(error) ?? error.message ?? 'must match a pattern' };
    default:
      return { pointer: at, detail: error.message ?? `does not fit ${error.keyword}` };
  }
}

const listed = (values: unknown, separator: string): string =>
  Array.isArray(values) ? values.map(String).join(separator) : String(values);

function patternText(error: ErrorObject): string | null {
  const text: unknown = error.parentSchema?.[PATTERN_TEXT];
  return typeof text === 'string' ? text : null;
}
