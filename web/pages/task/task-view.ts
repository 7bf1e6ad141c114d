import { choiceField, countField } from '../../state/use-url-state.ts';

/** View of the attempts and logs of a task, stored in the address. */
export const TASK_VIEW = {
  attempt: countField(),
  log: choiceField(['one', 'all', 'compare'], 'one'),
  /** The attempt that is compared with the shown one. */
  with: countField(),
};
