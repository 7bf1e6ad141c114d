import { ExprFailure } from '../expr-failure.ts';
import { pathText, type ParsedPath } from './parsed-path.ts';
import { nameOf, renamed, splitName } from './path-components.ts';

/**
 * Renaming of paths (specification "Expression Language", section 2.3.2), with pathlib's rules. `by` is the function
 * that a failure names.
 */

/** Replaces the name. Fails for a name that is empty, a dot, or contains a separator, and for a path without a name. */
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

/** Replaces the stem and keeps the suffix. Fails as `withName` does, and for an empty stem before a suffix. */
export function withStem(path: ParsedPath, stem: string): ParsedPath {
  const { suffix } = splitName(nameOf(path));
  if (stem === '' && suffix !== '') {
    throw new ExprFailure(`with_stem: '${pathText(path)}' has a non-empty suffix`);
  }
  return withName(path, stem + suffix, 'with_stem');
}

/**
 * Replaces, adds, or (if it is empty) removes the last suffix. Fails for a suffix that does not begin with a dot or is
 * only a dot, and as `withName` does.
 */
export function withSuffix(path: ParsedPath, suffix: string): ParsedPath {
  const { stem } = splitName(nameOf(path));
  if (stem === '') throw nameless(path, 'with_suffix');
  if (suffix !== '' && (!suffix.startsWith('.') || suffix === '.')) {
    throw new ExprFailure(`with_suffix: Invalid suffix '${suffix}'`);
  }
  return withName(path, stem + suffix, 'with_suffix');
}

/** Returns the failure of a path without a name. */
export const nameless = (path: ParsedPath, by: string): ExprFailure =>
  new ExprFailure(`${by}: '${pathText(path)}' has an empty name`);
