/** Regular expressions that take time linear in the text (specification "Expression Language", section 2.2.5). */
export interface RegexEngine {
  /**
   * Compiles a pattern in the syntax of RE2, where `\b` and `\B` look at Unicode's word characters. An error says in words what is wrong with it. Never
   * throws.
   */
  compile(pattern: string): CompiledRegex;
}

export type CompiledRegex =
  { readonly ok: true; readonly value: Regex } | { readonly ok: false; readonly detail: string };

export interface Regex {
  /** Number of capturing groups. */
  readonly groups: number;
  /**
   * The first match at or after `from` (UTF-16 offset), or null. `anchored` demands that it begins at the start of the text. `work` is told now and
   * then of the work that was done since, in instructions at code points: it is the same for the same pattern and text everywhere. What `work` throws
   * ends the search.
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
  /** By group, from 1; null for a group that took no part. */
  readonly groups: readonly (string | null)[];
}
