import type { paths } from '../http/openapi/generated.ts';
import type { AuditEntry, LogChunk } from './resources.ts';

/** Calls of the REST API as the contract types them: paths without `/api/v1`, parameters, bodies and responses. */

export type Method = 'get' | 'post' | 'put' | 'patch' | 'delete';

interface Operation {
  readonly parameters: object;
  readonly responses: object;
}

/** Paths that have an operation of the method. */
export type PathOf<M extends Method> = {
  [P in keyof paths]: P extends `/api/v1${infer Rest}`
    ? paths[P] extends { readonly [K in M]: Operation }
      ? Rest
      : never
    : never;
}[keyof paths];

type OperationAt<M extends Method, P extends string> = paths[`/api/v1${P}` & keyof paths] extends {
  readonly [K in M]: infer Op;
}
  ? Op
  : never;

/** The same type, in which optional members may be undefined; undefined is not sent. */
export type Loose<T> = {
  readonly [Key in keyof T]: Record<never, never> extends Pick<T, Key> ? T[Key] | undefined : T[Key];
};

type PathPart<Op> = Op extends { readonly parameters: { readonly path: infer Path } }
  ? { readonly path: Path }
  : unknown;

type QueryPart<Op> = Op extends { readonly parameters: { readonly query: infer Query } }
  ? { readonly query: Loose<Query> }
  : Op extends { readonly parameters: { readonly query?: infer Query } }
    ? { readonly query?: Loose<NonNullable<Query>> }
    : unknown;

type HeaderPart<Op> = Op extends { readonly parameters: { readonly header?: infer Headers } }
  ? { readonly headers?: Loose<NonNullable<Headers>> }
  : unknown;

/** A body that is sent verbatim has its own media type; all others are JSON. */
type BodyPart<Op> = Op extends {
  readonly requestBody: { readonly content: { readonly 'application/x-yaml': string } };
}
  ? { readonly document: { readonly type: keyof Op['requestBody']['content']; readonly text: string } }
  : Op extends { readonly requestBody: { readonly content: { readonly 'application/json': infer Body } } }
    ? { readonly body: Loose<Body> }
    : OptionalBodyPart<Op>;

type OptionalBodyPart<Op> = Op extends { readonly requestBody?: infer Sent }
  ? [NonNullable<Sent>] extends [never]
    ? unknown
    : NonNullable<Sent> extends { readonly content: { readonly 'application/json': infer Body } }
      ? { readonly body?: Loose<Body> }
      : unknown
  : unknown;

/** Parts of a request. */
export interface Sent {
  readonly path?: Readonly<Record<string, string>>;
  readonly query?: object;
  readonly headers?: object;
  readonly body?: object;
  readonly document?: { readonly type: string; readonly text: string };
  /** Ends the call, which rejects with the reason of the signal. */
  readonly signal?: AbortSignal | undefined;
}

type Given<Op> = Sent & PathPart<Op> & QueryPart<Op> & HeaderPart<Op> & BodyPart<Op>;

/** Arguments of an operation; optional if nothing is required. */
export type CallArguments<M extends Method, P extends string> =
  Record<never, never> extends Given<OperationAt<M, P>>
    ? [given?: Given<OperationAt<M, P>>]
    : [given: Given<OperationAt<M, P>>];

type Success<Op> = Op extends { readonly responses: infer Responses }
  ? Responses[keyof Responses & (200 | 201 | 202)]
  : never;

type JsonOf<Response> = Response extends {
  readonly content: { readonly 'application/json': infer Body };
}
  ? Body
  : never;

/** JSON response of the operation; undefined if it has no content. */
export type AnswerOf<M extends Method, P extends string> = [JsonOf<Success<OperationAt<M, P>>>] extends [
  never,
]
  ? undefined
  : JsonOf<Success<OperationAt<M, P>>>;

/** Body of the operation. */
export type BodyOf<M extends Method, P extends string> =
  BodyPart<OperationAt<M, P>> extends { readonly body?: infer Body } ? NonNullable<Body> : never;

/** Query of the operation. */
export type QueryOf<M extends Method, P extends string> =
  QueryPart<OperationAt<M, P>> extends { readonly query?: infer Query } ? NonNullable<Query> : never;

/** Streams of newline-delimited JSON. The contract cannot type their lines. */
export interface StreamLines {
  readonly '/tasks/{id}/logs': LogChunk;
  readonly '/audit': AuditEntry;
}
