import type { WorkerId } from '../../../src/core/ids.ts';
import type { ActionEnd, OutputBatch } from '../../../src/core/ports/task-processes.ts';
import type { Assignment, StepAssignment } from '../../../src/core/wire/bus-messages.ts';

/** A session: one attempt from its assignment to its report. Id: attempt id. */
export type SessionMessage =
  /** From the poller. */
  | {
      readonly type: 'session.begin';
      readonly assignment: Assignment;
      readonly step: StepAssignment;
      readonly workerId: WorkerId;
    }
  /** From the processes: the directory and the guard are there, or why not. */
  | { readonly type: 'session.opened'; readonly failure: string | null }
  | { readonly type: 'action.started'; readonly run: number }
  | { readonly type: 'action.output'; readonly run: number; readonly batch: OutputBatch }
  | { readonly type: 'action.ended'; readonly run: number; readonly end: ActionEnd }
  /** From the processes: nothing of the session runs any more. */
  | { readonly type: 'session.closed' }
  /** Own timer: the action's timeout has passed. */
  | { readonly type: 'action.overdue'; readonly run: number }
  /** Own timer: the action was asked to end and has not. */
  | { readonly type: 'action.kill-due'; readonly run: number }
  /** From the bus: the service wants the attempt to be canceled. */
  | { readonly type: 'session.cancel'; readonly reason: string }
  /** From the registrar: the service has closed the attempt. */
  | { readonly type: 'session.void' }
  /** From the registrar: stop; the attempt is given back. */
  | { readonly type: 'session.interrupt'; readonly graceMs: number }
  /** From the shipper: every line is on the bus. */
  | { readonly type: 'logs.drained' }
  /** Own timer: the report waits no longer for the logs. */
  | { readonly type: 'logs.overdue' };
