import { separatorOf, type ParsedPath } from './parsed-path.ts';

/** The components of a path, as pathlib's properties give them (specification "Expression Language", section 2.3.1). */

/** How many parts there are: what `partsOf` makes. */
export function countParts(path: ParsedPath): number {
  const components = path.tail === null ? 0 : occurrences(path.tail, separatorOf(path.style)) + 1;
  return anchorOf(path) === '' ? components : components + 1;
}

/** How often a character occurs. */
export function occurrences(text: string, character: string): number {
  let count = 0;
  for (let at = text.indexOf(character); at !== -1; at = text.indexOf(character, at + 1)) count += 1;
  return count;
}

/** The anchor, where there is one, and the components. */
export function partsOf(path: ParsedPath): readonly string[] {
  const anchor = anchorOf(path);
  const components = path.tail === null ? [] : path.tail.split(separatorOf(path.style));
  return anchor === '' ? components : [anchor, ...components];
}

/** Drive and root. */
export const anchorOf = ({ drive, root }: ParsedPath): string => drive + root;

/** The last component; empty when there is none. */
export const nameOf = ({ style, tail }: ParsedPath): string =>
  tail === null ? '' : tail.slice(tail.lastIndexOf(separatorOf(style)) + 1);

/** The path without its last component; of an anchor alone and of nothing, the same. */
export const parentOf = (path: ParsedPath): ParsedPath => ({ ...path, tail: tailAbove(path) });

/** The path with another last component. To be asked for a path that has one. */
export function renamed(path: ParsedPath, name: string): ParsedPath {
  const above = tailAbove(path);
  return { ...path, tail: above === null ? name : above + separatorOf(path.style) + name };
}

function tailAbove({ style, tail }: ParsedPath): string | null {
  const last = tail?.lastIndexOf(separatorOf(style)) ?? -1;
  return tail === null || last === -1 ? null : tail.slice(0, last);
}

/** Stem and suffix of a name: the suffix begins at the last dot that neither begins nor ends the name. */
export function splitName(name: string): { readonly stem: string; readonly suffix: string } {
  const dot = name.lastIndexOf('.');
  if (dot <= 0 || dot === name.length - 1) return { stem: name, suffix: '' };
  return { stem: name.slice(0, dot), suffix: name.slice(dot) };
}

/** All suffixes of a name. Dots at its start begin none, and a name that ends with a dot has none. */
export function suffixesOf(name: string): readonly string[] {
  if (name.endsWith('.')) return [];
  const [, ...suffixes] = name.replace(/^\.+/, '').split('.');
  return suffixes.map((suffix) => `.${suffix}`);
}
