import { separatorOf, type ParsedPath } from './parsed-path.ts';

/** Components of a path, as returned by pathlib's properties (specification "Expression Language", section 2.3.1). */

/** Returns the number of parts in the result of `partsOf`. */
export function countParts(path: ParsedPath): number {
  const components = path.tail === null ? 0 : occurrences(path.tail, separatorOf(path.style)) + 1;
  return anchorOf(path) === '' ? components : components + 1;
}

/** Returns the number of occurrences of a character. */
export function occurrences(text: string, character: string): number {
  let count = 0;
  for (let at = text.indexOf(character); at !== -1; at = text.indexOf(character, at + 1)) count += 1;
  return count;
}

/** Returns the anchor, if there is one, and the components. */
export function partsOf(path: ParsedPath): readonly string[] {
  const anchor = anchorOf(path);
  const components = path.tail === null ? [] : path.tail.split(separatorOf(path.style));
  return anchor === '' ? components : [anchor, ...components];
}

/** Returns drive and root. */
export const anchorOf = ({ drive, root }: ParsedPath): string => drive + root;

/** Returns the last component; empty if there is none. */
export const nameOf = ({ style, tail }: ParsedPath): string =>
  tail === null ? '' : tail.slice(tail.lastIndexOf(separatorOf(style)) + 1);

/** Returns the path without its last component. A path without components is its own parent. */
export const parentOf = (path: ParsedPath): ParsedPath => ({ ...path, tail: tailAbove(path) });

/** Returns the path with another last component. The path must have one. */
export function renamed(path: ParsedPath, name: string): ParsedPath {
  const above = tailAbove(path);
  return { ...path, tail: above === null ? name : above + separatorOf(path.style) + name };
}

function tailAbove({ style, tail }: ParsedPath): string | null {
  const last = tail?.lastIndexOf(separatorOf(style)) ?? -1;
  return tail === null || last === -1 ? null : tail.slice(0, last);
}

/** Splits a name into stem and suffix: the suffix begins at the last dot that is neither first nor last in the name. */
export function splitName(name: string): { readonly stem: string; readonly suffix: string } {
  const dot = name.lastIndexOf('.');
  if (dot <= 0 || dot === name.length - 1) return { stem: name, suffix: '' };
  return { stem: name.slice(0, dot), suffix: name.slice(dot) };
}

/** Returns all suffixes of a name. Leading dots begin none, and a name that ends with a dot has none. */
export function suffixesOf(name: string): readonly string[] {
  if (name.endsWith('.')) return [];
  const [, ...suffixes] = name.replace(/^\.+/, '').split('.');
  return suffixes.map((suffix) => `.${suffix}`);
}
