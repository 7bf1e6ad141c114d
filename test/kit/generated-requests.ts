import fc from 'fast-check';
import type { Contract, Node, Operation, Parameter } from '../../http/openapi/contract.ts';
import { SchemaValues, type Hints } from './schema-values.ts';

/** A request with its encoded parts. */
export interface GeneratedRequest {
  readonly method: string;
  /** URL path, percent-encoded. */
  readonly path: string;
  /** Names and values, percent-encoded. */
  readonly query: readonly (readonly [name: string, value: string])[];
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly body: Buffer | null;
  /** The fault of the request, or null if it fits the document. */
  readonly mutation: string | null;
  /** Allowed response statuses; null: every status that the document lists. */
  readonly expected: readonly number[] | null;
}

/** Values with which generated requests refer to existing data. Everything else comes from the document. */
export interface Known {
  /** IDs by the name of their collection: the path segment before `{id}`. */
  readonly ids: Readonly<Record<string, readonly string[]>>;
  /** IDs of entries that belong to another one, by the parameters of their path; the key is the names of both collections. */
  readonly nested: Readonly<Record<string, readonly Readonly<Record<string, string>>[]>>;
  /** Generators by name of body member or parameter. */
  readonly hints: Hints;
  /** Generators of single operations, which take precedence. */
  readonly operationHints: Readonly<Record<string, Hints>>;
  /** Request bodies that are sent unchanged, by media type. */
  readonly texts: Readonly<Record<string, readonly string[]>>;
}

interface Parts {
  readonly pathValues: Readonly<Record<string, string>>;
  readonly query: Readonly<Record<string, unknown>>;
  readonly headers: Readonly<Record<string, unknown>>;
  readonly mediaType: string | null;
  readonly body: unknown;
}

/** Nesting depth of a body that is nested too deeply. */
const DEEP = 20_000;

/** Generates requests of one operation from the document and the known data. */
export class RequestGenerator {
  readonly #operation: Operation;
  readonly #known: Known;
  readonly #values: SchemaValues;
  readonly #methods: readonly string[];

  constructor(contract: Contract, operation: Operation, known: Known) {
    this.#operation = operation;
    this.#known = known;
    this.#values = new SchemaValues(contract.schemas, {
      ...known.hints,
      ...known.operationHints[operation.id],
    });
    this.#methods = contract.operations
      .filter(({ path }) => path === operation.path)
      .map(({ method }) => method);
  }

  /** Generates requests that are valid against the document. */
  valid(): fc.Arbitrary<GeneratedRequest> {
    return this.#parts().map((parts) => this.#request(parts));
  }

  /** Generates requests with exactly one fault. */
  mutated(): fc.Arbitrary<GeneratedRequest> {
    return this.#parts().chain((parts) => fc.constantFrom(...this.#mutations(parts)));
  }

  #parts(): fc.Arbitrary<Parts> {
    const { parameters, body } = this.#operation;
    const ofPlace = (place: Parameter['in']): fc.Arbitrary<Record<string, unknown>> => {
      const placed = parameters.filter((parameter) => parameter.in === place);
      const values = placed.map((parameter): [string, fc.Arbitrary<unknown>] => [
        parameter.name,
        this.#values.valid(parameter.schema, parameter.name),
      ]);
      const requiredKeys = placed.filter(({ required }) => required).map(({ name }) => name);
      return fc.record(Object.fromEntries(values), { requiredKeys });
    };
    return fc
      .record({
        pathValues: this.#pathValues(),
        query: ofPlace('query'),
        headers: ofPlace('header'),
        mediaType: body === null ? fc.constant(null) : fc.constantFrom(...body.content.keys()),
      })
      .chain((parts) => {
        const schema = parts.mediaType === null ? undefined : body?.content.get(parts.mediaType);
        const value = schema === undefined ? fc.constant(null) : this.#bodyOf(parts.mediaType ?? '', schema);
        return value.map((made): Parts => ({ ...parts, body: made }));
      });
  }

  #bodyOf(mediaType: string, schema: Node): fc.Arbitrary<unknown> {
    const texts = this.#known.texts[mediaType] ?? [];
    if (this.#operation.body?.verbatim === true && texts.length > 0) return fc.constantFrom(...texts);
    return this.#values.valid(schema);
  }

  #pathValues(): fc.Arbitrary<Record<string, string>> {
    const path = [...this.#operation.path.matchAll(/\/([^/]+)\/\{([^}]+)\}/g)];
    const single = fc.record(
      Object.fromEntries(path.map(([, collection = '', name = '']) => [name, this.#idOf(collection)])),
    );
    const nested = this.#known.nested[path.map(([, collection]) => collection).join('/')] ?? [];
    if (nested.length === 0) return single;
    return fc.oneof(
      { weight: 9, arbitrary: fc.constantFrom(...nested).map((values) => ({ ...values })) },
      { weight: 1, arbitrary: single },
    );
  }

  #idOf(collection: string): fc.Arbitrary<string> {
    const known = this.#known.ids[collection] ?? [];
    const unknown = fc.oneof(
      fc.uuid(),
      fc.string({ unit: 'grapheme', minLength: 1, maxLength: 30, size: 'max' }),
    );
    if (known.length === 0) return unknown;
    return fc.oneof({ weight: 9, arbitrary: fc.constantFrom(...known) }, { weight: 1, arbitrary: unknown });
  }

  #request(parts: Parts): GeneratedRequest {
    const path = this.#operation.path.replace(/\{([^}]+)\}/g, (_, name: string) =>
      escaped(parts.pathValues[name] ?? ''),
    );
    const query = Object.entries(parts.query).flatMap(([name, value]) => this.#pairs(name, value));
    const headers = Object.entries(parts.headers)
      .flatMap(([name, value]) =>
        (Array.isArray(value) ? value : [value]).map((item) => [name, textOf(item)] as const),
      )
      .filter(([, value]) => /^[\x20-\x7e]*$/.test(value) && value.trim() === value && value !== '');
    const type = parts.mediaType === null ? [] : [['Content-Type', parts.mediaType] as const];
    const text = this.#operation.body?.verbatim === true ? String(parts.body) : JSON.stringify(parts.body);
    return {
      method: this.#operation.method,
      path,
      query,
      headers: [...headers, ...type],
      body: parts.mediaType === null ? null : Buffer.from(text),
      mutation: null,
      expected: null,
    };
  }

  #pairs(name: string, value: unknown): [string, string][] {
    const parameter = this.#operation.parameters.find((each) => each.in === 'query' && each.name === name);
    if (parameter?.kind === 'map' && typeof value === 'object' && value !== null) {
      return Object.entries(value).map(([key, item]) => [escaped(key), escaped(textOf(item))]);
    }
    const items: readonly unknown[] = Array.isArray(value) ? value : [value];
    return items.filter((item) => item !== undefined).map((item) => [escaped(name), escaped(textOf(item))]);
  }

  #mutations(parts: Parts): GeneratedRequest[] {
    const whole = this.#request(parts);
    const made: GeneratedRequest[] = [
      ...this.#ofMethod(whole),
      ...this.#ofPath(whole, parts),
      ...this.#ofQuery(whole, parts),
      ...this.#ofHeaders(whole),
    ];
    if (whole.body !== null) made.push(...this.#ofBody(whole, parts));
    return made;
  }

  #ofMethod(whole: GeneratedRequest): GeneratedRequest[] {
    const others = ['GET', 'PUT', 'POST', 'DELETE', 'PATCH', 'TRACE', 'PURGE'];
    const refused = others
      .filter((method) => !this.#methods.includes(method))
      .map((method) => ({ ...whole, method, mutation: `the method ${method}`, expected: [405] }));
    const asked = { ...whole, method: 'OPTIONS', mutation: 'the method OPTIONS', expected: [204] };
    const head = { ...whole, method: 'HEAD', mutation: 'the method HEAD', expected: null };
    return [...refused, asked, ...(whole.method === 'GET' ? [head] : [])];
  }

  #ofPath(whole: GeneratedRequest, { pathValues }: Parts): GeneratedRequest[] {
    const made: GeneratedRequest[] = [];
    const ids: readonly (readonly [what: string, text: string, expected: readonly number[] | null])[] = [
      ['an empty ID', '', null],
      ['a long id', 'a'.repeat(5000), [404]],
      ['a bad escape', '%zz', [404]],
      ['an escape that is not valid UTF-8', '%ff%fe', [404]],
      ['a zero byte', 'a%00b', [404]],
      ['an escaped slash', '..%2f..%2fetc', [404]],
      ['an invalid ID', '-1', [404]],
    ];
    for (const name of Object.keys(pathValues)) {
      for (const [what, text, expected] of ids) {
        const path = this.#operation.path.replace(/\{([^}]+)\}/g, (_, each: string) =>
          each === name ? text : escaped(pathValues[each] ?? ''),
        );
        made.push({ ...whole, path, mutation: `${what} as ${name}`, expected });
      }
    }
    made.push({
      ...whole,
      path: `${whole.path}/no-such-thing-below`,
      mutation: 'a longer path',
      expected: [404, 405],
    });
    made.push({ ...whole, path: `${whole.path}/`, mutation: 'a trailing slash', expected: null });
    return made;
  }

  #ofQuery(whole: GeneratedRequest, parts: Parts): GeneratedRequest[] {
    const made: GeneratedRequest[] = [
      {
        ...whole,
        query: [...whole.query, ['a', '%zz']],
        mutation: 'a bad escape in the query',
        expected: [400],
      },
      {
        ...whole,
        query: [...whole.query, ['%ff', '1']],
        mutation: 'a name that is not valid UTF-8',
        expected: [400],
      },
      {
        ...whole,
        query: [...whole.query, ['no_such_parameter', '1']],
        mutation: 'an unknown parameter',
        expected: null,
      },
      { ...whole, query: [['', ''], ...whole.query, ['', '']], mutation: 'empty pairs', expected: null },
    ];
    for (const parameter of this.#operation.parameters) {
      if (parameter.in !== 'query' || parameter.kind === 'map') continue;
      const { name, kind, required, schema } = parameter;
      const without = whole.query.filter(([each]) => each !== name);
      const own = whole.query.filter(([each]) => each === name);
      if (required) {
        made.push({ ...whole, query: without, mutation: `no ${name}`, expected: [400] });
      }
      const values = parts.query[name];
      if (kind !== 'list') {
        const [first] = own.length > 0 ? own : [[name, '1'] as const];
        if (first !== undefined) {
          made.push({
            ...whole,
            query: [...without, first, first],
            mutation: `${name} twice`,
            expected: [400],
          });
        }
        for (const { what, value } of this.#values.invalid(schema)) {
          const text = textOf(value);
          // Every text is a valid string. For other types, a text is invalid unless it parses as the type.
          const isWrong = !this.#reads(kind, what, text) && text.length < 5000;
          if (isWrong) {
            const query = [...without, [name, escaped(text)] as const];
            made.push({ ...whole, query, mutation: `${name} ${what}`, expected: [400] });
          }
        }
        if (kind === 'integer') {
          for (const text of ['', ' 1', '1.0', '1e3', '0x10', '١', '--1', '9'.repeat(400)]) {
            const query = [...without, [name, escaped(text)] as const];
            made.push({ ...whole, query, mutation: `${name}=${text}`, expected: [400] });
          }
        }
      } else if (Array.isArray(values)) {
        made.push({
          ...whole,
          query: [...without, [name, '%00']],
          mutation: `${name} with a null character`,
          expected: null,
        });
      }
    }
    return made;
  }

  /** Reports whether a text is also a valid value of this type. */
  #reads(kind: Parameter['kind'], what: string, text: string): boolean {
    if (!what.startsWith('of type')) return false;
    if (kind === 'string') return true;
    return kind === 'boolean' ? /^(true|false)$/.test(text) : /^-?[0-9]+$/.test(text);
  }

  #ofHeaders(whole: GeneratedRequest): GeneratedRequest[] {
    const withHeader = (
      name: string,
      value: string,
      expected: readonly number[] | null,
    ): GeneratedRequest => ({
      ...whole,
      headers: [...whole.headers.filter(([each]) => each !== name), [name, value]],
      mutation: `${name}: ${value.slice(0, 40)}`,
      expected,
    });
    return [
      withHeader('X-Request-ID', '../../<script>', null),
      withHeader('X-Request-ID', 'x'.repeat(129), null),
      withHeader('If-None-Match', 'W/"', null),
      withHeader('Accept', 'image/png', null),
      withHeader('Accept-Encoding', 'gzip;q=2, *;q=-1, identity;q=nonsense', null),
      withHeader('Origin', 'null', null),
      withHeader('X-Forwarded-For', ',,, 999.1.1.1', null),
      withHeader('Authorization', 'Bearer svc_nothing', null),
    ];
  }

  #ofBody(whole: GeneratedRequest, parts: Parts): GeneratedRequest[] {
    const { body } = this.#operation;
    if (body === null) return [];
    const refused = body.verbatim ? [422] : [400];
    const raw = (
      mutation: string,
      text: string | Buffer,
      expected: readonly number[] | null,
    ): GeneratedRequest => ({
      ...whole,
      body: Buffer.from(text),
      mutation,
      expected,
    });
    const typed = (mutation: string, type: string | null): GeneratedRequest => ({
      ...whole,
      headers: [
        ...whole.headers.filter(([name]) => name !== 'Content-Type'),
        ...(type === null ? [] : [['Content-Type', type] as const]),
      ],
      mutation,
      expected: [415],
    });
    const made = [
      raw('no JSON', '{"name": ', refused),
      raw('not UTF-8', Buffer.from([0x7b, 0x22, 0xff, 0xfe, 0x22, 0x7d]), [400]),
      raw('null', 'null', refused),
      raw('a list', '[]', refused),
      raw('a text', '"text"', refused),
      raw('a number', '12', refused),
      raw('deep nesting', `${'['.repeat(DEEP)}${']'.repeat(DEEP)}`, refused),
      raw('an empty body', '', body.required ? refused : null),
      raw(
        'a byte order mark',
        Buffer.concat([Buffer.from([0xef, 0xbb, 0xbf]), whole.body ?? Buffer.alloc(0)]),
        null,
      ),
      typed('no content type', null),
      typed('the content type of a form', 'application/x-www-form-urlencoded'),
      typed('a content type in UTF-16', `${parts.mediaType ?? ''}; charset=utf-16`),
      typed('an invalid content type', ';;;'),
      {
        ...whole,
        headers: [...whole.headers, ['Content-Encoding', 'gzip'] as const],
        mutation: 'a content coding',
        expected: [415],
      },
    ];
    const schema = body.content.get(parts.mediaType ?? '');
    const members = body.verbatim || schema === undefined ? null : this.#values.members(schema);
    if (members === null || typeof parts.body !== 'object' || parts.body === null) return made;
    const value: Readonly<Record<string, unknown>> = { ...parts.body };
    const json = (mutation: string, changed: unknown, expected: readonly number[] | null): GeneratedRequest =>
      raw(mutation, JSON.stringify(changed), expected);
    made.push(json('a further member', { ...value, no_such_member: { a: [1] } }, null));
    made.push(
      raw(
        'a member called __proto__',
        JSON.stringify(value).replace(/^\{/, '{"__proto__":{"a":1},').replace(',}', '}'),
        null,
      ),
    );
    for (const name of members.required) {
      const { [name]: _left, ...without } = value;
      made.push(json(`no ${name}`, without, [400]));
    }
    for (const [name, member] of Object.entries(members.properties)) {
      if (typeof value[name] === 'string') {
        made.push(json(`${name} half a character`, { ...value, [name]: 'a\ud800b' }, [400]));
      }
      for (const { what, value: wrong } of this.#values.invalid(member)) {
        made.push(json(`${name} ${what}`, { ...value, [name]: wrong }, [400]));
      }
    }
    return made;
  }
}

/** Formats a value for a parameter. */
const textOf = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value));

const escaped = (text: string): string => encodeURIComponent(text);
