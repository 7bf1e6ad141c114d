import type { Task } from '../../client/resources.ts';

/** Formats the parameter values of a task in one line. */
export const parametersOf = ({ parameters = {} }: Task): string =>
  Object.entries(parameters)
    .map(([name, value]) => `${name}=${value}`)
    .join(' ');

/** Formats the progress and the status message that a task has reported; empty if it has reported none. */
export const progressOf = ({ progress, status_message: message = '' }: Task): string =>
  [...(progress === undefined ? [] : [`${Math.floor(progress)}%`]), message].join(' ').trim();

/** States who has skipped the task and why; undefined if nobody has. */
export const skippedBy = ({ skipped }: Task): string | undefined =>
  skipped === undefined
    ? undefined
    : `skipped by ${skipped.by}${skipped.reason === '' ? '' : `: ${skipped.reason}`}`;
