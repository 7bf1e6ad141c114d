import { mkdir, readdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { readDocument } from '../../src/adapters/yaml/read-document.ts';
import { writeYaml } from '../../src/adapters/yaml/write-yaml.ts';
import type { JobDetail } from '../../client/resources.ts';
import { contextOf, type ClientOptions } from '../client/client-command.ts';
import { findJob } from '../client/lookup.ts';
import { printResult } from '../output/output.ts';
import { CommandError, EXIT } from '../terminal/exit-codes.ts';
import { printable } from '../terminal/terminal.ts';
import { unwritable } from '../terminal/text-file.ts';
import { absoluteValue, pathParametersOf, pathsIn, type PathParameter } from './path-parameters.ts';
import { reservedValues } from './reserved-values.ts';

export interface BundleExportOptions extends ClientOptions {
  readonly output?: string;
  readonly force?: boolean;
}

/**
 * Writes a job as a job bundle: its template, its values, and the files that its path parameters name. Prints the folder.
 * Files of the job are not copied. A folder that is not empty is refused without `force`.
 */
export async function exportBundle(given: string, options: BundleExportOptions): Promise<void> {
  const context = contextOf(options);
  const { client, terminal } = context;
  const id = await findJob(client, given);
  const path = { id };
  const job = await client.call('get', '/jobs/{id}', { path });
  const template = await client.run((rest) => rest.text('/jobs/{id}/template', { path }));
  const environments = await client.call('get', '/jobs/{id}/environments', { path });
  const { format, parameters } = partsOf(job, template);
  const folder = options.output ?? folderName(job);
  const sent = environments.filter(({ origin }) => origin === 'submission');
  const environmentFiles = sent.map(
    (environment, at) => [`environment-${at + 1}.${environment.format}`, environment.template] as const,
  );
  await writeFolder(folder, options.force === true, [
    [`template.${format}`, template],
    ['parameter_values.yaml', writeYaml({ parameterValues: valuesOf(job) })],
    ['asset_references.yaml', writeYaml({ assetReferences: assetsOf(job, parameters) })],
    ...environmentFiles,
  ]);
  for (const note of notesOf(folder, job, parameters)) terminal.err(`note: ${printable(note)}\n`);
  if (environmentFiles.length > 0) {
    const flags = environmentFiles.map(([name]) => `--environment ${join(folder, name)}`).join(' ');
    terminal.err(`note: a bundle has no environment templates; submit this one with ${printable(flags)}\n`);
  }
  printResult(context, { folder }, () => `${printable(folder)}\n`);
}

function partsOf(
  { template_format: format }: JobDetail,
  template: string,
): { readonly format: 'yaml' | 'json'; readonly parameters: readonly PathParameter[] } {
  const read = readDocument(template, format);
  return { format, parameters: read.ok ? pathParametersOf(read.document) : [] };
}

/** Returns the name of the job as that of a folder. The name comes from a server and must not lead elsewhere. */
function folderName({ id, name }: JobDetail): string {
  const safe = name
    .replaceAll(/[^\p{L}\p{N}._ -]/gu, '-')
    .replace(/^[. ]+/, '')
    .trim();
  return safe === '' ? id : safe;
}

const valuesOf = (job: JobDetail): readonly { readonly name: string; readonly value: string | number }[] => [
  ...Object.entries(job.parameters ?? {}).map(([name, value]) => ({ name, value })),
  ...reservedValues({
    priority: job.priority,
    paused: job.status === 'paused',
    maxAttempts: job.own_retry?.max_attempts,
    failureLimit: job.own_retry?.failure_limit,
  }),
];

interface AssetReferences {
  readonly inputs: { readonly filenames: readonly string[]; readonly directories: readonly string[] };
  readonly outputs: { readonly directories: readonly string[] };
  readonly referencedPaths: readonly string[];
}

/** Returns the files that the values of path parameters name: the folder of a file that the job writes. */
function assetsOf({ parameters = {} }: JobDetail, definitions: readonly PathParameter[]): AssetReferences {
  const named = definitions.flatMap(({ name, isList, objectType, dataFlow }) => {
    const value = parameters[name] ?? '';
    const paths = isList ? (pathsIn(value) ?? []) : [value];
    return paths.filter((path) => path !== '').map((path) => ({ path, objectType, dataFlow }));
  });
  const inputs = named.filter(({ dataFlow }) => dataFlow === 'IN' || dataFlow === 'INOUT');
  const outputs = named.filter(({ dataFlow }) => dataFlow === 'OUT' || dataFlow === 'INOUT');
  const unique = (paths: readonly string[]): readonly string[] => [...new Set(paths)];
  return {
    inputs: {
      filenames: unique(inputs.filter(({ objectType }) => objectType === 'FILE').map(({ path }) => path)),
      directories: unique(
        inputs.filter(({ objectType }) => objectType === 'DIRECTORY').map(({ path }) => path),
      ),
    },
    outputs: {
      directories: unique(
        outputs.map(({ path, objectType }) => (objectType === 'FILE' ? dirname(path) : path)),
      ),
    },
    referencedPaths: unique(named.filter(({ dataFlow }) => dataFlow === 'NONE').map(({ path }) => path)),
  };
}

/** Returns sentences about values that mean something else in the bundle. */
const notesOf = (
  folder: string,
  { parameters = {} }: JobDetail,
  definitions: readonly PathParameter[],
): readonly string[] =>
  definitions.flatMap((parameter) => {
    const value = parameters[parameter.name];
    if (value === undefined || absoluteValue(folder, parameter, value) === value) return [];
    return [
      `the value of ${parameter.name} is relative: a submission of the bundle resolves it to its folder`,
    ];
  });

/** Writes new files into a folder, which is created. */
async function writeFolder(
  folder: string,
  replaces: boolean,
  files: readonly (readonly [name: string, text: string])[],
): Promise<void> {
  try {
    await mkdir(folder, { recursive: true });
    if (!replaces && (await readdir(folder)).length > 0)
      throw new CommandError(EXIT.conflict, `${folder} is not empty; --force writes into it`);
    for (const [name, text] of files) await writeFile(join(folder, name), text);
  } catch (error) {
    throw error instanceof CommandError ? error : unwritable(folder, error);
  }
}
