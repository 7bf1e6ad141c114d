import type { WorkerId } from '../ids.ts';

/**
 * Who may use which subjects of the bus (docs/bus-identity.md). The managed server, the credentials of workers
 * and `callsheet bus permissions` are all derived from these lists.
 */

/** Subjects that a user may publish to and subscribe to. Everything else is refused. */
export interface SubjectPermissions {
  readonly publish: readonly string[];
  readonly subscribe: readonly string[];
}

const CANCEL_LOOK_UP = '$JS.API.DIRECT.GET.CALLSHEET_CANCEL';

/** Largest number of subscriptions of one worker: its inbox, and one for each task that it runs. */
export const WORKER_SUBSCRIPTIONS_MAX = 100_000;

/** Permissions of the credential of one worker. Each subject names the worker. */
export const workerPermissions = (worker: WorkerId): SubjectPermissions => ({
  publish: [
    `work.lease.*.${worker}`,
    `task.status.*.${worker}`,
    `task.logs.*.${worker}`,
    `worker.register.${worker}`,
    `worker.heartbeat.${worker}`,
    `worker.deregister.${worker}`,
    `worker.diag.${worker}`,
    `worker.renew.${worker}`,
    'service.present.*',
    `${CANCEL_LOOK_UP}.task.cancel.*.${worker}`,
  ],
  subscribe: [`_INBOX.${worker}.>`, `task.cancel.*.${worker}`, 'service.owner'],
});

/** Permissions of the JWT in a join token: the exchange of this token, and nothing else. */
export const joinerPermissions = (tokenId: string): SubjectPermissions => ({
  publish: [`service.join.${tokenId}`],
  subscribe: [`_INBOX.${tokenId}.>`],
});

/**
 * Permissions of a client without credentials on a bus without authentication: what a worker of the contract needs
 * (docs/contract/bus.md). An inbox has exactly two tokens after its prefix, as those of requests of the NATS clients: the
 * server accepts a subscription to `_INBOX.>` where `_INBOX.*` is allowed.
 */
export const ANONYMOUS_PERMISSIONS: SubjectPermissions = {
  publish: [
    'work.lease.*',
    'task.status.*',
    'task.logs.*',
    'worker.register',
    'worker.heartbeat',
    'worker.deregister',
    'worker.diag.*',
    'service.present.*',
    CANCEL_LOOK_UP,
    `${CANCEL_LOOK_UP}.task.cancel.*`,
  ],
  subscribe: ['_INBOX.*.*', 'task.cancel.*', 'service.owner'],
};

/**
 * Subjects that the account of the streams offers to the account of the workers. Stored messages get their
 * acknowledgement through them; the API of the streams stays out of reach.
 */
export const storedSubjects = (isScoped: boolean): readonly string[] => {
  const worker = isScoped ? '.*' : '';
  return [
    `task.status.*${worker}`,
    `task.logs.*${worker}`,
    `task.cancel.*${worker}`,
    `worker.register${worker}`,
    `worker.heartbeat${worker}`,
    `worker.deregister${worker}`,
    `${CANCEL_LOOK_UP}.task.cancel.*${worker}`,
    ...(isScoped ? [] : [CANCEL_LOOK_UP]),
  ];
};

/** Subjects of the account of the workers that the account of the streams listens to. */
export const DIAGNOSTIC_SUBJECT = 'worker.diag.*';
