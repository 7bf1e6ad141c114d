/**
 * Blocks and inlines of a readme (docs/contract/products.md). The tree has a fixed depth: an inline holds text and never
 * another inline.
 */

/** Text within a block. A line break in a text is one that readers should see. */
export type Inline =
  | { readonly kind: 'text' | 'code' | 'strong' | 'emphasis'; readonly text: string }
  | { readonly kind: 'link'; readonly text: string; readonly href: string };

/** Levels of headings: a readme is part of a page, whose title is level 1. */
export type HeadingLevel = 2 | 3 | 4 | 5 | 6;

export type Block =
  | { readonly kind: 'paragraph'; readonly content: readonly Inline[] }
  | { readonly kind: 'heading'; readonly level: HeadingLevel; readonly content: readonly Inline[] }
  | {
      readonly kind: 'list';
      /** Number of the first item; null if the items have bullets. */
      readonly start: number | null;
      readonly items: readonly (readonly Inline[])[];
    }
  /** `info` is the text after the opening fence, usually a language. */
  | { readonly kind: 'code'; readonly info: string; readonly text: string };
