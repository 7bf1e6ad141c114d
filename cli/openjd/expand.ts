import { openSpace } from '../../src/openjd/template/space/open-space.ts';
import type { StepPlan } from '../../src/openjd/template/plan.ts';
import { readTemplateFile } from '../submission/template-file.ts';
import { painted, printable, processTerminal, type Terminal } from '../terminal/terminal.ts';
import { printFarmNotes } from './extensions-option.ts';
import { MAX_LISTED_TASKS } from './listing-limits.ts';
import { optionsFor } from './options-for.ts';
import { environmentsOf, prepareFile, readFile } from './prepare-file.ts';

/** `callsheet openjd expand TEMPLATE`: prints the tasks of each step in order, up to a limit. */
export async function expandCommandOf(
  path: string,
  values: ReadonlyMap<string, string>,
  environmentPaths: readonly string[],
  extensions: string | undefined,
): Promise<void> {
  const terminal = processTerminal();
  const file = await readTemplateFile(path);
  const document = readFile(file, terminal);
  const options = await optionsFor(document, extensions, environmentPaths.length > 0);
  const environments = await environmentsOf(environmentPaths, options, terminal);
  const { plan, farmNotes } = prepareFile(file, document, values, options, environments, terminal);
  printFarmNotes(farmNotes, terminal);
  terminal.out(`${printable(plan.jobName)}\n`);
  let left = MAX_LISTED_TASKS;
  for (const step of plan.steps) left -= printStep(step, left, terminal);
}

/** Prints a step and at most `most` of its tasks. Returns the number of printed tasks. */
function printStep(step: StepPlan, most: number, terminal: Terminal): number {
  const count = step.taskCount === 1 ? '1 task' : `${step.taskCount} tasks`;
  terminal.out(`${painted(printable(step.name), 'cyan', terminal.colors)}: ${count}\n`);
  const space = openSpace(step.space);
  const listed = Math.min(step.taskCount, most);
  const names = step.taskParameters.map(({ name }) => name);
  const width = String(listed - 1).length;
  const lines: string[] = [];
  for (let index = 0; index < listed; index++) {
    const point = space.at(index);
    const pairs = names.map((name) => `${name}=${shownValue(point[name] ?? '')}`);
    lines.push(`  ${String(index).padStart(width)}  ${pairs.join('  ')}`.trimEnd());
  }
  if (listed < step.taskCount) lines.push(`  ... ${step.taskCount - listed} more, not listed`);
  terminal.out(lines.map((line) => `${line}\n`).join(''));
  return listed;
}

/** Formats a value, in quotes if it would be ambiguous without them. */
const shownValue = (value: string): string =>
  /^[^\s"=\p{Cc}]+$/u.test(value) ? value : printable(JSON.stringify(value));
