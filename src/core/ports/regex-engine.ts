/** Regular expressions that take time linear in the text (specification "Expression Language", section 2.2.5). */
export interface RegexEngine {
  /** Compiles a pattern; an error says in words what is wrong with it. Never throws. */
  compile(pattern: string): CompiledRegex;
}

export type CompiledRegex =
  { readonly ok: true; readonly value: Regex } | { readonly ok: false; readonly detail: string };

export interface Regex {
  /** Number of capturing groups. */
  readonly groups: number;
  /** Size of the compiled program, in instructions: the cost of a unit of text grows with it. */
  readonly size: number;
  /** The first match at or after `from` (UTF-16 offset), or null. `anchored` demands that it begins at `from`. */
  match(text: string, from: number, anchored: boolean): RegexMatch | null;
}

export interface RegexMatch {
  readonly start: number;
  readonly end: number;
  /** By group, from 1; null for a group that took no part. */
  readonly groups: readonly (string | null)[];
}
