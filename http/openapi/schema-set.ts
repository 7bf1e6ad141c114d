import { Ajv2020, type ErrorObject } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import type { PointedError } from '../../src/core/problems.ts';
import { SCHEMA_SET, type Contract, type Node } from './contract.ts';

/** Says what is wrong with a value; nothing when it fits. May fill in defaults. */
export type Check = (value: unknown) => readonly PointedError[];

const MAX_ERRORS = 20;

/** Makes checks of the contract's schemas. */
export class SchemaSet {
  readonly #ajv: Ajv2020;

  constructor(contract: Contract) {
    this.#ajv = new Ajv2020({
      strict: true,
      allErrors: true,
      useDefaults: true,
      allowUnionTypes: true,
      strictRequired: false,
    });
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
  const { missingProperty, allowedValues } = error.params as Partial<Record<string, unknown>>;
  if (error.keyword === 'required')
    return { pointer: `${at}/${escapePointer(String(missingProperty))}`, detail: 'is required' };
  if (error.keyword === 'enum' && Array.isArray(allowedValues)) {
    return { pointer: at, detail: `must be one of ${allowedValues.join(', ')}` };
  }
  return { pointer: at, detail: error.message ?? `does not fit ${error.keyword}` };
}

const escapePointer = (part: string): string => part.replaceAll('~', '~0').replaceAll('/', '~1');
