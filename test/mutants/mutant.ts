/** A bug that is planted in a source file, and the tests that must find it (docs/testing.md#mutants). */
export interface Mutant {
  readonly name: string;
  /** Source file, relative to the root of the repository. */
  readonly file: string;
  /** Text that occurs exactly once in the file. */
  readonly from: string;
  readonly to: string;
  /** Test files, the most likely one first. */
  readonly tests: readonly string[];
}

/** Name, text to replace, and replacement. */
export type Change = readonly [name: string, from: string, to: string];

/** Returns the mutants of one file that the same tests must find. */
export const mutantsOf = (
  file: string,
  tests: readonly string[],
  ...changes: readonly Change[]
): readonly Mutant[] => changes.map(([name, from, to]) => ({ name, file, from, to, tests }));
