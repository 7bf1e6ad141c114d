import type { Parameter, ParameterKind, Operation } from '../openapi/contract.ts';
import type { Check, SchemaSet } from '../openapi/schema-set.ts';
import type { PointedError } from '../../src/openjd/primitives/pointed-error.ts';
import { headerValues, type Header } from './message.ts';

export type ReadParameters =
  | { readonly ok: true; readonly path: object; readonly query: object; readonly headers: object }
  | { readonly ok: false; readonly errors: readonly PointedError[] };

/** Reads the parameters of one operation: parses texts, applies defaults, validates. */
export class ParameterReader {
  readonly #path: readonly Parameter[];
  readonly #query: readonly Parameter[];
  readonly #headers: readonly Parameter[];
  readonly #checkPath: Check;
  readonly #checkQuery: Check;
  readonly #checkHeaders: Check;

  constructor(operation: Operation, schemas: SchemaSet) {
    this.#path = operation.parameters.filter((parameter) => parameter.in === 'path');
    this.#query = operation.parameters.filter((parameter) => parameter.in === 'query');
    this.#headers = operation.parameters.filter((parameter) => parameter.in === 'header');
    this.#checkPath = schemas.check(objectOf(this.#path), '/path');
    this.#checkQuery = schemas.check(objectOf(this.#query), '/query');
    this.#checkHeaders = schemas.check(objectOf(this.#headers), '/header');
  }

  read(
    path: ReadonlyMap<string, string>,
    query: ReadonlyMap<string, readonly string[]>,
    headers: readonly Header[],
  ): ReadParameters {
    const pathValues: Record<string, unknown> = {};
    for (const parameter of this.#path)
      pathValues[parameter.name] = valueOf(parameter.kind, path.get(parameter.name) ?? '');
    const queryValues: Record<string, unknown> = {};
    const errors: PointedError[] = [];
    for (const parameter of this.#query) {
      const value = fromQuery(parameter, query, errors);
      if (value !== undefined) queryValues[parameter.name] = value;
    }
    const headerValuesByName: Record<string, unknown> = {};
    for (const parameter of this.#headers) {
      const value = fromHeaders(parameter, headers, errors);
      if (value !== undefined) headerValuesByName[parameter.name] = value;
    }
    errors.push(
      ...this.#checkPath(pathValues),
      ...this.#checkQuery(queryValues),
      ...this.#checkHeaders(headerValuesByName),
    );
    return errors.length > 0
      ? { ok: false, errors }
      : { ok: true, path: pathValues, query: queryValues, headers: headerValuesByName };
  }
}

/** Returns the schema of an object with the parameters as properties. */
function objectOf(parameters: readonly Parameter[]): Record<string, unknown> {
  return {
    type: 'object',
    properties: Object.fromEntries(parameters.map((parameter) => [parameter.name, parameter.schema])),
    required: parameters.filter((parameter) => parameter.required).map((parameter) => parameter.name),
  };
}

function fromQuery(
  parameter: Parameter,
  query: ReadonlyMap<string, readonly string[]>,
  errors: PointedError[],
): unknown {
  if (parameter.kind === 'map') return mapFromQuery(parameter, query, errors);
  const values = query.get(parameter.name);
  if (values === undefined) return undefined;
  if (parameter.kind === 'list') return values;
  return valueOf(parameter.kind, single(`/query/${parameter.name}`, values, errors));
}

function fromHeaders(parameter: Parameter, headers: readonly Header[], errors: PointedError[]): unknown {
  const values = headerValues(headers, parameter.name.toLowerCase());
  if (values.length === 0) return undefined;
  if (parameter.kind === 'list') return values;
  return valueOf(parameter.kind, single(`/header/${parameter.name}`, values, errors));
}

function mapFromQuery(
  parameter: Parameter,
  query: ReadonlyMap<string, readonly string[]>,
  errors: PointedError[],
): Record<string, string> {
  const members = [...query].filter(([name]) => parameter.keyPattern?.test(name));
  return Object.fromEntries(
    members.map(([name, values]) => [name, single(`/query/${name}`, values, errors)]),
  );
}

function single(pointer: string, values: readonly string[], errors: PointedError[]): string {
  if (values.length > 1) errors.push({ pointer, detail: 'is given more than once' });
  return values[0] ?? '';
}

/** Parses a text. A text that does not parse stays a text, which validation then rejects. */
function valueOf(kind: ParameterKind, text: string): unknown {
  switch (kind) {
    case 'integer':
      return /^(0|-?[1-9][0-9]{0,15})$/.test(text) ? Number(text) : text;
    case 'number':
      return /^-?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]+)?$/.test(text) ? Number(text) : text;
    case 'boolean':
      return text === 'true' ? true : text === 'false' ? false : text;
    case 'string':
    case 'list':
    case 'map':
      return text;
  }
}
