import type { Principal } from '../guards/principal.ts';
import { isPermissionName, type Permission } from '../../src/core/access/permissions.ts';
import { segmentsOf, type Contract, type Operation } from '../openapi/contract.ts';
import { SchemaSet } from '../openapi/schema-set.ts';
import type { Ports } from '../ports.ts';
import { DEFAULTED_PARAMETERS, type AnyReply, type Handlers } from '../routes/operation.ts';
import { BodyReader } from './body.ts';
import type { Header } from './message.ts';
import { ParameterReader } from './parameters.ts';
import { Router } from './router.ts';

/** An operation with its validators and handler. */
export interface Route {
  readonly operation: Operation;
  readonly access: Access;
  readonly parameters: ParameterReader;
  readonly body: BodyReader | null;
  readonly handle: ErasedHandler;
}

/** Principals that may call an operation: all clients, all principals, or those with a permission. */
export type Access = 'public' | 'authenticated' | Permission;

/** A handler without the types of its operation. */
type ErasedHandler = (call: ErasedCall, ports: Ports) => AnyReply | Promise<AnyReply>;

export interface ErasedCall {
  readonly path: object;
  readonly query: object;
  readonly headers: object;
  readonly body: unknown;
  readonly principal: Principal;
  readonly client: () => string;
  readonly isSecure: () => boolean;
  readonly allHeaders: () => readonly Header[];
  readonly ended: () => AbortSignal;
}

/**
 * Binds the operations of the contract to their handlers. Throws if one side lacks an operation of the other, or if a
 * parameter has no default that its handler relies on.
 */
export function bindRoutes(contract: Contract, handlers: Handlers): Router<Route> {
  const bound = new Map<string, unknown>(Object.entries(handlers));
  const described = new Set(contract.operations.map((operation) => operation.id));
  for (const id of bound.keys()) {
    if (!described.has(id)) throw new Error(`the handler ${id} has no operation in the contract`);
  }
  const schemas = new SchemaSet(contract);
  const router = new Router<Route>();
  for (const operation of contract.operations) {
    const handler = bound.get(operation.id);
    if (!isHandler(handler)) throw new Error(`the operation ${operation.id} of the contract has no handler`);
    checkDefaults(operation);
    const route = {
      operation,
      access: accessOf(operation),
      parameters: new ParameterReader(operation, schemas),
      body: operation.body === null ? null : new BodyReader(operation.body, schemas),
      handle: handler,
    };
    router.add(operation.method, operation.path, route, segmentsOf(operation));
  }
  return router;
}

/** Denies by default: an operation without a known permission prevents the start. */
function accessOf({ id, permission }: Operation): Access {
  if (permission === 'public' || permission === 'authenticated' || isPermissionName(permission))
    return permission;
  throw new Error(
    `the operation ${id} of the contract has the unknown permission ${JSON.stringify(permission)}`,
  );
}

/**
 * The readers of an operation accept only what its schemas allow, and the handler's types are generated from the same
 * schemas. Therefore a handler can be called with the values of the readers.
 */
const isHandler = (value: unknown): value is ErasedHandler => typeof value === 'function';

function checkDefaults(operation: Operation): void {
  for (const { name, schema } of operation.parameters) {
    const isDefaulted = DEFAULTED_PARAMETERS.some((defaulted) => defaulted === name);
    if (isDefaulted && schema['default'] === undefined) {
      throw new Error(`the parameter ${name} of ${operation.id} has no default in the contract`);
    }
  }
}
