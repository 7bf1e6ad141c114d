import type { CheckedTemplate } from '../../src/openjd/template/check-template.ts';
import { environmentNameOf, templateKindOf } from '../../src/openjd/template/check-environment.ts';
import type { LanguageOptions } from '../../src/openjd/template/language/options.ts';
import { prepareJob, type PreparedJob } from '../../src/openjd/template/expand/prepare-job.ts';
import { table, type Column } from '../terminal/table.ts';
import type { DocumentNode } from '../../src/openjd/primitives/document.ts';
import { readTemplateFile, type TemplateFile } from '../submission/template-file.ts';
import { CommandError, EXIT } from '../terminal/exit-codes.ts';
import { painted, printable, processTerminal, type Terminal } from '../terminal/terminal.ts';
import { printFarmNotes } from './extensions-option.ts';
import { optionsFor } from './options-for.ts';
import { checkEnvironmentFile, checkFile, environmentsOf, prepareFile, readFile } from './prepare-file.ts';

interface StepRow {
  readonly name: string;
  /** Null if it depends on unknown values. */
  readonly tasks: number | null;
  readonly after: readonly string[];
}

const COLUMNS: readonly Column<StepRow>[] = [
  { title: 'STEP', value: ({ name }) => name, shrinks: true },
  { title: 'TASKS', value: ({ tasks }) => (tasks === null ? '?' : String(tasks)), align: 'right' },
  { title: 'AFTER', value: ({ after }) => after.join(', '), shrinks: true },
];

/**
 * `callsheet openjd check TEMPLATE`: validates the template and, with values or environment templates, the job that it
 * makes. Without them it validates only the template; defaults are used to count the tasks if possible. The template may
 * be an environment template.
 */
export async function checkCommandOf(
  path: string,
  values: ReadonlyMap<string, string>,
  environmentPaths: readonly string[],
  extensions: string | undefined,
): Promise<void> {
  const terminal = processTerminal();
  const file = await readTemplateFile(path);
  const document = readFile(file, terminal);
  const options = await optionsFor(document, extensions, environmentPaths.length > 0);
  if (templateKindOf(document) === 'environment') {
    checkEnvironment(file, document, options, values.size > 0 || environmentPaths.length > 0, terminal);
    return;
  }
  const template = checkFile(file, document, options, terminal);
  const environments = await environmentsOf(environmentPaths, options, terminal);
  let job: PreparedJob | null;
  if (values.size > 0 || environments.length > 0)
    job = prepareFile(file, document, values, options, environments, terminal);
  else {
    const prepared = prepareJob(document, values, options);
    job = prepared.ok ? prepared.job : null;
  }
  printFarmNotes(job?.farmNotes ?? template.farmNotes, terminal);
  const name = job?.plan.jobName ?? template.shape.name?.value ?? '';
  terminal.out(`${verdictOf(file, terminal)}\n${printable(name)}\n`);
  terminal.out(table(COLUMNS, stepRows(template, job), terminal));
  if (job === null) terminal.out(`${uncounted(template)}\n`);
}

const verdictOf = ({ name }: TemplateFile, { colors }: Terminal): string =>
  `${printable(name)}: ${painted('valid', 'green', colors)}`;

/** Validates an environment template. Values belong to the job that it is used with. */
function checkEnvironment(
  file: TemplateFile,
  document: DocumentNode,
  options: LanguageOptions,
  isOfJob: boolean,
  terminal: Terminal,
): void {
  const template = checkEnvironmentFile(file, document, options, terminal);
  if (isOfJob) {
    const detail =
      'is an environment template: check it alone, or give it with --environment for a job template';
    throw new CommandError(EXIT.usage, `${file.name} ${detail}`);
  }
  printFarmNotes(template.farmNotes, terminal);
  terminal.out(`${verdictOf(file, terminal)}\nenvironment ${printable(environmentNameOf(template))}\n`);
}

function stepRows({ shape }: CheckedTemplate, job: PreparedJob | null): StepRow[] {
  return shape.steps.map((step, order) => ({
    name: step.name?.value ?? '',
    tasks: job?.plan.steps[order]?.taskCount ?? null,
    after: step.dependencies.map(({ value }) => value),
  }));
}

function uncounted({ parameters }: CheckedTemplate): string {
  const missing = parameters.flatMap(({ shape, default: value }) =>
    value === null ? (shape.name?.value ?? '') : [],
  );
  return missing.length === 0
    ? 'the tasks cannot be counted: the defaults do not make a job (give values with -p)'
    : `the tasks cannot be counted without values for ${missing.join(', ')} (give them with -p)`;
}
