import type { Command } from 'commander';
import type { Preset } from '../../client/resources.ts';
import {
  clientCommand,
  contextOf,
  innerCommand,
  printJson,
  type ClientOptions,
} from '../commands/client-command.ts';
import { integer } from '../commands/integer.ts';
import { table, type Column } from '../commands/table.ts';
import { installPresets, type InstallOptions } from './install-presets.ts';
import { namesText } from './product-names.ts';
import { describedText } from './product-text.ts';
import { updatePresets, type UpdateOptions } from './update-presets.ts';
import { missingPools } from './usage-pools.ts';

interface ListOptions extends ClientOptions {
  readonly category?: string;
  readonly search?: string;
  readonly installed?: boolean;
  readonly names?: boolean;
}

const COLUMNS: readonly Column<Preset>[] = [
  { title: 'NAME', value: ({ name }) => name },
  { title: 'TITLE', value: ({ title }) => title, shrinks: true },
  { title: 'CATEGORY', value: ({ category }) => category, shrinks: true },
  { title: 'VERSION', value: ({ version }) => version },
  {
    title: 'INSTALLED',
    value: ({ installed, installed_version: version }) => installedText(installed, version),
  },
  { title: 'UPDATE', value: ({ update_available: isAvailable }) => (isAvailable ? 'yes' : '') },
];

const installedText = (isInstalled: boolean, version: string | null): string =>
  isInstalled ? version || 'yes' : '';

/** Reports whether a preset has the category and each of the words, in any case. */
function isListed(preset: Preset, { category, search = '', installed }: ListFilters): boolean {
  if (installed === true && !preset.installed) return false;
  if (category !== undefined && preset.category.toLowerCase() !== category.toLowerCase()) return false;
  const text = [preset.name, preset.title, preset.description, preset.category].join('\n').toLowerCase();
  return search
    .toLowerCase()
    .split(/\s+/)
    .every((word) => text.includes(word));
}

type ListFilters = Pick<ListOptions, 'category' | 'search' | 'installed'>;

async function list(_options: object, command: Command): Promise<void> {
  const options = command.optsWithGlobals<ListOptions>();
  const { client, terminal, json } = contextOf(options);
  const all = await client.call('get', '/presets');
  const presets = all.filter((preset) => isListed(preset, options));
  if (json) printJson(terminal, presets);
  else if (options.names === true) terminal.out(namesText(presets));
  else terminal.out(table(COLUMNS, presets, terminal));
}

async function show(name: string, _options: object, command: Command): Promise<void> {
  const { client, terminal, json } = contextOf(command.optsWithGlobals<ClientOptions>());
  const preset = await client.call('get', '/presets/{name}', { path: { name } });
  if (json) return printJson(terminal, preset);
  const missing = await missingPools(client, preset.usage_pools);
  const pools = preset.usage_pools.map((pool) =>
    missing.includes(pool) ? `${pool} (does not exist)` : pool,
  );
  const installed = installedText(preset.installed, preset.installed_version);
  const facts: readonly (readonly [string, string])[] = [
    ['name', preset.name],
    ['title', preset.title],
    ['description', preset.description],
    ['category', preset.category],
    ['version', preset.version],
    ['installed', preset.update_available ? `${installed}; an update is available` : installed],
    ['worker tags', preset.tags.join(', ')],
    ['usage pools', pools.join(', ')],
  ];
  terminal.out(describedText({ facts, readme: preset.readme, parameters: preset.parameters }, terminal));
}

/** `callsheet presets` */
export const presetsCommand = (): Command =>
  clientCommand('presets', 'List the preset library, or show, install or update presets.')
    .addCommand(
      innerCommand('list', 'List presets.')
        .option('--category <category>', 'only presets of this category')
        .option('--search <words>', 'words to search for in name, title, description and category')
        .option('--installed', 'only installed presets')
        .option('--names', 'print only the names, one per line')
        .action(list),
      { isDefault: true },
    )
    .helpCommand(false)
    .addCommand(
      innerCommand('show', 'Show a preset: what it needs, its readme and its parameters.')
        .argument('<preset>', 'name of the preset')
        .action(show),
    )
    .addCommand(
      innerCommand('install', 'Install presets as products. Offers to create usage pools that they need.')
        .argument('<preset...>', 'names of presets')
        .option('--create-pools <slots>', 'create missing usage pools with this number of slots', integer)
        .action((names: readonly string[], _options: object, command: Command) =>
          installPresets(names, command.optsWithGlobals<InstallOptions>()),
        ),
    )
    .addCommand(
      innerCommand('update', 'Update installed presets to the version of the library. Shows what changes.')
        .argument('[preset...]', 'names of presets; all with an update if absent')
        .option('--yes', 'update without asking for confirmation')
        .option('--dry-run', 'only show what would change')
        .action((names: readonly string[], _options: object, command: Command) =>
          updatePresets(names, command.optsWithGlobals<UpdateOptions>()),
        ),
    );
