import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { packageRoot } from './package-root.ts';
import { readParsedDocument } from './parsed-document.ts';

/** The parsed contract: openapi.yaml as the router and the validators need it. */
export interface Contract {
  /** Text of the document, unchanged. */
  readonly text: string;
  /** Named schemas. References in every schema of the contract have the form `<SCHEMA_SET>#/$defs/<name>`. */
  readonly schemas: Node;
  readonly operations: readonly Operation[];
}

export interface Operation {
  readonly id: string;
  /** In upper case. */
  readonly method: string;
  /** With `{name}` for a parameter. */
  readonly path: string;
  /** `public`, `authenticated` or a permission of docs/contract/authentication.md#roles-and-permissions. */
  readonly permission: string;
  readonly parameters: readonly Parameter[];
  readonly body: Body | null;
  /** By status; `default` stands for all others. */
  readonly responses: ReadonlyMap<string, ResponseShape>;
}

export interface ResponseShape {
  readonly headers: readonly ResponseHeader[];
  /** Schemas by media type, in lower case. Empty for a response without a body. */
  readonly content: ReadonlyMap<string, Node>;
}

export interface ResponseHeader {
  /** In lower case. */
  readonly name: string;
  readonly required: boolean;
  readonly schema: Node;
}

export type ParameterKind = 'string' | 'integer' | 'number' | 'boolean' | 'list' | 'map';

export interface Parameter {
  readonly name: string;
  readonly in: 'path' | 'query' | 'header';
  readonly required: boolean;
  readonly kind: ParameterKind;
  readonly schema: Node;
  /** Maximum number of segments of a path parameter (`x-segments`). */
  readonly segments: number;
  /** Pattern of the query parameters that belong to a map. */
  readonly keyPattern: RegExp | null;
}

export interface Body {
  /** True if a request must have a body. */
  readonly required: boolean;
  /** True if the handler gets the unparsed text. */
  readonly verbatim: boolean;
  /** `x-max-bytes`; `DEFAULT_MAX_BYTES` if the contract does not say. */
  readonly maxBytes: number;
  /** Schemas by media type, in lower case. */
  readonly content: ReadonlyMap<string, Node>;
}

/** Node of the document. */
export type Node = Readonly<Record<string, unknown>>;

/** Prefix of references to named schemas. */
export const SCHEMA_SET = 'callsheet';

/** Maximum size of a request body. */
const DEFAULT_MAX_BYTES = 65_536;

const METHODS = ['get', 'put', 'post', 'delete', 'patch'] as const;
const CONTRACT_PATH = 'http/openapi/openapi.yaml';

/** Returns the maximum number of segments of each path parameter of an operation. */
export const segmentsOf = ({ parameters }: Operation): ReadonlyMap<string, number> =>
  new Map(parameters.map(({ name, segments }) => [name, segments]));

/** Reads the contract of this package. Throws if it uses an unsupported feature. */
export function readContract(): Contract {
  const text = readFileSync(join(packageRoot(), CONTRACT_PATH), 'utf8');
  return contractOf(text, readParsedDocument(packageRoot(), text) ?? parse(text));
}

export function parseContract(text: string): Contract {
  return contractOf(text, parse(text));
}

/** `parsed` is the value of the YAML document `text`. */
function contractOf(text: string, parsed: unknown): Contract {
  const document = nodeAt(parsed, 'the contract');
  const operations: Operation[] = [];
  for (const [path, item] of Object.entries(nodeAt(document['paths'], 'paths'))) {
    const shared = nodeAt(item, path);
    for (const method of METHODS) {
      if (shared[method] === undefined) continue;
      operations.push(
        readOperation(document, path, method, nodeAt(shared[method], `${method} ${path}`), shared),
      );
    }
  }
  const components = nodeAt(document['components'], 'components');
  return { text, schemas: schemaNode(components['schemas'], 'components/schemas'), operations };
}

function readOperation(
  document: Node,
  path: string,
  method: string,
  operation: Node,
  shared: Node,
): Operation {
  const where = `${method} ${path}`;
  const parameters = [...listAt(shared['parameters'], where), ...listAt(operation['parameters'], where)].map(
    (item) => readParameter(document, resolve(document, item, where), where),
  );
  return {
    id: textAt(operation['operationId'], `operationId of ${where}`),
    method: method.toUpperCase(),
    path,
    permission: textAt(operation['x-permission'], `x-permission of ${where}`),
    parameters,
    body:
      operation['requestBody'] === undefined
        ? null
        : readBody(resolve(document, operation['requestBody'], where), where),
    responses: readResponses(document, nodeAt(operation['responses'], where), where),
  };
}

function readParameter(document: Node, parameter: Node, where: string): Parameter {
  const name = textAt(parameter['name'], `a parameter of ${where}`);
  const place = parameter['in'];
  if (place !== 'path' && place !== 'query' && place !== 'header')
    throw unclear(`parameter ${name} of ${where} is in ${String(place)}`);
  const schema = nodeAt(parameter['schema'], `parameter ${name} of ${where}`);
  const target = resolve(document, schema, where);
  return {
    name,
    in: place,
    required: parameter['required'] === true,
    kind: kindOf(target, `parameter ${name} of ${where}`),
    schema: schemaNode(schema, where),
    segments: parameter['x-segments'] === undefined ? 1 : numberAt(parameter['x-segments'], where),
    keyPattern: target['type'] === 'object' ? keyPatternOf(target, where) : null,
  };
}

function kindOf(schema: Node, where: string): ParameterKind {
  switch (schema['type']) {
    case 'string':
    case 'integer':
    case 'number':
    case 'boolean':
      return schema['type'];
    case 'array':
      return 'list';
    case 'object':
      return 'map';
    default:
      throw unclear(`${where} has the type ${String(schema['type'])}`);
  }
}

function keyPatternOf(schema: Node, where: string): RegExp {
  const names = nodeAt(schema['propertyNames'], `the parameter map of ${where}`);
  return new RegExp(textAt(names['pattern'], `the parameter map of ${where}`), 'u');
}

function readBody(body: Node, where: string): Body {
  return {
    required: body['required'] === true,
    verbatim: body['x-verbatim'] === true,
    maxBytes: body['x-max-bytes'] === undefined ? DEFAULT_MAX_BYTES : numberAt(body['x-max-bytes'], where),
    content: readContent(body['content'], where),
  };
}

function readResponses(document: Node, responses: Node, where: string): Operation['responses'] {
  return new Map(
    Object.entries(responses).map(([status, item]) => {
      const response = resolve(document, item, `${status} of ${where}`);
      const place = `${status} of ${where}`;
      const headers = Object.entries(nodeAt(response['headers'] ?? {}, place)).map(([name, given]) => {
        const header = resolve(document, given, `${name} of ${place}`);
        return {
          name: name.toLowerCase(),
          required: header['required'] === true,
          schema: schemaNode(header['schema'], `${name} of ${place}`),
        };
      });
      return [status, { headers, content: readContent(response['content'] ?? {}, place) }];
    }),
  );
}

function readContent(content: unknown, where: string): ReadonlyMap<string, Node> {
  return new Map(
    Object.entries(nodeAt(content, where)).map(([mediaType, entry]) => [
      mediaType.toLowerCase(),
      schemaNode(nodeAt(entry, where)['schema'], where),
    ]),
  );
}

/** Follows references inside the document. */
function resolve(document: Node, value: unknown, where: string): Node {
  const node = nodeAt(value, where);
  if (node['$ref'] === undefined) return node;
  const reference = textAt(node['$ref'], where);
  const target = reference
    .replace(/^#\//, '')
    .split('/')
    .reduce<unknown>((at, part) => nodeAt(at, where)[part], document);
  return resolve(document, target, `${reference} in ${where}`);
}

/** Schemas that have been turned, by the node of the document: most responses share theirs. */
const turnedSchemas = new WeakMap<Node, Node>();

/** A schema with its references turned towards the schema set. */
function schemaNode(value: unknown, where: string): Node {
  const node = nodeAt(value, where);
  const known = turnedSchemas.get(node);
  if (known !== undefined) return known;
  const turned = nodeAt(turnReferences(node), where);
  turnedSchemas.set(node, turned);
  return turned;
}

function turnReferences(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(turnReferences);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [
      key,
      key === '$ref' && typeof item === 'string'
        ? item.replace('#/components/schemas/', `${SCHEMA_SET}#/$defs/`)
        : turnReferences(item),
    ]),
  );
}

const isNode = (value: unknown): value is Node =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

function nodeAt(value: unknown, where: string): Node {
  if (!isNode(value)) throw unclear(`${where} is not an object`);
  return value;
}

function listAt(value: unknown, where: string): readonly unknown[] {
  if (value === undefined) return [];
  if (!Array.isArray(value)) throw unclear(`${where} is not a list`);
  return value;
}

function textAt(value: unknown, where: string): string {
  if (typeof value !== 'string') throw unclear(`${where} is missing or not a text`);
  return value;
}

function numberAt(value: unknown, where: string): number {
  if (typeof value !== 'number') throw unclear(`x-max-bytes of ${where} is not a number`);
  return value;
}

const unclear = (what: string): Error => new Error(`openapi.yaml: ${what}`);
