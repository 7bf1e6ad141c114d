import { contentOf } from './project-files.ts';

/** The anchor of a heading, as code hosts make it. */
const anchorOf = (heading: string): string =>
  heading
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N} _-]/gu, '')
    .replaceAll(' ', '-');

/** Anchors of all headings of a page. */
export const anchorsOf = (file: string): ReadonlySet<string> =>
  new Set([...contentOf(file).matchAll(/^#+ (.*)$/gm)].map((match) => anchorOf(match[1] ?? '')));
