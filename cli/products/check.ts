import { painted, printable, processTerminal } from '../terminal/terminal.ts';
import { outputOf, printResult, type OutputOptions } from '../output/output.ts';
import { readDefinitionFiles, type DefinitionFile } from './definition-file.ts';
import { describedText } from './product-text.ts';

export interface CheckOptions extends OutputOptions {
  readonly show?: boolean;
}

/** Checks definition files on this machine. Throws a CommandError with all errors of all files. */
export async function checkFiles(paths: readonly string[], options: CheckOptions): Promise<void> {
  const terminal = processTerminal();
  const files = await readDefinitionFiles(paths, terminal);
  const output = outputOf(options);
  if (output.format !== 'table' && output.format !== 'wide')
    return printResult({ terminal, output }, files.map(summaryOf), () => '');
  for (const file of files) {
    const { definition, description } = file;
    const { name, version } = definition;
    const subject = [name, version].filter((text) => text !== '').join(' ');
    terminal.out(
      `${printable(file.name)}: ${painted('valid', 'green', terminal.colors)}: ${printable(subject)}\n`,
    );
    if (options.show === true)
      terminal.out(
        `\n${describedText({ facts: factsOf(file), readme: definition.readme, parameters: description.parameters }, terminal)}`,
      );
  }
}

const summaryOf = ({ name: file, definition, description }: DefinitionFile): object => ({
  file,
  name: definition.name,
  title: definition.title,
  description: definition.description,
  category: definition.category,
  version: definition.version,
  readme: definition.readme,
  parameters: description.parameters,
  usage_pools: description.usagePools,
  tags: description.tags,
});

const factsOf = ({ definition, description }: DefinitionFile): readonly (readonly [string, string])[] => [
  ['name', definition.name],
  ['title', definition.title],
  ['description', definition.description],
  ['category', definition.category],
  ['version', definition.version],
  ['worker tags', description.tags.join(', ')],
  ['usage pools', description.usagePools.join(', ')],
];
