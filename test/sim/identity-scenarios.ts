import { parseAttemptId, type AttemptId } from '../../src/core/ids.ts';
import { keys } from '../../src/core/records/tables.ts';
import type { MachineModel } from './machine-model.ts';
import type { RunningProcess } from './running-processes.ts';
import { HEARTBEAT_TIMEOUT_MS } from './options.ts';
import { quiet, type Scenario, type Stage } from './scenarios.ts';
import { Violation } from './violation.ts';

const SECOND_MS = 1_000;
/** Time in which the tasks of a revoked worker are returned: its silence is noticed, and the service waits before that. */
const RETURNED_MS = 90_000;

/** A task that runs on another machine, or null. */
function prey({ processes, random }: Stage, hostile: MachineModel): RunningProcess | null {
  const others = processes.all.filter(({ machine }) => machine !== hostile.spec.name);
  return others.length === 0 ? null : random.pick(others);
}

const machineOf = ({ machines }: Stage, name: string): MachineModel => {
  const found = machines.find(({ spec }) => spec.name === name);
  if (found === undefined) throw new Error(`there is no machine ${name}`);
  return found;
};

/** Publishes what only the worker of the task may send, with the credential of another worker. */
function forge(stage: Stage, hostile: MachineModel, { taskId, attemptId, machine }: RunningProcess): void {
  const { bus, random, service } = stage;
  const worker_id = machineOf(stage, machine).workerId;
  const { link } = hostile;
  const record = service.store.get('worker', keys.worker(worker_id));
  const self = { v: 1, worker_id, farm_id: record?.farmId, incarnation: record?.incarnation };
  const reply_to = `_INBOX.${hostile.workerId}.forged.1`;
  switch (random.pick(['end', 'heartbeat', 'departure', 'lease'] as const)) {
    case 'end': {
      const end = { status: 'succeeded', exit_code: 0, timestamp: '2026-01-01T00:00:00Z', session_id: 'x1' };
      bus.publish(link, 'status', { v: 1, task_id: taskId, attempt_id: attemptId, worker_id, ...end });
      return;
    }
    case 'heartbeat':
      bus.publish(link, 'presence', { ...self, type: 'heartbeat', open_attempts: [], reply_to });
      return;
    case 'departure':
      bus.publish(link, 'presence', { ...self, type: 'deregister', reply_to });
      return;
    case 'lease':
      bus.core(link, bus.serviceLink, self, (message) => {
        if (service.isServing) service.onLeaseRequest('_any', message, reply_to, link.worker);
      });
  }
}

/** A worker cancels only what the service has closed, and no client of these farms cancels. */
function checkCancels({ bus }: Stage, from: number): number {
  for (const text of bus.statusHistory.slice(from)) {
    const { status, attempt_id: attempt } = JSON.parse(text) as Record<string, unknown>;
    if (status === 'canceled')
      throw new Violation('a forged cancel changes nothing', `${String(attempt)} was canceled`);
  }
  return bus.statusHistory.length;
}

/** A forged end changes nothing: a task whose process runs on has not succeeded. */
function checkEnds({ processes, service }: Stage): void {
  for (const { attemptId } of processes.all) {
    const address = parseAttemptId(attemptId);
    const row =
      address === null
        ? undefined
        : service.store.get('attempt', keys.attempt(address, address.attemptNumber));
    if (row?.status === 'succeeded')
      throw new Violation('a forged end changes nothing', `${attemptId} has succeeded while it runs`);
  }
}

/** A revoked worker gets no lease, and the service takes its tasks back. */
function checkRevoked(
  { machines, service, time, credentials }: Stage,
  since: ReadonlyMap<string, number>,
): void {
  for (const machine of machines) {
    const at = since.get(machine.spec.name);
    const isValid = credentials?.isValid(machine.workerId) === true;
    if (at === undefined || isValid || time.now - at < RETURNED_MS) continue;
    const held: readonly { readonly attemptId: AttemptId }[] =
      service.store.get('booking', keys.booking(machine.workerId))?.bookings ?? [];
    if (held.length > 0)
      throw new Violation(
        'a revoked worker has no tasks',
        `${machine.spec.name} has ${held.map(({ attemptId }) => attemptId).join(', ')}`,
      );
  }
}

const OPTIONS = {
  isAuthenticated: true,
  reclaimAfterMs: [HEARTBEAT_TIMEOUT_MS],
  failures: 0,
  safetyMs: 300_000,
} as const;

/** T22: the credential of a worker is revoked in the middle of its work, or renewed. */
export const revokedWorker: Scenario = {
  name: 'ID-1',
  incident: 'the credential of a worker is revoked or renewed while its tasks run',
  options: (drawn) => quiet(drawn, { ...OPTIONS, taskMs: 30_000, tasksMax: 12 }),
  direct: (stage) => {
    const { random, time, credentials } = stage;
    const revokedAt = new Map<string, number>();
    stage.again(25 * SECOND_MS, () => {
      const machine = stage.busy();
      if (machine === null || credentials?.isValid(machine.workerId) !== true) return;
      if (random.chance(0.3)) {
        credentials?.renew(machine.workerId);
        return;
      }
      stage.met();
      machine.revoke();
      revokedAt.set(machine.spec.name, time.now);
      if (random.chance(0.5))
        time.after(random.between(SECOND_MS, 200 * SECOND_MS), () => {
          machine.rejoin();
        });
    });
    stage.again(SECOND_MS, () => {
      checkRevoked(stage, revokedAt);
    });
  },
};

/** T20, T21: a worker with a valid credential sends what only others may send. */
export const hostileWorker: Scenario = {
  name: 'ID-2',
  incident: 'a worker with a valid credential forges cancels, ends, presence and lease requests of others',
  options: (drawn) => quiet(drawn, { ...OPTIONS, taskMs: 20_000, tasksMax: 12 }),
  direct: (stage) => {
    let checked = 0;
    stage.again(2 * SECOND_MS, () => {
      const hostile = stage.random.pick(stage.machines);
      const task = prey(stage, hostile);
      if (task === null) return;
      stage.met();
      const { taskId: task_id, attemptId: attempt_id, machine } = task;
      if (stage.random.chance(0.5)) forge(stage, hostile, task);
      else machineOf(stage, machine).onCancel({ v: 1, task_id, attempt_id, reason: 'forged' });
    });
    stage.again(SECOND_MS, () => {
      checked = checkCancels(stage, checked);
      checkEnds(stage);
    });
  },
};

export const IDENTITY_SCENARIOS: readonly Scenario[] = [revokedWorker, hostileWorker];
