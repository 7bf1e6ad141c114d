import { jsonOf } from './parameter-rules.ts';
import { rowOf } from './parameter-types.ts';
import type { ParameterValue } from './plan.ts';
import { readJson } from './read-json.ts';

/** A path in the value of a job parameter. */
export interface NamedPath {
  /** `Scene`; for an element of a list with its index: `Scenes[0]`. */
  readonly name: string;
  readonly path: string;
}

/** Returns the paths of a job parameter; none for a type without paths. */
export function pathsOf(name: string, { type, value }: ParameterValue): readonly NamedPath[] {
  if (!rowOf(type).isPath) return [];
  if (type === 'PATH') return [{ name, path: value }];
  return elementsOf(value).map((path, index) => ({ name: `${name}[${index}]`, path }));
}

/**
 * Replaces the paths in the text of a job parameter, each element of a list separately. Returns the text itself for a
 * type without paths.
 */
export function replacePaths(
  name: string,
  parameter: ParameterValue,
  replace: (path: NamedPath) => string,
): string {
  const { type, value } = parameter;
  if (!rowOf(type).isPath) return value;
  const paths = pathsOf(name, parameter).map(replace);
  return type === 'PATH' ? paths.join('') : `[${paths.map((path) => jsonOf('PATH', path)).join(', ')}]`;
}

/** Returns the elements of a canonical list of texts. */
function elementsOf(value: string): readonly string[] {
  const read = readJson(value);
  const node = read.ok ? read.document : undefined;
  if (node?.kind !== 'sequence') throw new Error(`the canonical text of a list of paths is ${value}`);
  return node.items.map((item) => (item.kind === 'string' ? item.value : ''));
}
