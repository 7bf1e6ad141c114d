import type { Command } from 'commander';
import { clientCommand, contextOf, printJson, shortTime, type ClientOptions } from './client-command.ts';
import { findTask } from './lookup.ts';
import type { TaskExplanation } from '../../client/resources.ts';
import { table, type Column } from './table.ts';
import { TASK_ARGUMENT_HELP } from './task.ts';
import { coloredStatus, printable, type Terminal } from './terminal.ts';

const FAILURE_COLUMNS: readonly Column<TaskExplanation['failures'][number]>[] = [
  { title: 'FAILED ON', value: (failure) => failure.worker, shrinks: true },
  { title: 'TIMES', value: (failure) => String(failure.failures), align: 'right' },
  { title: 'LAST', value: (failure) => shortTime(failure.last_at) },
];

/** Formats the summary and one line per gate. Omits a single gate whose sentence is the summary. */
function printExplanation(terminal: Terminal, explanation: TaskExplanation): void {
  const { name, status, summary, gates, failures } = explanation;
  terminal.out(`${printable(name)}: ${coloredStatus(status, terminal)}\n${printable(summary)}\n`);
  const lines = gates.length === 1 && gates[0]?.sentence === summary ? [] : gates;
  const width = Math.max(0, ...lines.map((gate) => gate.gate.length));
  if (lines.length > 0) terminal.out('\n');
  for (const { gate, sentence } of lines) {
    terminal.out(`  ${printable(gate.replaceAll('_', ' ').padEnd(width))}  ${printable(sentence)}\n`);
  }
  if (failures.length > 0) terminal.out(`\n${table(FAILURE_COLUMNS, failures, terminal)}`);
}

async function explain(given: string, options: ClientOptions): Promise<void> {
  const { client, terminal, json } = contextOf(options);
  const id = await findTask(client, given);
  const explanation = await client.call('get', '/tasks/{id}/explain', { path: { id } });
  if (json) printJson(terminal, explanation);
  else printExplanation(terminal, explanation);
}

/** `callsheet explain` */
export const explainCommand = (): Command =>
  clientCommand('explain', 'Explain the status of a task: why it waits, where it runs, or how it ended.')
    .argument('<task>', TASK_ARGUMENT_HELP)
    .action(explain);
