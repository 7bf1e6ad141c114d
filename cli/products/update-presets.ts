import { contextOf, type ClientContext, type ClientOptions } from '../client/client-command.ts';
import { CommandError, EXIT } from '../terminal/exit-codes.ts';
import type { RestClient } from '../client/rest-client.ts';
import { printable, type Terminal } from '../terminal/terminal.ts';
import { printResult } from '../output/output.ts';
import { comparableText } from './comparable-text.ts';
import { diffText } from './diff-text.ts';
import { missingPools, createPools } from './usage-pools.ts';

export interface UpdateOptions extends ClientOptions {
  readonly yes?: boolean;
  readonly dryRun?: boolean;
}

/** The update of one preset. */
interface Update {
  readonly name: string;
  readonly from: string;
  readonly to: string;
  /** Texts to compare. */
  readonly before: string;
  readonly after: string;
  readonly usagePools: readonly string[];
}

type Result = 'updated' | 'unchanged' | 'skipped' | 'would be updated';

/**
 * Replaces installed products by the present version of their presets: the given ones, or all with a newer version. Shows
 * the difference of the definitions first, and asks if a user is at the terminal and neither `yes` nor `dryRun` is set.
 */
export async function updatePresets(given: readonly string[], options: UpdateOptions): Promise<void> {
  const context = contextOf(options);
  const { client, terminal, isForPrograms } = context;
  const updates: Update[] = [];
  for (const name of given.length > 0 ? new Set(given) : await namesWithUpdate(client))
    updates.push(await updateOf(client, name));
  const results: object[] = [];
  for (const update of updates) {
    const { name, from, to, before, after } = update;
    if (!isForPrograms) terminal.out(shownText(update, terminal));
    const result = await apply(context, update, options);
    if (isForPrograms) results.push({ name, from, to, result, diff: diffText(before, after, false) });
    else if (result !== 'unchanged') terminal.out(`${name} ${result}\n`);
  }
  if (isForPrograms) printResult(context, results, () => '');
  else if (updates.length === 0) terminal.out('All installed presets are up to date.\n');
}

async function namesWithUpdate(client: RestClient): Promise<readonly string[]> {
  const presets = await client.call('get', '/presets');
  return presets.filter((preset) => preset.update_available).map(({ name }) => name);
}

async function updateOf(client: RestClient, name: string): Promise<Update> {
  const path = { name };
  const preset = await client.call('get', '/presets/{name}', { path });
  if (!preset.installed)
    throw new CommandError(EXIT.conflict, `the preset ${name} is not installed (callsheet presets install)`);
  const product = await client.call('get', '/products/{name}', { path });
  return {
    name,
    from: product.version,
    to: preset.version,
    before: comparableText(product),
    after: comparableText(preset),
    usagePools: preset.usage_pools,
  };
}

const shownText = ({ name, from, to, before, after }: Update, { colors }: Terminal): string =>
  before === after
    ? `${printable(name)} ${printable(from)} is up to date\n`
    : `${printable(name)} ${printable(from)} -> ${printable(to)}\n${diffText(before, after, colors)}`;

async function apply(context: ClientContext, update: Update, options: UpdateOptions): Promise<Result> {
  const { client, terminal } = context;
  const { name, before, after } = update;
  if (before === after) return 'unchanged';
  if (options.dryRun === true) return 'would be updated';
  if (options.yes !== true && terminal.ask !== null) {
    const answer = await terminal.ask(`Update ${printable(name)}? Enter y to update: `);
    if (!/^y(es)?$/i.test(answer.trim())) return 'skipped';
  }
  await client.call('post', '/presets/{name}/update', { path: { name } });
  await createPools(context, await missingPools(client, update.usagePools), undefined);
  return 'updated';
}
