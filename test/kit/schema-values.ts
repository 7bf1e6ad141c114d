import fc from 'fast-check';
import { SCHEMA_SET, type Node } from '../../http/openapi/contract.ts';

/** Length of a text that is far beyond most limits, in characters. */
const HUGE_LENGTH = 60_000;

/** Generators that override the schema of a member, by member name. */
export type Hints = Readonly<Record<string, fc.Arbitrary<unknown>>>;

/** A schema with resolved references and merged `allOf`. */
interface Shape {
  readonly types: readonly string[];
  readonly node: Node;
  readonly properties: Readonly<Record<string, Node>>;
  readonly required: readonly string[];
}

const TYPES = ['object', 'array', 'string', 'integer', 'number', 'boolean', 'null'] as const;
const REFERENCE = `${SCHEMA_SET}#/$defs/`;
/** Weight of boundary values, relative to other values. */
const EDGE_WEIGHT = 3;

/** Maximum length of a text without a bound in the document. Several of them must fit into the request head. */
const LONG = 300;

/** Generates valid and invalid values for the schemas of the contract. */
export class SchemaValues {
  readonly #schemas: Node;
  readonly #hints: Hints;

  /** `schemas` contains the named schemas: `Contract.schemas`. */
  constructor(schemas: Node, hints: Hints = {}) {
    this.#schemas = schemas;
    this.#hints = hints;
  }

  /** Generates valid values. Optional members are sometimes omitted, so that defaults are used. */
  valid(schema: Node, name = ''): fc.Arbitrary<unknown> {
    const { node, types, properties, required } = this.#shape(schema);
    if ('const' in node) return fc.constant(node['const']);
    if (Array.isArray(node['enum'])) return fc.constantFrom(...(node['enum'] as unknown[]));
    const hint = this.#hints[name];
    if (hint !== undefined) return hint;
    const choices = node['oneOf'] ?? node['anyOf'];
    if (Array.isArray(choices)) {
      const { oneOf: _one, anyOf: _any, ...rest } = node;
      return fc.oneof(...choices.map((choice) => this.valid({ allOf: [rest, choice] }, name)));
    }
    const of = types.filter((type) => type !== 'integer' || !types.includes('number'));
    return fc.oneof(
      ...of.map((type): fc.Arbitrary<unknown> => {
        switch (type) {
          case 'null':
            return fc.constant(null);
          case 'boolean':
            return fc.boolean();
          case 'integer':
            return integerOf(node);
          case 'number':
            return fc.oneof(integersIn(node), fractionOf(node));
          case 'string':
            return stringOf(node);
          case 'array':
            return this.#arrayOf(node, name);
          default:
            return this.#objectOf(node, properties, required);
        }
      }),
    );
  }

  /** Generates invalid values, each with the name of its fault. Empty if every value is valid. */
  invalid(schema: Node): readonly { readonly what: string; readonly value: unknown }[] {
    const { node, types } = this.#shape(schema);
    if ('not' in node && Object.keys(asNode(node['not'])).length === 0) {
      return [{ what: 'a value where none is allowed', value: 'filesystem' }];
    }
    if ('oneOf' in node || 'anyOf' in node || types.length === TYPES.length) return [];
    const wrong: { what: string; value: unknown }[] = [];
    const samples: Record<(typeof TYPES)[number], unknown> = {
      object: { a: 1 },
      array: [1],
      string: 'x',
      integer: 7,
      number: 7.5,
      boolean: true,
      null: null,
    };
    for (const type of TYPES) {
      if (types.includes(type) || (type === 'integer' && types.includes('number'))) continue;
      wrong.push({ what: `of type ${type}`, value: samples[type] });
    }
    const [minimum, maximum] = [node['minimum'], node['maximum']];
    if (typeof minimum === 'number') wrong.push({ what: 'below the minimum', value: minimum - 1 });
    if (typeof maximum === 'number' && maximum < Number.MAX_SAFE_INTEGER) {
      wrong.push({ what: 'above the maximum', value: maximum + 1 });
    }
    if (types.includes('integer')) wrong.push({ what: 'a huge number', value: 1e300 });
    if (Array.isArray(node['enum'])) wrong.push({ what: 'not in the enumeration', value: 'no-such-word' });
    if (typeof node['maxLength'] === 'number') {
      wrong.push({ what: 'too long', value: 'x'.repeat(node['maxLength'] + 1) });
      if (node['maxLength'] < HUGE_LENGTH)
        wrong.push({ what: 'a huge text', value: 'y'.repeat(HUGE_LENGTH) });
    }
    if (typeof node['minLength'] === 'number' && node['minLength'] > 0) {
      wrong.push({ what: 'too short', value: 'x'.repeat(node['minLength'] - 1) });
    }
    if (typeof node['pattern'] === 'string') {
      const isWrong = new RegExp(node['pattern'], 'u');
      const value = ['a\u0000b', '', ' ', 'ü ü', '/'].find((text) => !isWrong.test(text));
      if (value !== undefined) wrong.push({ what: 'does not match the pattern', value });
    }
    if (node['format'] === 'uuid') wrong.push({ what: 'no uuid', value: 'not-a-uuid' });
    if (node['format'] === 'date-time') wrong.push({ what: 'no time', value: 'yesterday' });
    if (typeof node['maxItems'] === 'number') {
      wrong.push({ what: 'too many items', value: Array.from({ length: node['maxItems'] + 1 }, String) });
    }
    return wrong;
  }

  /** The members of an object by name, and the required ones. Null if the schema does not describe an object. */
  members(schema: Node): {
    readonly properties: Readonly<Record<string, Node>>;
    readonly required: readonly string[];
  } | null {
    const { types, properties, required } = this.#shape(schema);
    return types.length === 1 && types[0] === 'object' ? { properties, required } : null;
  }

  #shape(schema: Node): Shape {
    const { $ref: reference, allOf, ...own } = schema;
    const parts = [
      ...(typeof reference === 'string' ? [this.#named(reference)] : []),
      ...(Array.isArray(allOf) ? allOf.map(asNode) : []),
    ].map((part) => this.#shape(part));
    const node = Object.assign({}, ...parts.map((part) => part.node), own) as Node;
    const properties = Object.assign(
      {},
      ...parts.map((part) => part.properties),
      asNode(own['properties'] ?? {}),
    ) as Record<string, Node>;
    const required = [...parts.flatMap((part) => part.required), ...namesOf(own['required'])];
    const type = node['type'];
    const types = typeof type === 'string' ? [type] : Array.isArray(type) ? namesOf(type) : TYPES;
    return { node, types, properties, required };
  }

  #named(reference: string): Node {
    return asNode(this.#schemas[reference.replace(REFERENCE, '')]);
  }

  #arrayOf(node: Node, name: string): fc.Arbitrary<unknown[]> {
    const { minItems = 0, maxItems = 5, items = {} } = node;
    return fc.array(this.valid(asNode(items), name), {
      minLength: Number(minItems),
      maxLength: Math.min(Number(maxItems), Math.max(3, Number(minItems))),
    });
  }

  #objectOf(
    node: Node,
    properties: Readonly<Record<string, Node>>,
    required: readonly string[],
  ): fc.Arbitrary<unknown> {
    const possible = Object.entries(properties).filter(([, member]) => !('not' in member));
    const known = fc.record(
      Object.fromEntries(possible.map(([name, member]) => [name, this.valid(member, name)])),
      { requiredKeys: [...required] },
    );
    const further = node['additionalProperties'];
    if (typeof further !== 'object') return known;
    const key = fc.stringMatching(/^[a-z]{1,8}$/);
    return fc
      .tuple(known, fc.dictionary(key, this.valid(asNode(further)), { maxKeys: 3 }))
      .map(([named, others]) => ({ ...others, ...asNode(named) }));
  }
}

function integerOf(node: Node): fc.Arbitrary<number> {
  const [min, max] = boundsOf(node);
  return fc.oneof(
    { weight: EDGE_WEIGHT, arbitrary: fc.constantFrom(min, max, Math.min(min + 1, max), Math.max(0, min)) },
    { weight: 1, arbitrary: fc.integer({ min: Math.max(min, -(2 ** 31)), max: Math.min(max, 2 ** 31 - 1) }) },
  );
}

const boundsOf = (node: Node): readonly [min: number, max: number] => [
  Number(node['minimum'] ?? -1000),
  Number(node['maximum'] ?? 1000),
];

/** Whole numbers within the bounds of a number. */
function integersIn(node: Node): fc.Arbitrary<number> {
  const [min, max] = boundsOf(node);
  return integerOf({ ...node, minimum: Math.ceil(min), maximum: Math.floor(max) });
}

function fractionOf(node: Node): fc.Arbitrary<number> {
  const [min, max] = boundsOf(node);
  return fc.oneof(
    { weight: EDGE_WEIGHT, arbitrary: fc.constantFrom(min, max) },
    { weight: 1, arbitrary: fc.double({ min, max, noNaN: true }) },
  );
}

function stringOf(node: Node): fc.Arbitrary<string> {
  if (node['format'] === 'uuid') return fc.uuid();
  if (node['format'] === 'date-time') {
    const min = new Date('1970-01-01T00:00:00Z');
    return fc
      .date({ min, max: new Date('2262-01-01T00:00:00Z'), noInvalidDate: true })
      .map((date) => date.toISOString());
  }
  const minLength = Number(node['minLength'] ?? 0);
  const maxLength = Number(node['maxLength'] ?? LONG);
  const pattern = typeof node['pattern'] === 'string' ? new RegExp(node['pattern'], 'u') : null;
  const fits = (text: string): boolean => {
    const length = [...text].length;
    return length >= minLength && length <= maxLength && (pattern === null || pattern.test(text));
  };
  const edges = [
    'x'.repeat(Math.max(1, minLength)),
    'x'.repeat(maxLength),
    '',
    'ü'.repeat(maxLength),
    '😀',
    '__proto__',
  ];
  const fitting = edges.filter(fits);
  // A pattern that none of the edges has is too narrow to be met by chance.
  if (fitting.length === 0 && pattern !== null) return fc.stringMatching(pattern).filter(fits);
  return fc.oneof(
    { weight: 1, arbitrary: fc.constantFrom(...fitting) },
    {
      weight: EDGE_WEIGHT,
      arbitrary: fc
        .string({ unit: 'grapheme', minLength, maxLength: Math.min(maxLength, 40), size: 'max' })
        .filter(fits),
    },
  );
}

const namesOf = (value: unknown): string[] => (Array.isArray(value) ? value.map(String) : []);

function asNode(value: unknown): Node {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw new Error(`not a schema: ${JSON.stringify(value)}`);
  }
  return { ...value };
}
