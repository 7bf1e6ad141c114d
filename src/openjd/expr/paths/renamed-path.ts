import { ExprFailure } from '../expr-failure.ts';
import { pathText, type ParsedPath } from './parsed-path.ts';
import { nameOf, renamed, splitName } from './path-components.ts';

/** Paths with another name (specification "Expression Language", section 2.3.2), with pathlib's rules. `by` is the function that a failure names. */

/** Fails for a name that is empty, a dot or holds a separator, and for a path without a name. */
export function withName(path: ParsedPath, name: string, by = 'with_name'): ParsedPath {
  if (
    name === '' ||
    name === '.' ||
    name.includes('/') ||
    (path.style === 'windows' && name.includes('\\'))
  ) {
    throw new ExprFailure(`${by}: Invalid name '${name}'`);
  }
  if (nameOf(path) === '') throw nameless(path, by);
  return renamed(path, name);
}

/** The stem changed and the suffix kept. Fails as `withName` does, and for an empty stem before a suffix. */
export function withStem(path: ParsedPath, stem: string): ParsedPath {
  const { suffix } = splitName(nameOf(path));
  if (stem === '' && suffix !== '') {
    throw new ExprFailure(`with_stem: '${pathText(path)}' has a non-empty suffix`);
  }
  return withName(path, stem + suffix, 'with_stem');
}

/** The last suffix changed, or added, or with an empty one taken away. Fails for a suffix without its dot or without more, and as `withName` does. */
export function withSuffix(path: ParsedPath, suffix: string): ParsedPath {
  const { stem } = splitName(nameOf(path));
  if (stem === '') throw nameless(path, 'with_suffix');
  if (suffix !== '' && (!suffix.startsWith('.') || suffix === '.')) {
    throw new ExprFailure(`with_suffix: Invalid suffix '${suffix}'`);
  }
  return withName(path, stem + suffix, 'with_suffix');
}

/** What a path without a name fails with. */
export const nameless = (path: ParsedPath, by: string): ExprFailure =>
  new ExprFailure(`${by}: '${pathText(path)}' has an empty name`);
