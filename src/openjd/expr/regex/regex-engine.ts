/** Regular expressions that take time linear in the text (specification "Expression Language", section 2.2.5). */
export interface RegexEngine {
  /**
   * Compiles a pattern in the syntax of RE2, where `\b` and `\B` use Unicode's word characters. An error contains a
   * readable message. Never throws.
   */
  compile(pattern: string): CompiledRegex;
}

export type CompiledRegex =
  | { readonly ok: true; readonly value: Regex }
  | { readonly ok: false; readonly detail: string };

export interface Regex {
  /** Number of capturing groups. */
  readonly groups: number;
  /**
   * Returns the first match at or after `from` (UTF-16 offset), or null. `anchored` requires it to begin at the start
   * of the text. `work` is called repeatedly with the work since the last call, in instructions at code points, which
   * is deterministic for a pattern and text. An error thrown by `work` ends the search.
   */
  match(
    text: string,
    from: number,
    anchored: boolean,
    work: (instructions: number) => void,
  ): RegexMatch | null;
}

export interface RegexMatch {
  readonly start: number;
  readonly end: number;
  /** By group, from 1; null for a group that did not participate. */
  readonly groups: readonly (string | null)[];
}
