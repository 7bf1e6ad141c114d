import type { Worker, WorkerBulk } from '../../../client/resources.ts';
import { disabledReasonForRows } from '../../parts/data-table/bulk-target.ts';
import { counted } from '../../parts/number-text.ts';

/** An action on one or many workers. */
export type WorkerAction = WorkerBulk['action'];

export const WORKER_ACTIONS: readonly WorkerAction[] = ['disable', 'enable', 'delete'];

interface ActionLabels {
  /** Label of a button: "Disable". */
  readonly label: string;
  /** Participle of the result: "disabled" in "3 workers disabled". */
  readonly done: string;
  /** The consequences, shown before the action is applied to several workers. */
  readonly consequences: string;
}

export const ACTION_LABELS: Readonly<Record<WorkerAction, ActionLabels>> = {
  disable: {
    label: 'Disable',
    done: 'disabled',
    consequences:
      'The workers take no new tasks and finish their current ones. They stay disabled until you enable them.',
  },
  enable: {
    label: 'Enable',
    done: 'enabled',
    consequences: 'They take tasks again after their next heartbeat.',
  },
  delete: {
    label: 'Delete',
    done: 'deleted',
    consequences:
      'Deletes the workers and their failure counts, and revokes their credentials. A worker that is still running registers again as a new worker; one that has joined with a token needs a new token.',
  },
};

type JudgedWorker = Pick<Worker, 'status'>;

/** Returns why an action does not fit the current state of a worker (http/openapi/openapi.yaml); empty if it fits. */
export function disabledReason(action: WorkerAction, { status }: JudgedWorker): string {
  switch (action) {
    case 'disable':
      return status === 'disabled' ? 'The worker is already disabled.' : '';
    case 'enable':
      return status === 'disabled' ? '' : 'The worker is not disabled.';
    case 'delete':
      return status === 'online' ? 'The worker is online. Stop it first.' : '';
  }
}

/** Returns why an action fits none of the workers; empty if it fits one of them or the list is empty. */
export const disabledReasonForAll = (action: WorkerAction, workers: readonly JudgedWorker[]): string =>
  disabledReasonForRows(
    workers,
    (worker) => disabledReason(action, worker),
    'Not available for any of the selected workers.',
  );

/** Formats a number of workers: "3 workers". */
export const formatWorkerCount = (count: number): string => counted(count, 'worker');
