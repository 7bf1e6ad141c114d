import { realpathSync } from 'node:fs';
import { dirname, isAbsolute, join, relative, resolve, sep } from 'node:path';
import type { DocumentNode } from '../../src/openjd/primitives/document.ts';
import type { PointedError } from '../../src/openjd/primitives/pointed-error.ts';
import { errorAt, parameterText } from '../submission/param-file.ts';
import { itemsOf, member, textMember } from './bundle-files.ts';

/** A job parameter that holds a path, or a list of paths. */
export interface PathParameter {
  readonly name: string;
  readonly isList: boolean;
  /** Values must be among those of the template, so they stay as they are. */
  readonly isFixed: boolean;
  readonly objectType: 'FILE' | 'DIRECTORY';
  readonly dataFlow: string;
  readonly default: DocumentNode | undefined;
  /** Pointer to the default in the template. */
  readonly pointer: string;
}

/** Returns the parameters of a template that hold paths. */
export const pathParametersOf = (template: DocumentNode): readonly PathParameter[] =>
  itemsOf(member(template, 'parameterDefinitions')).flatMap((definition, at): readonly PathParameter[] => {
    const name = textMember(definition, 'name');
    const type = textMember(definition, 'type')?.toUpperCase().replaceAll(' ', '');
    if (name === undefined || (type !== 'PATH' && type !== 'LIST[PATH]')) return [];
    return [
      {
        name,
        isList: type !== 'PATH',
        isFixed: member(definition, 'allowedValues') !== undefined,
        objectType: textMember(definition, 'objectType') === 'FILE' ? 'FILE' : 'DIRECTORY',
        dataFlow: textMember(definition, 'dataFlow') ?? 'NONE',
        default: member(definition, 'default'),
        pointer: `/parameterDefinitions/${at}/default`,
      },
    ];
  });

/** Returns a path as an absolute one. Absolute paths of any system, URIs and the empty value stay as they are. */
export const absolutePath = (folder: string, path: string): string =>
  isPlaced(path) ? path : resolve(folder, path);

const isPlaced = (path: string): boolean =>
  path === '' || isAbsolute(path) || /^([A-Za-z]:|\\\\|[a-z][a-z0-9+.-]*:\/\/)/.test(path);

/** Returns the value of a parameter with its paths absolute. */
export function absoluteValue(folder: string, { isList, isFixed }: PathParameter, value: string): string {
  if (isFixed) return value;
  if (!isList) return absolutePath(folder, value);
  const paths = pathsIn(value);
  return paths === null ? value : JSON.stringify(paths.map((path) => absolutePath(folder, path)));
}

/** Returns the paths of the value of a list; null if it is not a list of texts, which the server rejects. */
export function pathsIn(value: string): readonly string[] | null {
  try {
    const list: unknown = JSON.parse(value);
    return Array.isArray(list) && list.every((item) => typeof item === 'string') ? list : null;
  } catch {
    return null;
  }
}

/** Values that the relative defaults of a template have in a folder, errors, and sentences about absolute defaults. */
export interface PathDefaults {
  readonly values: ReadonlyMap<string, string>;
  readonly errors: readonly PointedError[];
  readonly notes: readonly string[];
}

/**
 * Resolves defaults of paths to the folder of the bundle, as Deadline Cloud does. A relative default must stay inside of
 * the folder, also behind links.
 */
export function pathDefaults(folder: string, parameters: readonly PathParameter[]): PathDefaults {
  const values = new Map<string, string>();
  const errors: PointedError[] = [];
  const notes: string[] = [];
  for (const parameter of parameters) {
    const { name, isFixed, isList, pointer } = parameter;
    const node = parameter.default;
    const text = node === undefined ? null : parameterText(node);
    if (node === undefined || text === null || text === '' || isFixed) continue;
    const paths = isList ? (pathsIn(text) ?? []) : [text];
    for (const path of paths) {
      if (isPlaced(path)) {
        if (path !== '') notes.push(`the default of ${name} is not in the bundle: ${path}`);
      } else if (!isInside(folder, path))
        errors.push(errorAt(pointer, node, `${path} leads out of the bundle ${folder}`));
    }
    if (!paths.every(isPlaced)) values.set(name, absoluteValue(folder, parameter, text));
  }
  return { values, errors, notes };
}

/** Reports whether a relative path stays in the folder. */
function isInside(folder: string, path: string): boolean {
  const way = relative(realpathSync(folder), realPath(resolve(folder, path)));
  return way !== '..' && !way.startsWith(`..${sep}`) && !isAbsolute(way);
}

/** Returns a path without links; the part that does not exist stays as it is. */
function realPath(path: string): string {
  const above = dirname(path);
  if (above === path) return path;
  try {
    return realpathSync(path);
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'ENOENT')) throw error;
    return join(realPath(above), relative(above, path));
  }
}
