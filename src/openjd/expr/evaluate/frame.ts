import { ExprFailure } from '../expr-failure.ts';
import type { Call } from '../functions/call.ts';
import type { SourceSpan } from '../syntax/tree.ts';
import type { Value } from '../values/value.ts';

/** What the nodes of a compiled expression work on during one evaluation. */
export interface Frame {
  readonly call: Call;
  /** Values by dotted name. */
  readonly symbols: ReadonlyMap<string, Value>;
  /** Values of the comprehension variables, by their depth. */
  readonly locals: Value[];
  /** Whether functions of host contexts exist, and whether the host is known. */
  readonly host: HostFunctions;
}

/** `none`: there are none; `unresolved`: they exist and what they give is not known yet; `known`: they are carried out. */
export type HostFunctions = 'none' | 'unresolved' | 'known';

/**
 * A compiled expression. On entry `call.memory` is what is alive; on return it is that and the size of the value. Fails with ExprFailure, which has
 * its place.
 */
export type Node = (frame: Frame) => Value;

/** What was thrown, with a place when it is a failure of the expression. */
export const withSpan = (error: unknown, place: SourceSpan): unknown =>
  error instanceof ExprFailure ? error.at(place) : error;
