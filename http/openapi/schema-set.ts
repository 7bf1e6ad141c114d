import { Ajv2020, type ErrorObject } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import type { PointedError } from '../../src/core/problems.ts';
import { escapePointer } from '../problems.ts';
import { SCHEMA_SET, type Contract, type Node } from './contract.ts';

/** Says what is wrong with a value; nothing when it fits. May fill in defaults. */
export type Check = (value: unknown) => readonly PointedError[];

const MAX_ERRORS = 20;

/** Says in words what a pattern, or a `not`, demands. */
const PATTERN_TEXT = 'x-pattern-text';

/** Makes checks of the contract's schemas. */
export class SchemaSet {
  readonly #ajv: Ajv2020;

  constructor(contract: Contract) {
    this.#ajv = new Ajv2020({
      strict: true,
      verbose: true,
      allErrors: true,
      useDefaults: true,
      allowUnionTypes: true,
      strictRequired: false,
    });
    this.#ajv.addKeyword({ keyword: PATTERN_TEXT, schemaType: 'string' });
    addFormats.default(this.#ajv);
    this.#ajv.addSchema({ $id: SCHEMA_SET, $defs: contract.schemas });
  }

  /** `place` is put before the pointers of what is found. Throws when the schema is not a valid one. */
  check(schema: Node, place = ''): Check {
    const validate = this.#ajv.compile(schema);
    return (value) => {
      if (validate(value)) return [];
      const found = (validate.errors ?? []).map((error) => pointed(error, place));
      return [...new Map(found.map((error) => [`${error.pointer} ${error.detail}`, error])).values()].slice(
        0,
        MAX_ERRORS,
      );
    };
  }
}

function pointed(error: ErrorObject, place: string): PointedError {
  const at = `${place}${error.instancePath}`;
  const facts = error.params as Partial<Record<string, unknown>>;
  switch (error.keyword) {
    case 'required':
      return { pointer: `${at}/${escapePointer(String(facts['missingProperty']))}`, detail: 'is required' };
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
