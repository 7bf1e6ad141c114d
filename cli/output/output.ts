import { InvalidArgumentError, Option, type Command } from 'commander';
import { CommandError, EXIT } from '../terminal/exit-codes.ts';
import { printableLines, type Terminal } from '../terminal/terminal.ts';
import { templateText } from './template.ts';

const FORMATS = ['table', 'wide', 'json', 'jsonl', 'name', 'template'] as const;
export type Format = (typeof FORMATS)[number];

/** Options that select the format of the output. */
export interface OutputOptions {
  readonly outputFormat?: Format;
  readonly json?: boolean;
  readonly template?: string;
}

/** Format of the output of a command. */
export interface Output {
  readonly format: Format;
  /** Text of `--template`; empty for other formats. */
  readonly template: string;
}

/** Adds `-o`, `--json` and `--template`. */
export const formatOption = (command: Command): Command =>
  command
    .addOption(new Option('-o, --output-format <format>', 'format of the output').choices(FORMATS))
    .option('--json', 'the same as -o json')
    .option(
      '--template <text>',
      'the same as -o template: a line for each item, such as "{name} {status}"',
      checkTemplate,
    );

function checkTemplate(text: string): string {
  if (text === '') throw new InvalidArgumentError('It must not be empty.');
  return text;
}

/** Returns the format that the options select. Throws a usage error if they contradict each other. */
export function outputOf({ outputFormat: format, json = false, template }: OutputOptions): Output {
  if (json && format !== undefined && format !== 'json')
    throw new CommandError(EXIT.usage, `--json and -o ${format} exclude each other`);
  const wanted = json ? 'json' : (format ?? (template === undefined ? 'table' : 'template'));
  if (wanted === 'template' && template === undefined)
    throw new CommandError(EXIT.usage, '-o template needs --template, such as --template "{name} {status}"');
  if (wanted !== 'template' && template !== undefined)
    throw new CommandError(EXIT.usage, `--template and -o ${wanted} exclude each other`);
  return { format: wanted, template: template ?? '' };
}

/** Prints a value as indented JSON. */
export const printJson = (terminal: Pick<Terminal, 'out'>, value: unknown): void =>
  terminal.out(`${JSON.stringify(value, null, 2)}\n`);

/** Prints a value as one line of JSON. */
export const printJsonLine = (terminal: Pick<Terminal, 'out'>, value: unknown): void =>
  terminal.out(`${JSON.stringify(value)}\n`);

/** How items are printed for programs. */
interface Printed {
  readonly terminal: Pick<Terminal, 'out' | 'isTerminal'>;
  readonly output: Output;
}

/**
 * Prints the result of a command: in the format for programs, or as `text` for users. For `jsonl`, `name` and `template`
 * each item of a list is a line.
 */
export function printResult({ terminal, output }: Printed, value: object, text: () => string): void {
  const items: readonly object[] = Array.isArray(value) ? value : [value];
  const shown = (line: string): string => (terminal.isTerminal ? printableLines(line) : line);
  // A template separates its fields with tabs.
  const shownCells = (line: string): string => line.split('\t').map(shown).join('\t');
  switch (output.format) {
    case 'table':
    case 'wide':
      return terminal.out(text());
    case 'json':
      return printJson(terminal, value);
    case 'jsonl':
      return items.forEach((item) => printJsonLine(terminal, item));
    case 'name':
      return items.forEach((item) => terminal.out(`${shown(nameOf(item))}\n`));
    case 'template':
      return items.forEach((item) => terminal.out(`${shownCells(templateText(output.template, item))}\n`));
  }
}

/** Members that name an item, the first that it has. */
const NAMES = ['name', 'username', 'id', 'task_id'];

function nameOf(item: object): string {
  const members = new Map<string, unknown>(Object.entries(item));
  const name = NAMES.map((member) => members.get(member)).find((value) => typeof value === 'string');
  return typeof name === 'string' ? oneLineOf(name) : '';
}

/** A name is one line, for `xargs` and loops of a shell. */
const oneLineOf = (name: string): string => name.replaceAll(/[\r\n]+/g, ' ');
