import type { CheckedTemplate } from '../../src/openjd/template/check-template.ts';
import { prepareJob, type PreparedJob } from '../../src/openjd/template/expand/prepare-job.ts';
import { table, type Column } from '../terminal/table.ts';
import { readTemplateFile } from '../submission/template-file.ts';
import { painted, printable, processTerminal } from '../terminal/terminal.ts';
import { printFarmNotes } from './extensions-option.ts';
import { optionsFor } from './options-for.ts';
import { checkFile, prepareFile, readFile } from './prepare-file.ts';

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
 * `callsheet openjd check TEMPLATE`: validates the template and, with values, the job that it makes. Without values it
 * validates only the template; defaults are used to count the tasks if possible.
 */
export async function checkCommandOf(
  path: string,
  values: ReadonlyMap<string, string>,
  extensions: string | undefined,
): Promise<void> {
  const terminal = processTerminal();
  const file = await readTemplateFile(path);
  const document = readFile(file, terminal);
  const options = await optionsFor(document, extensions);
  const template = checkFile(file, document, options, terminal);
  let job: PreparedJob | null;
  if (values.size > 0) job = prepareFile(file, document, values, options, terminal);
  else {
    const prepared = prepareJob(document, values, options);
    job = prepared.ok ? prepared.job : null;
  }
  printFarmNotes(template.farmNotes, terminal);
  const verdict = `${printable(file.name)}: ${painted('valid', 'green', terminal.colors)}`;
  terminal.out(`${verdict}\n${printable(job?.plan.jobName ?? template.shape.name?.value ?? '')}\n`);
  terminal.out(table(COLUMNS, stepRows(template, job), terminal));
  if (job === null) terminal.out(`${uncounted(template)}\n`);
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
