import type { Problem, ProblemKind } from '../../src/core/problems.ts';
import type { Principal } from '../guards/principal.ts';
import type { operations } from '../openapi/generated.ts';
import { pointedProblem } from '../problems.ts';
import type { TaggedBytes } from '../pipeline/conditional.ts';
import type { Header } from '../pipeline/message.ts';
import type { VerbatimBody } from '../pipeline/body.ts';
import type { Ports } from '../ports.ts';
import type { OperationId } from '../openapi/operation-id.ts';

/**
 * Parameters with a default everywhere in the contract, so that handlers always get a value. The binding verifies
 * this.
 */
export const DEFAULTED_PARAMETERS = [
  'limit',
  'offset',
  'sort_by',
  'sort_dir',
  'priority',
  'tail',
  'after_bus_seq',
  'dry_run',
  'force',
  'with_dependents',
  'minutes',
  'step_minutes',
  'per_worker',
] as const;
type Defaulted = (typeof DEFAULTED_PARAMETERS)[number];

type PathOf<Op extends OperationId> = operations[Op]['parameters'] extends { readonly path: infer Path }
  ? Path
  : object;

type GivenQuery<Op extends OperationId> = NonNullable<operations[Op]['parameters']['query']>;
type QueryOf<Op extends OperationId> = [GivenQuery<Op>] extends [never]
  ? object
  : GivenQuery<Op> & Required<Pick<GivenQuery<Op>, keyof GivenQuery<Op> & Defaulted>>;

type HeadersOf<Op extends OperationId> = [NonNullable<operations[Op]['parameters']['header']>] extends [never]
  ? object
  : NonNullable<operations[Op]['parameters']['header']>;

type GivenBody<Op extends OperationId> = operations[Op]['requestBody'];
type ContentOf<Op extends OperationId> =
  NonNullable<GivenBody<Op>> extends { readonly content: infer Content } ? Content : never;
type BodyOf<Op extends OperationId> = [NonNullable<GivenBody<Op>>] extends [never]
  ? undefined
  : ContentOf<Op> extends { readonly 'application/yaml': unknown }
    ? VerbatimBody
    : // A body that is not required may be missing.
      ContentOf<Op>[keyof ContentOf<Op>] | (undefined extends GivenBody<Op> ? undefined : never);

/** A request that has passed validation. */
export interface Call<Op extends OperationId> {
  readonly path: PathOf<Op>;
  readonly query: QueryOf<Op>;
  readonly headers: HeadersOf<Op>;
  readonly body: BodyOf<Op>;
  readonly principal: Principal;
  /** Returns the address that the request counts for. */
  readonly client: () => string;
  /** Reports whether the request arrived over TLS, as far as the service can tell. */
  readonly isSecure: () => boolean;
  /** Returns all headers in order of arrival, for cookies whose names the contract does not fix. */
  readonly allHeaders: () => readonly Header[];
  /** Aborts when the client disconnects or the server stops. */
  readonly ended: () => AbortSignal;
}

/** Parts of an audit entry that only the handler knows. */
export interface AuditHints {
  /** Who has signed in, or the account that a failed sign-in has named. */
  readonly actor: string;
  /** Null if the identity was not proved. */
  readonly actorId: string | null;
  /** True for a sign-in that was refused by another status than 401 and 403. */
  readonly isDenied?: boolean;
}

type Responses<Op extends OperationId> = operations[Op]['responses'];

/** `isTransient` is set if the reply depends on more than its address and committed state. */
type JsonReply<Op extends OperationId> = {
  [Status in keyof Responses<Op> & number]: Responses<Op>[Status] extends {
    readonly content: { readonly 'application/json': infer Body };
  }
    ? {
        readonly kind: 'json';
        readonly status: Status;
        readonly body: Body;
        readonly location?: string;
        readonly headers?: readonly Header[];
        readonly isTransient?: boolean;
        readonly audit?: AuditHints;
      }
    : never;
}[keyof Responses<Op> & number];

export type Reply<Op extends OperationId> =
  | JsonReply<Op>
  | { readonly kind: 'done'; readonly headers?: readonly Header[] }
  | RedirectReply
  | {
      readonly kind: 'text';
      readonly contentType: string;
      readonly text: string;
      readonly isTransient?: boolean;
    }
  /** Bytes of an image. */
  | { readonly kind: 'image'; readonly contentType: string; readonly image: TaggedBytes }
  /** JSON that is kept as bytes. */
  | { readonly kind: 'kept-json'; readonly json: TaggedBytes }
  | {
      readonly kind: 'stream';
      readonly contentType: string;
      readonly headers?: readonly Header[];
      readonly pieces: AsyncIterable<string>;
    }
  | ProblemReply;

/** Reply of any operation. */
export type AnyReply = { [Op in OperationId]: Reply<Op> }[OperationId];

/** Sends the browser to another address with GET: 303. */
export interface RedirectReply {
  readonly kind: 'redirect';
  readonly location: string;
  readonly headers?: readonly Header[];
  readonly audit?: AuditHints;
}

export interface ProblemReply {
  readonly kind: 'problem';
  readonly problem: Problem;
  readonly headers?: readonly Header[];
  readonly audit?: AuditHints;
}

export type Handler<Op extends OperationId> = (
  call: Call<Op>,
  ports: Ports,
) => Reply<Op> | Promise<Reply<Op>>;

/** One handler per operation of the contract. */
export type Handlers = { readonly [Op in OperationId]: Handler<Op> };

export const problem = (kind: ProblemKind, detail: string): ProblemReply => ({
  kind: 'problem',
  problem: { kind, detail },
});

/** Returns 400 for one error in a request. */
export const invalid = (pointer: string, detail: string): ProblemReply => ({
  kind: 'problem',
  problem: pointedProblem('bad-request', [{ pointer, detail }]),
});

/** Returns 404 for the id in a path: "no job 0198...". */
export const notFound = (what: string, id: string): ProblemReply =>
  problem('not-found', `no ${what} ${id.slice(0, 100)}`);

/** 204. */
export const NO_CONTENT = { kind: 'done' } as const;
