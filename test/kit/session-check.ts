import { parse, stringify } from 'yaml';
import { parseContract, readContract, type Node, type Operation } from '../../http/openapi/contract.ts';
import { SchemaSet, type Check } from '../../http/openapi/schema-set.ts';
import { ParameterReader } from '../../http/pipeline/parameters.ts';
import { parseQueryString } from '../../http/pipeline/query-string.ts';
import { Router } from '../../http/pipeline/router.ts';
import type { Exchange, HeaderLine } from './recording-proxy.ts';

/**
 * Validates an exchange against the OpenAPI document in both directions: required parts must be present, and present
 * parts must be documented. Stricter than the service, which ignores unknown parts.
 */

/** Standard headers of HTTP and browsers, which the document does not list. */
const REQUEST_HEADERS = new Set([
  'accept',
  'accept-encoding',
  'accept-language',
  'authorization',
  'cache-control',
  'connection',
  'content-length',
  'content-type',
  'host',
  'pragma',
  'sec-fetch-mode',
  'transfer-encoding',
  'user-agent',
]);
const ANSWER_HEADERS = new Set([
  'access-control-allow-origin',
  'access-control-expose-headers',
  'allow',
  'cache-control',
  'connection',
  'content-encoding',
  'content-length',
  'content-security-policy',
  'content-type',
  'date',
  'location',
  'referrer-policy',
  'transfer-encoding',
  'uwebsockets',
  'vary',
  'x-content-type-options',
]);
/** Headers that the description of the document requires in every response, or in every response to a GET request. */
const EVERY_ANSWER = ['x-request-id', 'x-api-version'];
const EVERY_GET = 'etag';

/** The document describes a stream as text. Returns the schema of its lines. */
const LINES: Readonly<Record<string, Node>> = {
  'application/x-ndjson': { $ref: 'callsheet#/$defs/LogChunk' },
};

const OPEN = 'Open';
const COMBINED = new Set(['allOf', 'anyOf', 'oneOf']);

const isNode = (value: unknown): value is Node =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Reports whether a schema is another one or null. */
const isNullable = ({ anyOf }: Node): boolean =>
  Array.isArray(anyOf) && anyOf.some((each) => isNode(each) && each['type'] === 'null');

/** Returns the schema with unknown members forbidden. `open` leaves this to the enclosing combined schema. */
function tight(value: unknown, open = false): unknown {
  if (Array.isArray(value)) return value.map((item) => tight(item, open));
  if (!isNode(value)) return value;
  if (isNullable(value)) return { ...value, anyOf: tight(value['anyOf']) };
  const inner = Object.fromEntries(
    Object.entries(value).map(([key, item]) => [
      key,
      key === '$ref' && open && typeof item === 'string'
        ? item.replace(/^(#\/components\/schemas\/.*)$/, `$1${OPEN}`)
        : tight(item, COMBINED.has(key)),
    ]),
  );
  const listsMembers = value['type'] === 'object' && isNode(value['properties']);
  const combines = Object.keys(value).some((key) => COMBINED.has(key));
  if (open || !(listsMembers || combines) || 'additionalProperties' in value) return inner;
  return { type: 'object', ...inner, unevaluatedProperties: false };
}

function tightDocument(text: string): string {
  const document: unknown = parse(text);
  if (!isNode(document) || !isNode(document['components'])) throw new Error('the document has no components');
  const schemas = Object.entries(
    isNode(document['components']['schemas']) ? document['components']['schemas'] : {},
  );
  const both = schemas.flatMap(([name, schema]) => [
    [name, tight(schema)],
    [`${name}${OPEN}`, tight(schema, true)],
  ]);
  return stringify({
    ...document,
    paths: tight(document['paths']),
    components: { ...document['components'], schemas: Object.fromEntries(both) },
  });
}

interface Known {
  readonly operation: Operation;
  readonly reader: ParameterReader;
  /** Returns the schemas of the headers that a response with a status may have, by name in lower case. */
  readonly headers: ReadonlyMap<string, ReadonlyMap<string, Node>>;
}

/** Returns the differences between an exchange and the document, or an empty list. */
export type SessionCheck = (exchange: Exchange) => readonly string[];

/** @param text the OpenAPI document; by default the one of this package */
export function sessionCheck(text = readContract().text): SessionCheck {
  const contract = parseContract(tightDocument(text));
  const schemas = new SchemaSet(contract);
  const router = new Router<Known>();
  const document: unknown = parse(text);
  for (const operation of contract.operations) {
    const reader = new ParameterReader(operation, schemas);
    const headers = answerHeadersOf(document, operation);
    router.add(operation.method, operation.path, { operation, reader, headers });
  }
  const checks = new Map<Node, Check>();
  const check = (schema: Node, value: unknown): readonly string[] => {
    const made = checks.get(schema) ?? schemas.check(schema);
    checks.set(schema, made);
    return made(value).map(({ pointer, detail }) => `${pointer} ${detail}`);
  };
  return (exchange) => {
    const [path = '', query = ''] = exchange.target.split(/\?(.*)/s);
    const match = router.match(exchange.method, path);
    if (!match.found) return ['no such operation'];
    return [
      ...requestComplaints(exchange, match.target, match.parameters, query, check),
      ...answerComplaints(exchange, match.target, check),
    ];
  };
}

type CheckValue = (schema: Node, value: unknown) => readonly string[];

function requestComplaints(
  exchange: Exchange,
  { operation, reader }: Known,
  path: ReadonlyMap<string, string>,
  queryText: string,
  check: CheckValue,
): readonly string[] {
  const complaints: string[] = [];
  const query = parseQueryString(queryText);
  if (query === null) return ['the query cannot be parsed'];
  const known = operation.parameters.filter((parameter) => parameter.in === 'query');
  for (const name of query.keys()) {
    const isKnown = known.some(({ name: one, kind, keyPattern }) =>
      kind === 'map' ? keyPattern?.test(name) === true : one === name,
    );
    if (!isKnown) complaints.push(`the query parameter ${name} is not in the document`);
  }
  const headers = operation.parameters.filter(({ in: place }) => place === 'header');
  for (const [name] of exchange.requestHeaders) {
    if (!REQUEST_HEADERS.has(name) && !headers.some((one) => one.name.toLowerCase() === name))
      complaints.push(`the request header ${name} is not in the document`);
  }
  // A mismatch is correct if the service rejected the request.
  if (exchange.status >= 400) return complaints;
  const read = reader.read(path, query, exchange.requestHeaders);
  if (!read.ok) complaints.push(...read.errors.map(({ pointer, detail }) => `${pointer} ${detail}`));
  return [...complaints, ...bodyComplaints(exchange, operation, check)];
}

function bodyComplaints(exchange: Exchange, { body }: Operation, check: CheckValue): readonly string[] {
  const { requestBody } = exchange;
  if (body === null) return requestBody === '' ? [] : ['a request body is not in the document'];
  if (requestBody === '' && !body.required) return [];
  const type = mediaTypeOf(exchange.requestHeaders);
  const schema = body.content.get(type);
  if (schema === undefined) return [`a request body of the type ${type} is not in the document`];
  const value = valueOf(type, requestBody);
  return check(schema, value).map((complaint) => `request body: ${complaint}`);
}

function answerComplaints(
  exchange: Exchange,
  { operation, headers }: Known,
  check: CheckValue,
): readonly string[] {
  const { status, answerBody, method } = exchange;
  const content = operation.responses.get(String(status))?.content;
  if (content === undefined) return [`the status ${status} is not in the document`];
  const complaints = headerComplaints(
    exchange,
    headers.get(String(status)) ?? new Map<string, Node>(),
    check,
  );
  if (content.size === 0)
    return answerBody === '' ? complaints : [...complaints, 'an answer body is not in the document'];
  const type = mediaTypeOf(exchange.answerHeaders);
  const schema = content.get(type);
  if (schema === undefined) return [...complaints, `an answer of the type ${type} is not in the document`];
  if (method === 'HEAD') return complaints;
  const lines = LINES[type];
  const found =
    lines === undefined
      ? check(schema, valueOf(type, answerBody))
      : answerBody
          .split('\n')
          .filter((line) => line.trim() !== '')
          .flatMap((line) => check(lines, valueOf('application/json', line)));
  return [...complaints, ...found.map((complaint) => `answer body: ${complaint}`)];
}

function headerComplaints(
  { method, answerHeaders }: Exchange,
  documented: ReadonlyMap<string, Node>,
  check: CheckValue,
): readonly string[] {
  const complaints: string[] = [];
  const names = new Set(answerHeaders.map(([name]) => name));
  for (const name of EVERY_ANSWER) if (!names.has(name)) complaints.push(`the answer has no ${name}`);
  for (const [name, value] of answerHeaders) {
    const schema = documented.get(name);
    if (schema !== undefined) {
      const isNumber = schema['type'] === 'integer' && /^[0-9]{1,15}$/.test(value);
      const found = check(schema, isNumber ? Number(value) : value);
      complaints.push(...found.map((complaint) => `answer header ${name}: ${complaint}`));
    } else if (
      !ANSWER_HEADERS.has(name) &&
      !EVERY_ANSWER.includes(name) &&
      !(name === EVERY_GET && method === 'GET')
    ) {
      complaints.push(`the answer header ${name} is not in the document`);
    }
  }
  return complaints;
}

const mediaTypeOf = (headers: readonly HeaderLine[]): string =>
  (headers.find(([name]) => name === 'content-type')?.[1] ?? 'none').split(';')[0]?.trim().toLowerCase() ??
  '';

/** Parses a body of a media type. Returns undefined, which matches no schema, if it is invalid. */
function valueOf(type: string, text: string): unknown {
  if (!type.endsWith('json')) return text;
  try {
    const value: unknown = JSON.parse(text);
    return value;
  } catch {
    return undefined;
  }
}

/** Returns the response headers of each status of an operation, from the document. */
function answerHeadersOf(document: unknown, { path, method }: Operation): Known['headers'] {
  const responses = at(document, ['paths', path, method.toLowerCase(), 'responses']);
  return new Map(
    Object.entries(isNode(responses) ? responses : {}).map(([status, response]) => {
      const headers = resolved(document, response)['headers'];
      const schemas = Object.entries(isNode(headers) ? headers : {}).map(
        ([name, header]) =>
          [name.toLowerCase(), resolved(document, resolved(document, header)['schema'])] as const,
      );
      return [status, new Map(schemas)];
    }),
  );
}

const at = (node: unknown, path: readonly string[]): unknown =>
  path.reduce<unknown>((inner, key) => (isNode(inner) ? inner[key] : undefined), node);

function resolved(document: unknown, value: unknown): Node {
  if (!isNode(value)) throw new Error('the document has an unresolvable reference');
  const reference = value['$ref'];
  return typeof reference === 'string'
    ? resolved(document, at(document, reference.replace('#/', '').split('/')))
    : value;
}
