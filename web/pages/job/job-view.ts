import type { JobDetail } from '../../../client/resources.ts';
import { PROGRESS_PARTS } from '../../parts/status-looks.ts';
import { choiceField, choicesField, textField } from '../../state/use-url-state.ts';

export const JOB_TABS = [
  'steps',
  'tasks',
  'timeline',
  'failures',
  'outputs',
  'previews',
  'parameters',
  'environment',
  'dependencies',
  'template',
] as const;

type JobTab = (typeof JOB_TABS)[number];

/** Returns the tab that a job opens on: its failed tasks, the tasks while it runs, or else the steps. */
export function firstTab({ status, failure_summary: { failed_count: failed } }: JobDetail): JobTab {
  if (status === 'running') return 'tasks';
  return status === 'failed' && failed > 0 ? 'failures' : 'steps';
}

/**
 * View of a job page, stored in the address. `tab` is `auto` until one is chosen. `step` is a name; `frames` is the range of
 * its selected tasks. `task` is the id of the task that the split view shows.
 */
export const JOB_VIEW = {
  tab: choiceField([...JOB_TABS, 'auto'], 'auto'),
  step: textField(),
  view: choiceField(['grid', 'table'], 'grid'),
  status: choicesField(PROGRESS_PARTS),
  frames: textField(),
  task: textField(),
  sort: textField('created_at'),
  dir: choiceField(['asc', 'desc'], 'asc'),
};
