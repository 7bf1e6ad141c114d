import type { DryRun } from '../../client/resources.ts';
import { counted } from '../options/confirm.ts';
import { table, type Column } from '../terminal/table.ts';
import { printable, type Terminal } from '../terminal/terminal.ts';

type DryRunStep = DryRun['steps'][number];

const COLUMNS: readonly Column<DryRunStep>[] = [
  { title: 'STEP', value: (step) => step.name, shrinks: true },
  { title: 'TASKS', value: (step) => String(step.task_count), align: 'right' },
  { title: 'WORKERS', value: workersText, align: 'right' },
  {
    title: 'AFTER',
    value: (step) => (step.depends_on ?? []).join(', '),
    shrinks: true,
  },
];

/**
 * Formats the result of a dry run: the steps, the commands of their first and last tasks, and why no worker could run
 * them.
 */
export function dryRunText(preview: DryRun, terminal: Terminal): string {
  const lines = preview.steps.flatMap((step) => [
    ...commandLines(step),
    ...(step.workers?.sentence === undefined ? [] : [`${step.name}: ${step.workers.sentence}`]),
    ...(step.unregistered_pools ?? []).map((pool) => `${step.name}: usage pool ${pool} is not registered`),
  ]);
  const title = `${preview.name}: ${counted(preview.task_count, 'task')}; nothing was stored`;
  return `${printable(title)}\n${table(COLUMNS, preview.steps, terminal)}${lines.map((line) => `${printable(line)}\n`).join('')}`;
}

function workersText({ workers }: DryRunStep): string {
  return workers === undefined ? '?' : `${workers.eligible}/${workers.online}`;
}

function commandLines({ first, last, task_count: tasks }: DryRunStep): readonly string[] {
  const shown = tasks > 1 ? [first, last] : [first];
  return shown.map(({ task, command, args }) => `${task}: ${[command, ...args].map(quoted).join(' ')}`);
}

/** Quotes a command for bash, on one line. */
function quoted(word: string): string {
  if (/^[\w@%+=:,./{}-]+$/.test(word)) return word;
  if (!/[\n\t]/.test(word)) return `'${word.replaceAll("'", `'\\''`)}'`;
  const escaped = word.replaceAll(/[\\']/g, '\\$&').replaceAll('\n', '\\n').replaceAll('\t', '\\t');
  return `$'${escaped}'`;
}
