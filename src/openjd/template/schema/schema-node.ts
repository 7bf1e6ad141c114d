import type { ExtensionName } from '../extensions.ts';
import type { ObjectKeys } from '../shape/object-reader.ts';

export type JsonValue =
  | string
  | number
  | boolean
  | null
  | readonly JsonValue[]
  | { readonly [key: string]: JsonValue };
export type JsonSchema = Readonly<Record<string, JsonValue>>;

/**
 * Part of a template, as far as a JSON Schema describes it. From one tree of nodes come the schema of templates that
 * declare every extension, and for each extension the restrictions of templates that do not declare it.
 */
export type SchemaNode = ValueNode | ListNode | ObjectNode | ChoiceNode | EitherNode | NamedNode;

/** Restrictions of a template that does not declare the extension. */
type Restrictions = Readonly<Partial<Record<ExtensionName, JsonSchema>>>;

interface ValueNode {
  readonly kind: 'value';
  readonly schema: JsonSchema;
  readonly without: Restrictions;
}

interface ListNode {
  readonly kind: 'list';
  readonly items: SchemaNode;
  readonly max: number;
  readonly without: Restrictions;
}

interface ObjectNode {
  readonly kind: 'object';
  readonly keys: ObjectKeys;
  readonly values: ReadonlyMap<string, SchemaNode>;
  readonly rules: JsonSchema;
}

/** An object whose keys depend on the value of one of them. */
interface ChoiceNode {
  readonly kind: 'choice';
  readonly key: string;
  readonly value: SchemaNode;
  readonly cases: readonly { readonly when: JsonSchema; readonly node: SchemaNode }[];
}

/** A value of one of several kinds. */
interface EitherNode {
  readonly kind: 'either';
  readonly nodes: readonly SchemaNode[];
}

/** A part that occurs in several places, or deserves a name. */
interface NamedNode {
  readonly kind: 'named';
  readonly name: string;
  readonly node: SchemaNode;
}

/** `values` has each key of the checker's table: a missing one does not compile. */
export const objectOf = <Keys extends ObjectKeys>(
  keys: Keys,
  values: Readonly<Record<keyof Keys, SchemaNode>>,
  rules: JsonSchema = {},
): SchemaNode => ({
  kind: 'object',
  keys,
  values: new Map<string, SchemaNode>(Object.entries(values)),
  rules,
});

export const valueOf = (schema: JsonSchema, without: Restrictions = {}): SchemaNode => ({
  kind: 'value',
  schema,
  without,
});
export const listOf = (
  items: SchemaNode,
  max = Number.MAX_SAFE_INTEGER,
  without: Restrictions = {},
): SchemaNode => ({
  kind: 'list',
  items,
  max,
  without,
});
export const named = (name: string, node: SchemaNode): SchemaNode => ({ kind: 'named', name, node });
export const either = (...nodes: readonly SchemaNode[]): SchemaNode => ({ kind: 'either', nodes });
export const choiceOf = (key: string, value: SchemaNode, cases: ChoiceNode['cases']): SchemaNode => ({
  kind: 'choice',
  key,
  value,
  cases,
});

/** The key has a value: null counts as absent. */
const needs = (key: string): JsonSchema => ({
  required: [key],
  properties: { [key]: { not: { type: 'null' } } },
});
/** At least one of the keys has a value. */
export const needsOneOf = (keys: readonly string[]): JsonSchema => ({ anyOf: keys.map(needs) });
/** Exactly one of the keys has a value. */
export const needsJustOneOf = (keys: readonly string[]): JsonSchema => ({ oneOf: keys.map(needs) });
/** All keys have a value, or none has. */
export const needsAllOrNone = (keys: readonly string[]): JsonSchema => ({
  if: needsOneOf(keys),
  then: { allOf: keys.map(needs) },
});

const orNull = (schema: JsonSchema): JsonSchema => ({ anyOf: [schema, { type: 'null' }] });

/** Compiles nodes to one schema with definitions. */
export class SchemaWriter {
  readonly #definitions = new Map<string, JsonSchema>();

  /** Returns the definitions of all nodes with a name, by name. */
  definitions(): JsonSchema {
    return Object.fromEntries([...this.#definitions].sort(([a], [b]) => (a < b ? -1 : 1)));
  }

  /** Returns the schema of a node in a template that declares every extension. */
  whole(node: SchemaNode): JsonSchema {
    switch (node.kind) {
      case 'value':
        return node.schema;
      case 'list':
        return {
          type: 'array',
          minItems: 1,
          ...(node.max === Number.MAX_SAFE_INTEGER ? {} : { maxItems: node.max }),
          items: this.whole(node.items),
        };
      case 'either':
        return { anyOf: node.nodes.map((each) => this.whole(each)) };
      case 'named':
        return this.#define(node.name, () => this.whole(node.node));
      case 'choice':
        return {
          type: 'object',
          properties: { [node.key]: this.whole(node.value) },
          required: [node.key],
          allOf: node.cases.map((each) => this.#case(node.key, each.when, this.whole(each.node))),
        };
      case 'object':
        return this.#object(node);
    }
  }

  /** Returns what a template without the extension must not have in a node; null if that makes no difference. */
  without(node: SchemaNode, extension: ExtensionName): JsonSchema | null {
    switch (node.kind) {
      case 'value':
        return node.without[extension] ?? null;
      case 'list': {
        const items = this.without(node.items, extension);
        return allOf([node.without[extension] ?? null, items === null ? null : { items }]);
      }
      case 'either':
        return allOf(node.nodes.map((each) => this.without(each, extension)));
      case 'named': {
        const schema = this.without(node.node, extension);
        return schema === null ? null : this.#define(`${node.name} without ${extension}`, () => schema);
      }
      case 'choice': {
        const value = this.without(node.value, extension);
        const cases = node.cases.map((each) => {
          const schema = this.without(each.node, extension);
          return schema === null ? null : this.#case(node.key, each.when, schema);
        });
        return allOf([value === null ? null : { properties: { [node.key]: value } }, ...cases]);
      }
      case 'object':
        return this.#objectWithout(node, extension);
    }
  }

  #case(key: string, when: JsonSchema, then: JsonSchema): JsonSchema {
    return { if: { type: 'object', properties: { [key]: when }, required: [key] }, then };
  }

  #object({ keys, values, rules }: ObjectNode): JsonSchema {
    const properties = new Map<string, JsonSchema>();
    for (const [key, rule] of Object.entries(keys)) {
      const value = values.get(key);
      if (value === undefined) continue;
      properties.set(key, rule === 'required' ? this.whole(value) : orNull(this.whole(value)));
    }
    return {
      type: 'object',
      properties: Object.fromEntries(properties),
      required: Object.keys(keys).filter((key) => keys[key] === 'required'),
      additionalProperties: false,
      ...rules,
    };
  }

  #objectWithout({ keys, values }: ObjectNode, extension: ExtensionName): JsonSchema | null {
    const properties = Object.entries(keys).flatMap(([key, rule]): (readonly [string, JsonValue])[] => {
      if (typeof rule === 'object' && 'needs' in rule && rule.needs === extension) return [[key, false]];
      const value = values.get(key);
      const schema = value === undefined ? null : this.without(value, extension);
      if (schema === null) return [];
      return [[key, rule === 'required' ? schema : orNull(schema)]];
    });
    const required = Object.entries(keys).flatMap(([key, rule]) =>
      typeof rule === 'object' && 'requiredWithout' in rule && rule.requiredWithout === extension
        ? [needs(key)]
        : [],
    );
    return allOf([
      properties.length === 0 ? null : { properties: Object.fromEntries(properties) },
      ...required,
    ]);
  }

  #define(name: string, make: () => JsonSchema): JsonSchema {
    const key = name.replaceAll(' ', '-');
    if (!this.#definitions.has(key)) this.#definitions.set(key, make());
    return { $ref: `#/$defs/${key}` };
  }
}

/** Returns one schema for those that are not null; null if all are. */
function allOf(schemas: readonly (JsonSchema | null)[]): JsonSchema | null {
  const all = schemas.filter((schema) => schema !== null);
  return all.length > 1 ? { allOf: all } : (all[0] ?? null);
}
