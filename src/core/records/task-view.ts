import type { StepRecord } from './step.ts';
import { readTask, untouchedTask, type TaskState } from './task-page.ts';

/** What is known of a task without a row of its own: its name and its state in force. */
const MAX_NAME_CHARACTERS = 200;

/**
 * The name of a task: its step's name and, when it has parameters, their values: `render [Frame=1, Layer=hair]`. Cut
 * to 200 characters.
 */
export function taskName(stepName: string, parameters: Readonly<Record<string, string>>): string {
  const values = Object.entries(parameters).map(([name, value]) => `${name}=${value}`);
  return cut(values.length === 0 ? stepName : `${stepName} [${values.join(', ')}]`);
}

function cut(text: string): string {
  // No text has more characters than code units.
  if (text.length <= MAX_NAME_CHARACTERS) return text;
  const characters = [...text];
  return characters.length <= MAX_NAME_CHARACTERS
    ? text
    : `${characters.slice(0, MAX_NAME_CHARACTERS - 1).join('')}…`;
}

/** The state of the task at `index` of a step. `page` is the page of that index, if there is one. */
export function taskStateOf(step: StepRecord, page: Uint8Array | undefined, index: number): TaskState {
  const packed = page === undefined ? null : readTask(page, index);
  return packed ?? untouchedTask(step.untouched.status, step.untouched.updatedAt);
}
