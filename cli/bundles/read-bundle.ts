import { existsSync } from 'node:fs';
import { nodeKindName, type DocumentNode } from '../../src/openjd/primitives/document.ts';
import type { PointedError } from '../../src/openjd/primitives/pointed-error.ts';
import { readDocument } from '../../src/adapters/yaml/read-document.ts';
import { errorAt, PARAMETER_RULE, parameterText } from '../submission/param-file.ts';
import { findingsText } from '../openjd/findings-text.ts';
import { CommandError, EXIT, PaintedError } from '../terminal/exit-codes.ts';
import type { Terminal } from '../terminal/terminal.ts';
import { readTextFile } from '../terminal/text-file.ts';
import { bundleFile, itemsOf, member, readBundleFile, textMember } from './bundle-files.ts';
import {
  absolutePath,
  absoluteValue,
  pathDefaults,
  pathParametersOf,
  type PathParameter,
} from './path-parameters.ts';
import {
  isReserved,
  readReservedValues,
  type BundleValue,
  type ReservedSettings,
} from './reserved-values.ts';

/** A job bundle: a folder with a template, values of its parameters, and the files that the job reads and writes. */
export interface JobBundle extends ReservedSettings {
  /** Path of the template. */
  readonly template: string;
  /** Values of `parameter_values`, and of relative defaults of paths. All paths are absolute. */
  readonly parameters: ReadonlyMap<string, string>;
  readonly paths: readonly PathParameter[];
  /** Sentences about ignored entries and hooks, and absolute defaults. */
  readonly notes: readonly string[];
}

/**
 * Reads a job bundle. Relative paths in it are relative to the folder.
 *
 * @throws CommandError if a file is missing, ambiguous or invalid, a default leads out of the folder, or an input file
 * does not exist and `allowsMissing` is false.
 */
export async function readJobBundle(
  folder: string,
  allowsMissing: boolean,
  { errorColors }: Pick<Terminal, 'errorColors'>,
): Promise<JobBundle> {
  const template = bundleFile(folder, 'template');
  if (template === null)
    throw new CommandError(
      EXIT.usage,
      `${folder}: is not a job bundle: it has no template.yaml or template.json`,
    );
  const values = bundleFile(folder, 'parameter_values');
  const assets = bundleFile(folder, 'asset_references');
  if (assets !== null)
    await readBundleFile(assets, errorColors, (document) => assetErrors(document, folder, allowsMissing));
  const entries: BundleValue[] = [];
  if (values !== null)
    await readBundleFile(values, errorColors, (document) => collectValues(document, entries));
  const { paths, defaults, notes } = await readTemplatePaths(template, folder, errorColors);
  const byName = new Map(paths.map((parameter) => [parameter.name, parameter]));
  const given = entries
    .filter(({ name }) => !isReserved(name))
    .map(({ name, value }) => {
      const parameter = byName.get(name);
      return [name, parameter === undefined ? value : absoluteValue(folder, parameter, value)] as const;
    });
  const hooks = bundleFile(folder, 'hooks');
  const reserved = readReservedValues(entries.filter(({ name }) => isReserved(name)));
  return {
    ...reserved,
    template,
    paths,
    parameters: new Map([...defaults, ...given]),
    notes: [
      ...notes,
      ...reserved.notes,
      ...(hooks === null ? [] : [`the hooks of the bundle do not run: ${hooks}`]),
    ],
  };
}

/** Returns values that were given on the command line: their paths are relative to the working directory. */
export function givenValues(
  { paths }: Pick<JobBundle, 'paths'>,
  values: ReadonlyMap<string, string>,
  directory: string,
): ReadonlyMap<string, string> {
  const byName = new Map(paths.map((parameter) => [parameter.name, parameter]));
  return new Map(
    [...values].map(([name, value]) => {
      const parameter = byName.get(name);
      return [name, parameter === undefined ? value : absoluteValue(directory, parameter, value)];
    }),
  );
}

/** Collects `parameterValues: [{name, value}]`, and returns its errors. */
function collectValues(document: DocumentNode, entries: BundleValue[]): readonly PointedError[] {
  const list = member(document, 'parameterValues');
  if (list?.kind !== 'sequence') return [errorAt('', document, 'must contain the list parameterValues')];
  return list.items.flatMap((item, at): readonly PointedError[] => {
    const pointer = `/parameterValues/${at}`;
    const name = textMember(item, 'name');
    const value = member(item, 'value');
    if (name === undefined) return [errorAt(pointer, item, 'must have a name')];
    if (value === undefined) return [errorAt(pointer, item, 'must have a value')];
    const text = parameterText(value);
    if (text === null)
      return [errorAt(`${pointer}/value`, value, `${PARAMETER_RULE}, and is ${nodeKindName(value)}`)];
    entries.push({ name, value: text });
    return [];
  });
}

/** Checks `assetReferences`: the input files and folders must exist. */
function assetErrors(
  document: DocumentNode,
  folder: string,
  allowsMissing: boolean,
): readonly PointedError[] {
  const references = member(document, 'assetReferences');
  if (references?.kind !== 'mapping')
    return [errorAt('', document, 'must contain the mapping assetReferences')];
  if (allowsMissing) return [];
  const inputs = member(references, 'inputs');
  return (['filenames', 'directories'] as const).flatMap((kind) =>
    itemsOf(member(inputs, kind)).flatMap((item, at): readonly PointedError[] => {
      const pointer = `/assetReferences/inputs/${kind}/${at}`;
      if (item.kind !== 'string') return [errorAt(pointer, item, 'must be a path')];
      const path = absolutePath(folder, item.value);
      if (existsSync(path)) return [];
      const what = kind === 'filenames' ? 'file' : 'folder';
      return [
        errorAt(pointer, item, `the ${what} ${path} does not exist (--allow-missing-assets submits anyway)`),
      ];
    }),
  );
}

/** Reads the path parameters of the template and their defaults. Errors of the template are those of the server. */
async function readTemplatePaths(
  template: string,
  folder: string,
  colors: boolean,
): Promise<{
  readonly paths: readonly PathParameter[];
  readonly defaults: ReadonlyMap<string, string>;
  readonly notes: readonly string[];
}> {
  const file = await readTextFile(template, 'template');
  const read = readDocument(file.text, template.endsWith('.json') ? 'json' : 'yaml');
  const paths = read.ok ? pathParametersOf(read.document) : [];
  const { values, errors, notes } = pathDefaults(folder, paths);
  if (errors.length > 0) throw new PaintedError(EXIT.usage, findingsText(file, errors, colors));
  return { paths, defaults: values, notes };
}
