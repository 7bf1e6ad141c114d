import type { RunAs } from '../../../src/core/ports/task-processes.ts';
import type { StepAssignment } from '../../../src/core/wire/bus-messages.ts';

/** Returns the account of the step's tasks, or null for the worker's own. */
export const runAsOf = ({ isolation }: StepAssignment): RunAs | null =>
  isolation === undefined ? null : { user: isolation.user, group: isolation.group ?? null };
