import type { Preset } from '../../client/resources.ts';
import { contextOf, type ClientOptions } from '../client/client-command.ts';
import { integer } from '../options/integer.ts';
import type { Column } from '../terminal/table.ts';
import { verb, type Noun } from '../grammar/verb.ts';
import { sorted, wholeListOptions, type WholeListOptions } from '../output/list-options.ts';
import { printListing } from '../output/listing.ts';
import { printResult } from '../output/output.ts';
import { installPresets, type InstallOptions } from './install-presets.ts';
import { namesText } from './product-names.ts';
import { describedText } from './product-text.ts';
import { updatePresets, type UpdateOptions } from './update-presets.ts';
import { missingPools } from './usage-pools.ts';

interface ListOptions extends ClientOptions, WholeListOptions {
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

async function list(options: ListOptions): Promise<void> {
  const context = contextOf(options);
  const all = await context.client.call('get', '/presets');
  const listed = all.filter((preset) => isListed(preset, options));
  if (options.names === true) return context.terminal.out(namesText(listed));
  const items = sorted(listed, COLUMNS, options.sort);
  printListing(context, { what: 'preset', columns: COLUMNS, items, reply: items }, options);
}

async function show(name: string, options: ClientOptions): Promise<void> {
  const context = contextOf(options);
  const { client, terminal, isForPrograms } = context;
  const preset = await client.call('get', '/presets/{name}', { path: { name } });
  if (isForPrograms) return printResult(context, preset, () => '');
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
export const presets: Noun = {
  name: 'presets',
  about: 'List the preset library, or show, install or update presets.',
  verbs: [
    verb<ListOptions>({
      name: 'list',
      about: 'List presets.',
      options: (command) =>
        wholeListOptions(command)
          .option('--category <category>', 'only presets of this category')
          .option('--search <words>', 'words to search for in name, title, description and category')
          .option('--installed', 'only installed presets')
          .option('--names', 'the same as -o name'),
      run: (_args, options) => list(options),
    }),
    verb<ClientOptions>({
      name: 'show',
      about: 'Show a preset: what it needs, its readme and its parameters.',
      arguments: [{ name: '<preset>', help: 'name of the preset' }],
      run: ([name = ''], options) => show(name, options),
    }),
    verb<InstallOptions>({
      name: 'install',
      about: 'Install presets as products. Offers to create usage pools that they need.',
      arguments: [{ name: '<preset...>', help: 'names of presets' }],
      options: (command) =>
        command.option(
          '--create-pools <slots>',
          'create missing usage pools with this number of slots',
          integer,
        ),
      run: installPresets,
    }),
    verb<UpdateOptions>({
      name: 'update',
      about: 'Update installed presets to the version of the library. Shows what changes.',
      arguments: [{ name: '[preset...]', help: 'names of presets; all with an update if absent' }],
      options: (command) =>
        command
          .option('--yes', 'update without asking for confirmation')
          .option('--dry-run', 'only show what would change'),
      run: updatePresets,
    }),
  ],
};
