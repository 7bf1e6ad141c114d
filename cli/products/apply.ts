import type { ProductDefinition } from '../../src/core/products/product-definition.ts';
import type { Product, ProductSummary } from '../../client/resources.ts';
import { contextOf, type ClientOptions } from '../client/client-command.ts';
import {
  conflictError,
  outdatedOf,
  versionHeadersOf,
  type VersionHeaders,
} from '../client/concurrent-change.ts';
import { CommandError, EXIT } from '../terminal/exit-codes.ts';
import type { RestClient } from '../client/rest-client.ts';
import { printResult } from '../output/output.ts';
import { comparableText } from './comparable-text.ts';
import { readDefinitionFiles, type DefinitionFile } from './definition-file.ts';
import { diffText } from './diff-text.ts';

export interface ApplyOptions extends ClientOptions {
  readonly dryRun?: boolean;
  readonly overwrite?: boolean;
}

type Action = 'created' | 'replaced' | 'unchanged';

/** The change that one file makes. `before` is the stored product, null if it does not exist. */
interface Step {
  readonly file: DefinitionFile;
  readonly before: Product | null;
  /** Headers for a change of this version. */
  readonly version: VersionHeaders;
  readonly action: Action;
}

/**
 * Creates or replaces the products of definition files. All files are checked before the first request, and the server's
 * products before the first change. A product that is equal to its file is left as it is. One that another user saves
 * after it was read is not replaced.
 */
export async function applyFiles(paths: readonly string[], options: ApplyOptions): Promise<void> {
  const context = contextOf(options);
  const { client, terminal, isForPrograms } = context;
  const files = await readDefinitionFiles(paths, terminal);
  const steps = await stepsOf(client, files);
  const results: object[] = [];
  for (const step of steps) {
    const { file, before, action } = step;
    const { definition } = file;
    const isTry = options.dryRun === true;
    if (!isTry) await applyOne(client, options.overwrite === true ? { ...step, version: {} } : step);
    if (isForPrograms) results.push({ file: file.name, name: definition.name, action });
    else terminal.out(`${definition.name} ${isTry ? `would be ${action}` : action}\n`);
    if (isTry && !isForPrograms && action === 'replaced' && before !== null)
      terminal.out(diffText(comparableText(before), comparableText(definition), terminal.colors));
  }
  if (isForPrograms) printResult(context, results, () => '');
}

async function stepsOf(client: RestClient, files: readonly DefinitionFile[]): Promise<readonly Step[]> {
  const all = await client.call('get', '/products', { query: { summary: true } });
  const known = new Map(all.map((product) => [product.name, product]));
  for (const file of files) assertReplaceable(file, known.get(file.definition.name));
  const steps: Step[] = [];
  for (const file of files) {
    const { name } = file.definition;
    const read = known.has(name)
      ? await client.callWithHeaders('get', '/products/{name}', { path: { name } })
      : null;
    const before = read?.body ?? null;
    const action = before === null ? 'created' : isSame(before, file.definition) ? 'unchanged' : 'replaced';
    steps.push({ file, before, version: read === null ? {} : versionHeadersOf(read.headers), action });
  }
  return steps;
}

function assertReplaceable({ name: file, definition }: DefinitionFile, found?: ProductSummary): void {
  if (found === undefined || found.source === 'custom') return;
  const why = found.source === 'builtin' ? 'a built-in product' : 'installed from the preset library';
  const detail = `${definition.name} is ${why} and cannot be replaced; give the definition another name`;
  throw new CommandError(EXIT.conflict, `${file}: ${detail}`);
}

const FIELDS = [
  'name',
  'title',
  'description',
  'readme',
  'category',
  'version',
  'template',
  'format',
] as const satisfies readonly (keyof ProductDefinition)[];

/** Reports whether two products differ only in where and when they are stored. */
const isSame = (left: ProductDefinition, right: ProductDefinition): boolean =>
  FIELDS.every((field) => left[field] === right[field]);

async function applyOne(client: RestClient, { file, action, version }: Step): Promise<void> {
  const { name, ...body } = file.definition;
  try {
    if (action === 'created') await client.call('post', '/products', { body: { name, ...body } });
    if (action === 'replaced')
      await client.call('put', '/products/{name}', { path: { name }, body, headers: version });
  } catch (error) {
    if (!(error instanceof CommandError)) throw error;
    const outdated = outdatedOf(error);
    if (outdated !== null) throw conflictError(`product ${name}`, outdated.errors, error);
    throw new CommandError(error.exitCode, `${file.name}: ${error.message}`);
  }
}
