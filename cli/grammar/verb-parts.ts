import type { Command } from 'commander';
import type { VerbArgument } from './verb.ts';

/** Options of a verb that asks for confirmation. */
export interface ConfirmOptions {
  readonly yes?: boolean;
}

/** Adds the option that skips the confirmation. */
export const confirmable = (command: Command): Command =>
  command.option('--yes', 'do not ask for confirmation');

/** Returns an argument that selects an entry with a name and an id. */
export const entryArgument = (noun: string, what = noun): VerbArgument => ({
  name: `<${noun}>`,
  help: `the ${what}, by id, by the beginning of its id, or by name`,
});

export const JOB_ARGUMENT = entryArgument('job');

export const TASK_ARGUMENT: VerbArgument = {
  name: '<task>',
  help: 'the task, by id, or JOB/STEP/INDEX with the index in the step from 0',
};
