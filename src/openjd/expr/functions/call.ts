import type { Regex, RegexEngine } from '../regex/regex-engine.ts';
import { ExprFailure } from '../expr-failure.ts';
import { utf8Length } from '../text/utf8-length.ts';
import type { ExprLimits } from '../expr-limits.ts';
import { MAX_STRING_BYTES } from '../expr-limits.ts';
import { sizeOf, stringBytes, type PathStyle, type Value } from '../values/value.ts';

/** Bytes of text that one operation processes (section 1.3.10, rule 3). */
const BYTES_PER_OPERATION = 256;

/**
 * Steps of work beyond what the specification counts: 10 ns or so each, as an instruction of a regular expression at a character takes. One operation
 * stands for so many.
 */
const STEPS_PER_OPERATION = 8;
/** Steps that an evaluation has free, so that what is small counts as the specification says. */
const FREE_STEPS = 16_384;

/** Nodes of the tree that are no operations, such as literals: so many are free at first, and with each operation so many more. */
const FREE_NODES = 16_384;
const NODES_PER_OPERATION = 4;

/** Steps of a failure that another branch makes up for: its message is put together all the same. */
const STEPS_OF_FAILURE = 2048;
/** Names that an evaluation seeks the nearest one for: a failure is told once, but branches can fail again and again. */
const MAX_SUGGESTIONS = 3;

/** What a function of the library has beside its arguments: the budget of the evaluation and what its context says of paths. */
export class Call {
  readonly #limits: ExprLimits;
  /** How a path without `scheme://` is written: never 'uri'. */
  readonly pathStyle: Exclude<PathStyle, 'uri'>;
  readonly regex: RegexEngine;
  /** The patterns that this evaluation has used. */
  readonly regexes = new Map<string, Regex>();
  #steps = 0;
  #nodes = 0;
  #suggestions = 0;
  /** Maps a path to this host; null outside of host contexts. */
  readonly mapPath: ((path: string) => string) | null;
  operations = 0;
  /** Bytes of the values that are alive. */
  memory = 0;
  peakMemory = 0;

  constructor(options: {
    readonly limits: ExprLimits;
    readonly pathStyle: Exclude<PathStyle, 'uri'>;
    readonly regex: RegexEngine;
    readonly mapPath: ((path: string) => string) | null;
  }) {
    this.#limits = options.limits;
    this.pathStyle = options.pathStyle;
    this.regex = options.regex;
    this.mapPath = options.mapPath;
  }

  /** Counts operations; fails when there are more than the limit. */
  charge(operations: number): void {
    this.operations += operations;
    if (this.operations > this.#limits.operations) {
      throw new ExprFailure(
        `Expression operation count (${this.operations}) exceeded limit (${this.#limits.operations})`,
        null,
        true,
      );
    }
  }

  /**
   * Counts nodes that the specification does not count, literals and list displays say: there can be thousands of them to each operation that it
   * counts, and the operations are to bound the time.
   */
  chargeNodes(nodes: number): void {
    this.#nodes += nodes;
    const beyond = this.#nodes - FREE_NODES - NODES_PER_OPERATION * this.operations;
    if (beyond > 0) this.charge(Math.ceil(beyond / NODES_PER_OPERATION));
  }

  /** Counts a failure that does not end the evaluation. */
  chargeFailure(): void {
    this.chargeSteps(STEPS_OF_FAILURE);
  }

  /** Whether one more name may be sought among those that are near. */
  maySuggest(): boolean {
    this.#suggestions += 1;
    return this.#suggestions <= MAX_SUGGESTIONS;
  }

  /** Counts elements that are gone through one by one: a failure tells the count at the element where the limit was reached. */
  chargeEach(elements: number): void {
    const left = this.#limits.operations - this.operations;
    this.charge(elements > left ? left + 1 : elements);
  }

  /** Counts the work on a text of so many UTF-16 units. */
  chargeText(units: number): void {
    this.charge(Math.ceil(units / BYTES_PER_OPERATION));
  }

  /**
   * Counts work that takes much longer than an operation for 256 bytes of text or an element stands for, so that the operations bound the time. The same
   * work counts the same everywhere.
   */
  chargeSteps(steps: number): void {
    const before = Math.max(this.#steps, FREE_STEPS);
    this.#steps += steps;
    const after = Math.max(this.#steps, FREE_STEPS);
    const operations = Math.floor(after / STEPS_PER_OPERATION) - Math.floor(before / STEPS_PER_OPERATION);
    if (operations > 0) this.charge(operations);
  }

  /** Fails when a value of so many bytes beside those that are alive would exceed the limit. To be asked before the value is built. */
  reserve(bytes: number): void {
    const memory = this.memory + bytes;
    if (memory > this.peakMemory) this.peakMemory = memory;
    if (memory > this.#limits.memory) {
      throw new ExprFailure(
        `Expression memory usage (${memory} bytes) exceeded limit (${this.#limits.memory} bytes)`,
        null,
        true,
      );
    }
  }

  /** Counts a value of so many bytes as alive. */
  take(bytes: number): void {
    this.reserve(bytes);
    this.memory += bytes;
  }

  /** The memory after a node of the tree: what was alive before it, and its value. Fails for a string beyond the ceiling of all strings. */
  hold(before: number, value: Value): void {
    if (typeof value === 'string' && value.length > MAX_STRING_BYTES / MAX_UNIT_BYTES) checkBytes(value);
    this.memory = before;
    this.take(sizeOf(value));
  }

  /** `reserve` for a string of so many UTF-16 units, and the ceiling of all strings. */
  reserveString(units: number): void {
    if (units > MAX_STRING_BYTES) throw tooLong(units);
    this.reserve(stringBytes(units));
  }
}

/** UTF-8 bytes of a UTF-16 unit, at most. */
const MAX_UNIT_BYTES = 3;

function checkBytes(text: string): void {
  const bytes = utf8Length(text);
  if (bytes > MAX_STRING_BYTES) throw tooLong(bytes);
}

const tooLong = (bytes: number): ExprFailure =>
  new ExprFailure(`A string of ${bytes} bytes exceeds the limit of ${MAX_STRING_BYTES} bytes`, null, true);
