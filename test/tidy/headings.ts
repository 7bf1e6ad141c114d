import { contentOf } from './project-files.ts';

/** Returns the anchor of a heading, like code hosts. */
const anchorOf = (heading: string): string =>
  heading
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N} _-]/gu, '')
    .replaceAll(' ', '-');

/** Returns the anchors of all headings of a page. */
export const anchorsOf = (file: string): ReadonlySet<string> =>
  new Set([...contentOf(file).matchAll(/^#+ (.*)$/gm)].map((match) => anchorOf(match[1] ?? '')));
