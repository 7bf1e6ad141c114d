import type { PathMapping } from '../../../src/core/delivery/path-map.ts';
import type { AttemptId, WorkerId } from '../../../src/core/ids.ts';
import type { ActionEnd, OutputBatch } from '../../../src/core/ports/task-processes.ts';
import type { Assignment, StepAssignment } from '../../../src/core/wire/bus-messages.ts';

/** A task that a session is to run. */
export interface SessionTask {
  readonly assignment: Assignment;
  /** As the service knows the worker now. */
  readonly workerId: WorkerId;
  /** Whether no other task of the step is expected: the session then ends with this one, before its end is reported. */
  readonly isLast: boolean;
}

/** A session: the tasks of one step that run in one working directory and one set of environments, one after another. Id: session id. */
export type SessionMessage =
  /** From the poller: begin, with this task. */
  | {
      readonly type: 'session.begin';
      readonly step: StepAssignment;
      /** Where storage is found from the worker's place; null when none is. */
      readonly mapping: PathMapping | null;
      readonly task: SessionTask;
    }
  /** From the poller, to a session that has said that it is idle: the next task. */
  | { readonly type: 'session.task'; readonly task: SessionTask }
  /** From the poller: no task of the step is left beside the one that the session has. */
  | { readonly type: 'session.last' }
  /** From the poller, to a session that has said that it is idle: no other task comes. */
  | { readonly type: 'session.end' }
  /** From the poller: the service wants the attempt to be canceled. */
  | { readonly type: 'session.cancel'; readonly attemptId: AttemptId; readonly reason: string }
  /** From the poller: the service has closed the attempt. */
  | { readonly type: 'session.revoke'; readonly attemptId: AttemptId }
  /** From the poller: stop the task and exit the environments; the attempt is given back. */
  | { readonly type: 'session.stop'; readonly graceMs: number }
  /** From the poller: stop, without exits; the attempt is given back. */
  | { readonly type: 'session.interrupt'; readonly graceMs: number }
  /** From the processes: the directory and the guard are there, or why not. */
  | { readonly type: 'session.opened'; readonly failure: string | null }
  | { readonly type: 'action.started'; readonly run: number }
  | { readonly type: 'action.output'; readonly run: number; readonly batch: OutputBatch }
  | { readonly type: 'action.ended'; readonly run: number; readonly end: ActionEnd }
  /** From the staging: all is copied, or why not. */
  | { readonly type: 'staging.ended'; readonly run: number; readonly failure: string | null }
  /** From the processes: nothing of the session runs any more. */
  | { readonly type: 'session.closed' }
  /** Own timer: the action's timeout has passed. */
  | { readonly type: 'action.overdue'; readonly run: number }
  /** Own timer: the action was asked to end and has not. */
  | { readonly type: 'action.kill-due'; readonly run: number }
  /** From the shipper of the attempt: every line so far is on the bus. */
  | { readonly type: 'logs.drained'; readonly attemptId: AttemptId }
  /** Own timer: the report of the attempt waits no longer for its logs. */
  | { readonly type: 'logs.overdue'; readonly attemptId: AttemptId };
