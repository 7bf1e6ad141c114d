import type { Regex, RegexEngine } from '../regex/regex-engine.ts';
import { ExprFailure } from '../expr-failure.ts';
import { utf8Length } from '../text/utf8-length.ts';
import type { ExprLimits } from '../expr-limits.ts';
import { MAX_STRING_BYTES } from '../expr-limits.ts';
import { sizeOf, stringBytes, type PathStyle, type Value } from '../values/value.ts';

/** Bytes of text per operation (section 1.3.10, rule 3). */
const BYTES_PER_OPERATION = 256;

/**
 * Steps count work that the specification does not: about 10 ns each, such as an instruction of a regular expression at
 * a character. One operation is charged per this many steps.
 */
const STEPS_PER_OPERATION = 8;
/** Steps without charge, so that small expressions cost what the specification says. */
const FREE_STEPS = 16_384;

/** Nodes without charge that are not operations, such as literals. Each operation adds as many. */
const FREE_NODES = 16_384;
const NODES_PER_OPERATION = 4;

/** Steps of a failure that another branch replaces: its message is built anyway. */
const STEPS_OF_FAILURE = 2048;
/**
 * Maximum number of searches for a nearest name per evaluation: branches can fail repeatedly, while only one failure is
 * reported.
 */
const MAX_SUGGESTIONS = 3;

/** Context of a library function's call: the budget of the evaluation and its path settings. */
export class Call {
  readonly #limits: ExprLimits;
  /** Format of a path without `scheme://`: never 'uri'. */
  readonly pathStyle: Exclude<PathStyle, 'uri'>;
  readonly regex: RegexEngine;
  /** Compiled patterns of this evaluation. */
  readonly regexes = new Map<string, Regex>();
  #steps = 0;
  #nodes = 0;
  #suggestions = 0;
  /** Maps a path to this host; null outside of host contexts. */
  readonly mapPath: ((path: string) => string) | null;
  operations = 0;
  /** Bytes of all live values. */
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

  /** Charges operations; fails if there are more than the limit. */
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
   * Charges nodes that the specification does not count, such as literals and list displays. There can be thousands of
   * them per operation, but the operations must bound the time.
   */
  chargeNodes(nodes: number): void {
    this.#nodes += nodes;
    const beyond = this.#nodes - FREE_NODES - NODES_PER_OPERATION * this.operations;
    if (beyond > 0) this.charge(Math.ceil(beyond / NODES_PER_OPERATION));
  }

  /** Charges a failure that does not end the evaluation. */
  chargeFailure(): void {
    this.chargeSteps(STEPS_OF_FAILURE);
  }

  /** Reports whether the nearest name of another undefined name may be searched. */
  maySuggest(): boolean {
    this.#suggestions += 1;
    return this.#suggestions <= MAX_SUGGESTIONS;
  }

  /** Charges elements of an iteration one by one: a failure names the element at which the limit was reached. */
  chargeEach(elements: number): void {
    const left = this.#limits.operations - this.operations;
    this.charge(elements > left ? left + 1 : elements);
  }

  /** Charges the processing of a text of this many UTF-16 units. */
  chargeText(units: number): void {
    this.charge(Math.ceil(units / BYTES_PER_OPERATION));
  }

  /**
   * Charges work that takes much longer than one operation, so that the operations bound the time. The same work always
   * costs the same.
   */
  chargeSteps(steps: number): void {
    const before = Math.max(this.#steps, FREE_STEPS);
    this.#steps += steps;
    const after = Math.max(this.#steps, FREE_STEPS);
    const operations = Math.floor(after / STEPS_PER_OPERATION) - Math.floor(before / STEPS_PER_OPERATION);
    if (operations > 0) this.charge(operations);
  }

  /**
   * Fails if a value of this many bytes would exceed the limit together with the live values. Must be called before the
   * value is built.
   */
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

  /** Adds a value of this many bytes to the live values. */
  take(bytes: number): void {
    this.reserve(bytes);
    this.memory += bytes;
  }

  /**
   * Sets the memory after a node of the tree: the live values before it, and its value. Fails for a string above the
   * limit of all strings.
   */
  hold(before: number, value: Value): void {
    if (typeof value === 'string' && value.length > MAX_STRING_BYTES / MAX_UNIT_BYTES) checkBytes(value);
    this.memory = before;
    this.take(sizeOf(value));
  }

  /** Like `reserve`, for a string of this many UTF-16 units. Also checks the limit of all strings. */
  reserveString(units: number): void {
    if (units > MAX_STRING_BYTES) throw tooLong(units);
    this.reserve(stringBytes(units));
  }
}

/** Maximum number of UTF-8 bytes per UTF-16 unit. */
const MAX_UNIT_BYTES = 3;

function checkBytes(text: string): void {
  const bytes = utf8Length(text);
  if (bytes > MAX_STRING_BYTES) throw tooLong(bytes);
}

const tooLong = (bytes: number): ExprFailure =>
  new ExprFailure(`A string of ${bytes} bytes exceeds the limit of ${MAX_STRING_BYTES} bytes`, null, true);
