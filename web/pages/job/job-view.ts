import { PROGRESS_PARTS } from '../../parts/status-looks.ts';
import { choiceField, choicesField, textField } from '../../state/use-url-state.ts';

export const JOB_TABS = [
  'steps',
  'tasks',
  'timeline',
  'failures',
  'parameters',
  'environment',
  'dependencies',
  'template',
] as const;

/** View of a job page, stored in the address. `step` is a name; `frames` is the range of its selected tasks. */
export const JOB_VIEW = {
  tab: choiceField(JOB_TABS, 'steps'),
  step: textField(),
  view: choiceField(['grid', 'table'], 'grid'),
  status: choicesField(PROGRESS_PARTS),
  frames: textField(),
  sort: textField('created_at'),
  dir: choiceField(['asc', 'desc'], 'asc'),
};
