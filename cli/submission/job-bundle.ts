import { existsSync } from 'node:fs';
import { isAbsolute, join, resolve } from 'node:path';
import { readDocument } from '../../src/adapters/yaml/read-document.ts';
import { nodeKindName, type DocumentNode } from '../../src/openjd/primitives/document.ts';
import type { PointedError } from '../../src/openjd/primitives/pointed-error.ts';
import { findingsText } from '../openjd/findings-text.ts';
import { CommandError, EXIT } from '../terminal/exit-codes.ts';
import { errorAt, PARAMETER_RULE, parameterText } from './param-file.ts';
import type { Terminal } from '../terminal/terminal.ts';
import { readTextFile } from '../terminal/text-file.ts';

/** A job bundle: a folder with a template, values of its parameters, and the files that the job reads and writes. */
export interface JobBundle {
  /** Path of the template. */
  readonly template: string;
  readonly parameters: ReadonlyMap<string, string>;
  /** Settings that `parameter_values` contains under reserved names; undefined if it does not. */
  readonly priority: number | undefined;
  readonly paused: boolean | undefined;
  readonly maxAttempts: number | undefined;
  /** Sentences about ignored entries. */
  readonly notes: readonly string[];
}

const EXTENSIONS = ['yaml', 'yml', 'json'];

/**
 * Reads a job bundle. Relative paths in it are relative to the folder.
 *
 * @throws CommandError if a file is missing, ambiguous or invalid, or an input file does not exist and `allowsMissing` is false.
 */
export async function readJobBundle(
  folder: string,
  allowsMissing: boolean,
  terminal: Terminal,
): Promise<JobBundle> {
  const template = fileIn(folder, 'template');
  if (template === null)
    throw new CommandError(
      EXIT.usage,
      `${folder}: is not a job bundle: it has no template.yaml or template.json`,
    );
  const values = fileIn(folder, 'parameter_values');
  const assets = fileIn(folder, 'asset_references');
  if (assets !== null)
    await read(assets, terminal, (document) => assetErrors(document, folder, allowsMissing));
  const entries: Entry[] = [];
  if (values !== null) await read(values, terminal, (document) => collectEntries(document, entries));
  const paths = await pathParameters(template);
  const parameters = new Map(
    entries
      .filter(({ name }) => !name.includes(':'))
      .map(({ name, value }) => [name, paths.has(name) ? pathIn(folder, value) : value]),
  );
  return { template, parameters, ...settingsOf(entries) };
}

/** Returns the path of a file of the bundle; null if there is none. */
function fileIn(folder: string, name: string): string | null {
  const found = EXTENSIONS.map((extension) => join(folder, `${name}.${extension}`)).filter((path) =>
    existsSync(path),
  );
  const [path = null, another] = found;
  if (another !== undefined)
    throw new CommandError(EXIT.usage, `${folder}: contains both ${found.join(' and ')}; delete one`);
  return path;
}

/** Reads a file and throws its errors with their lines. */
async function read(
  path: string,
  terminal: Terminal,
  check: (document: DocumentNode) => readonly PointedError[],
): Promise<void> {
  const file = await readTextFile(path, 'job bundle');
  const document = readDocument(file.text, path.endsWith('.json') ? 'json' : 'yaml');
  const errors = document.ok ? check(document.document) : document.errors;
  if (errors.length > 0) throw new CommandError(EXIT.usage, findingsText(file, errors, terminal.errorColors));
}

/** Returns a member of a mapping; undefined if there is none. */
const member = (node: DocumentNode | undefined, key: string): DocumentNode | undefined =>
  node?.kind === 'mapping' ? node.entries.find((entry) => entry.key === key)?.value : undefined;

const itemsOf = (node: DocumentNode | undefined): readonly DocumentNode[] =>
  node?.kind === 'sequence' ? node.items : [];

interface Entry {
  readonly name: string;
  readonly value: string;
}

/** Collects `parameterValues: [{name, value}]`, and returns its errors. */
function collectEntries(document: DocumentNode, entries: Entry[]): readonly PointedError[] {
  const list = member(document, 'parameterValues');
  if (list?.kind !== 'sequence') return [errorAt('', document, 'must contain the list parameterValues')];
  return list.items.flatMap((item, at): readonly PointedError[] => {
    const pointer = `/parameterValues/${at}`;
    const name = member(item, 'name');
    const value = member(item, 'value');
    if (name?.kind !== 'string') return [errorAt(pointer, item, 'must have a name')];
    if (value === undefined) return [errorAt(pointer, item, 'must have a value')];
    const text = parameterText(value);
    if (text === null)
      return [errorAt(`${pointer}/value`, value, `${PARAMETER_RULE}, and is ${nodeKindName(value)}`)];
    entries.push({ name: name.value, value: text });
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
      const path = pathIn(folder, item.value);
      if (existsSync(path)) return [];
      const what = kind === 'filenames' ? 'file' : 'folder';
      return [
        errorAt(pointer, item, `the ${what} ${path} does not exist (--allow-missing-assets submits anyway)`),
      ];
    }),
  );
}

/** Returns the names of the parameters of type PATH. Errors of the template are those of the server. */
async function pathParameters(template: string): Promise<ReadonlySet<string>> {
  const { text } = await readTextFile(template, 'template');
  const read = readDocument(text, template.endsWith('.json') ? 'json' : 'yaml');
  const definitions = read.ok ? itemsOf(member(read.document, 'parameterDefinitions')) : [];
  return new Set(
    definitions.flatMap((definition) => {
      const name = member(definition, 'name');
      const type = member(definition, 'type');
      return name?.kind === 'string' && type?.kind === 'string' && type.value.toUpperCase() === 'PATH'
        ? [name.value]
        : [];
    }),
  );
}

/** Returns a path of the bundle as an absolute one. Windows paths and URIs stay, and so does the empty value. */
const pathIn = (folder: string, path: string): string =>
  path === '' || isAbsolute(path) || /^([A-Za-z]:|\\\\|[a-z][a-z0-9+.-]*:\/\/)/.test(path)
    ? path
    : resolve(folder, path);

const RESERVED = 'deadline:';

/** Returns the settings under reserved names. Others are noted. */
function settingsOf(
  entries: readonly Entry[],
): Pick<JobBundle, 'priority' | 'paused' | 'maxAttempts' | 'notes'> {
  const reserved = new Map(
    entries.filter(({ name }) => name.includes(':')).map(({ name, value }) => [name, value]),
  );
  const take = (name: string): string | undefined => {
    const value = reserved.get(`${RESERVED}${name}`);
    reserved.delete(`${RESERVED}${name}`);
    return value;
  };
  const whole = (name: string): number | undefined => {
    const value = take(name);
    if (value === undefined) return undefined;
    if (!/^-?[0-9]{1,9}$/.test(value))
      throw new CommandError(
        EXIT.usage,
        `${RESERVED}${name}: must be a whole number, got ${JSON.stringify(value)}`,
      );
    return Number(value);
  };
  const priority = whole('priority');
  const retries = whole('maxRetriesPerTask');
  const status = take('targetTaskRunStatus');
  return {
    priority,
    paused: status === undefined ? undefined : status === 'SUSPENDED',
    maxAttempts: retries === undefined ? undefined : retries + 1,
    notes: [...reserved.keys()].map((name) => `the value of ${name} is ignored`),
  };
}
