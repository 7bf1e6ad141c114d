import type { PathMapping } from '../../../src/core/delivery/path-map.ts';
import type { AttemptId, WorkerId } from '../../../src/core/ids.ts';
import type { ActionEnd, OutputBatch } from '../../../src/core/ports/task-processes.ts';
import type { ResourceUsage } from '../../../src/core/resource-usage.ts';
import type { Assignment, StepAssignment } from '../../../src/core/wire/bus-messages.ts';

/** A task for a session. */
export interface SessionTask {
  readonly assignment: Assignment;
  /** The worker's current id at the service. */
  readonly workerId: WorkerId;
  /**
   * Whether no other task of the step is expected. The session then ends with this task, before its end is reported.
   */
  readonly isLast: boolean;
}

/**
 * Messages of a session: the tasks of one step that run one after another in one working directory and one set of
 * environments. Id: session id.
 */
export type SessionMessage =
  /** From the poller: start with this task. */
  | {
      readonly type: 'session.begin';
      readonly step: StepAssignment;
      /** Path mapping of the worker's compute location, or null. */
      readonly mapping: PathMapping | null;
      readonly task: SessionTask;
    }
  /** From the poller, to an idle session: the next task. */
  | { readonly type: 'session.task'; readonly task: SessionTask }
  /** From the poller: the step has no tasks besides the current one. */
  | { readonly type: 'session.last' }
  /** From the poller, to an idle session: end, no task follows. */
  | { readonly type: 'session.end' }
  /** From the poller: the service has canceled the attempt. */
  | { readonly type: 'session.cancel'; readonly attemptId: AttemptId; readonly reason: string }
  /** From the poller: the service has closed the attempt. */
  | { readonly type: 'session.revoke'; readonly attemptId: AttemptId }
  /** From the poller: stop the task and exit the environments. The attempt is given back. */
  | { readonly type: 'session.stop'; readonly graceMs: number }
  /** From the poller: stop without exits. The attempt is given back. */
  | { readonly type: 'session.interrupt'; readonly graceMs: number }
  /** From the process adapter: the directory and the supervisor are ready, or the reason why not. */
  | { readonly type: 'session.opened'; readonly failure: string | null }
  | { readonly type: 'action.started'; readonly run: number }
  | { readonly type: 'action.output'; readonly run: number; readonly batch: OutputBatch }
  | {
      readonly type: 'action.ended';
      readonly run: number;
      readonly end: ActionEnd;
      readonly usage?: ResourceUsage;
    }
  /** From the staging adapter: all files are copied, or the reason why not. */
  | { readonly type: 'staging.ended'; readonly run: number; readonly failure: string | null }
  /** From the process adapter: no process of the session runs any more. */
  | { readonly type: 'session.closed' }
  /** Own timer: the action's timeout has passed. */
  | { readonly type: 'action.overdue'; readonly run: number }
  /** Own timer: the action did not end after it was asked to. */
  | { readonly type: 'action.kill-due'; readonly run: number }
  /** From the shipper of the attempt: every line so far is stored on the bus or in the spool. */
  | { readonly type: 'logs.drained'; readonly attemptId: AttemptId }
  /** Own timer: the report of the attempt no longer waits for its logs. */
  | { readonly type: 'logs.overdue'; readonly attemptId: AttemptId };
