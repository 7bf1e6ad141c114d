import type { PresetDetail, Product } from '../../client/resources.ts';
import { contextOf, type ClientOptions } from '../client/client-command.ts';
import { CommandError, EXIT } from '../terminal/exit-codes.ts';
import { printResult } from '../output/output.ts';
import { createPools, missingPools } from './usage-pools.ts';

export interface InstallOptions extends ClientOptions {
  readonly createPools?: number;
}

/** Installs presets, after each of the names was found, and deals with the usage pools that they need. */
export async function installPresets(given: readonly string[], options: InstallOptions): Promise<void> {
  const { createPools: slots } = options;
  if (slots !== undefined && slots < 1)
    throw new CommandError(EXIT.usage, '--create-pools: must be at least 1');
  const context = contextOf(options);
  const { client, terminal, isForPrograms } = context;
  const presets: PresetDetail[] = [];
  for (const name of new Set(given))
    presets.push(await client.call('get', '/presets/{name}', { path: { name } }));
  const products: Product[] = [];
  for (const { name } of presets) {
    const product = await client.call('post', '/presets/{name}/install', { path: { name } });
    products.push(product);
    if (!isForPrograms) terminal.out(`${product.name} ${product.version} installed\n`);
  }
  const needed = presets.flatMap((preset) => preset.usage_pools);
  await createPools(context, await missingPools(client, needed), slots);
  if (isForPrograms) printResult(context, products, () => '');
}
