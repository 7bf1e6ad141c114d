import { ExprFailure } from '../expr-failure.ts';
import type { Call } from '../functions/call.ts';
import type { SourceSpan } from '../syntax/tree.ts';
import type { Value } from '../values/value.ts';

/** State of one evaluation, shared by the nodes of a compiled expression. */
export interface Frame {
  readonly call: Call;
  /** Values by dotted name. */
  readonly symbols: ReadonlyMap<string, Value>;
  /** Values of the comprehension variables, by their depth. */
  readonly locals: Value[];
  /** Availability of the functions of host contexts. */
  readonly host: HostFunctions;
}

/** `none`: not available; `unresolved`: available with unknown results; `known`: executed. */
export type HostFunctions = 'none' | 'unresolved' | 'known';

/**
 * A compiled expression. On entry `call.memory` is the memory of live values; on return it also includes the result.
 * Fails with an ExprFailure that has a position.
 */
export type Node = (frame: Frame) => Value;

/** Adds a position to a thrown failure of the expression. Other errors are returned unchanged. */
export const withSpan = (error: unknown, place: SourceSpan): unknown =>
  error instanceof ExprFailure ? error.at(place) : error;
