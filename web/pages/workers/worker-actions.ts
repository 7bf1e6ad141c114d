import type { Worker, WorkerBulk } from '../../../client/resources.ts';
import { disabledReasonForRows } from '../../parts/data-table/bulk-target.ts';
import { counted } from '../../parts/number-text.ts';

/** What can be done to workers, one or many. */
export type WorkerAction = WorkerBulk['action'];

export const WORKER_ACTIONS: readonly WorkerAction[] = ['disable', 'enable', 'delete'];

interface ActionWords {
  /** On a button: "Disable". */
  readonly label: string;
  /** "3 workers disabled". */
  readonly done: string;
  /** What it means, said before it is done to many. */
  readonly meaning: string;
}

export const ACTION_LABELS: Readonly<Record<WorkerAction, ActionWords>> = {
  disable: {
    label: 'Disable',
    done: 'disabled',
    meaning:
      'They get no more tasks, and bring to their end what they hold. They stay so until they are enabled.',
  },
  enable: { label: 'Enable', done: 'enabled', meaning: 'They get tasks again as soon as they are heard.' },
  delete: {
    label: 'Delete',
    done: 'deleted',
    meaning:
      'Their entries go, with the count of their failures. A worker that is still running comes back as a new one.',
  },
};

type Judged = Pick<Worker, 'status'>;

/** Why the action makes no sense for the worker as it is (http/openapi/openapi.yaml); empty when it does. */
export function disabledReason(action: WorkerAction, { status }: Judged): string {
  switch (action) {
    case 'disable':
      return status === 'disabled' ? 'It is disabled already.' : '';
    case 'enable':
      return status === 'disabled' ? '' : 'It is not disabled.';
    case 'delete':
      return status === 'online' ? 'It is online: stop it first.' : '';
  }
}

/** Why the action makes no sense for any of the workers; empty when it does for one, or none is known. */
export const disabledReasonForAll = (action: WorkerAction, workers: readonly Judged[]): string =>
  disabledReasonForRows(
    workers,
    (worker) => disabledReason(action, worker),
    'Not for any of the selected workers.',
  );

export const workersInWords = (count: number): string => counted(count, 'worker');
