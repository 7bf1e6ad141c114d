/**
 * What all format strings of one action, or all variables of one environment, may take on a worker together. Each has its own limits; a script may have any
 * number of them, and the worker has other tasks meanwhile.
 */
export const SCRIPT_LIMITS = {
  /** Ten times what one expression may take: some tenths of a second. */
  operations: 5_000_000,
  /** Characters (UTF-16 units) of the resolved texts: as many as one string may have. */
  characters: 10_000_000,
} as const;

/** Adds up what the format strings of a script take. */
export class ScriptTally {
  #operations = 0;
  #characters = 0;

  /** Counts resolved texts and the operations that they took. Gives what is beyond its limit, in words, or null. */
  exceededBy(operations: number, texts: readonly string[]): string | null {
    this.#operations += operations;
    for (const text of texts) this.#characters += text.length;
    if (this.#operations > SCRIPT_LIMITS.operations) {
      return `its expressions take more than ${SCRIPT_LIMITS.operations} operations together`;
    }
    if (this.#characters > SCRIPT_LIMITS.characters) {
      return `its texts have more than ${SCRIPT_LIMITS.characters} characters together`;
    }
    return null;
  }
}
