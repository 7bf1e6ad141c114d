import { parseAttemptId } from '../../src/core/ids.ts';
import type { Faults } from './options.ts';
import { quiet, type Scenario, type Stage } from './scenarios.ts';
import { storedAttempt } from './stored-attempts.ts';
import { Violation } from './violation.ts';

const SECOND_MS = 1_000;
const MINUTE_MS = 60 * SECOND_MS;
const PATIENCE_MS = 300 * SECOND_MS;
/** Longest outage of the bus that workers must survive with that patience: less than two thirds of it. */
const BUS_DOWN_MS_MAX = 150 * SECOND_MS;

/** Work that lasts as long as an outage, without any fault of a worker. */
const longWork = { taskMs: 100_000, tasksMax: 6, failures: 0, safetyMs: 900_000, isCluster: false };

/**
 * No process of a task may be killed: no outage of the service is a reason to lose work. Only a queue that preempts is one,
 * and its decision must be durable.
 */
function forbidKills({ processes, service }: Stage): void {
  processes.onKilled = (attemptId) => {
    const address = parseAttemptId(attemptId);
    const attempt = address === null ? undefined : storedAttempt(service.store.durable, address);
    if (attempt?.preemption !== undefined) return;
    throw new Violation('no outage of the service stops a task', attemptId);
  };
}

/** Kills the service and starts it after `downMs`. */
function crash(stage: Stage, downMs: number): void {
  if (!stage.service.isServing) return;
  stage.service.crash();
  stage.met();
  stage.time.after(downMs, () => {
    stage.service.start();
  });
}

/** The service is killed for up to ten minutes, and for less than a second. The bus runs. */
export const serviceDown: Scenario = {
  name: 'OUT-1',
  incident: 'the service is down for much longer than the heartbeat timeout',
  options: (drawn) => quiet(drawn, { ...longWork, reclaimAfterMs: [30_000] }),
  direct: (stage) => {
    forbidKills(stage);
    stage.again(40 * SECOND_MS, () => {
      const { random } = stage;
      crash(stage, random.pick([random.between(100, 2_000), random.between(MINUTE_MS, 10 * MINUTE_MS)]));
    });
  },
};

/** Everything that workers cannot tell from a partition: they continue for two thirds of `scheduler.reclaim_after`. */
export const patience: Scenario = {
  name: 'OUT-2',
  incident:
    'service and bus are down together, the service stalls or is cut off, with scheduler.reclaim_after',
  options: (drawn) =>
    quiet(
      drawn,
      { ...longWork, reclaimAfterMs: [PATIENCE_MS] },
      { serviceCutMs: 40_000, subscribeMs: 5_000 },
    ),
  direct: (stage) => {
    forbidKills(stage);
    const { random, service, bus, machines } = stage;
    const busOutage = (): void => {
      const downMs = random.between(SECOND_MS, BUS_DOWN_MS_MAX);
      if (!bus.isUp) return;
      stage.met();
      if (random.chance(0.5)) crash(stage, random.between(100, downMs));
      bus.crash(0, downMs, () => {
        service.connectBus();
        for (const machine of machines) machine.busIsBack();
      });
      service.disconnected();
    };
    stage.again(5 * MINUTE_MS, () => {
      const kind = random.pick(['bus', 'stall', 'cut'] as const);
      if (kind === 'bus') busOutage();
      else if (kind === 'stall') service.stall(random.between(SECOND_MS, 60 * SECOND_MS));
      else service.cut(random.between(SECOND_MS, 60 * SECOND_MS));
      stage.met();
    });
  },
};

type Outage = 'crash' | 'stall' | 'cut' | 'silent worker, then cut';

/**
 * Workers count the absence of the service as contact while it comes back, and it does not hear them after that. The next
 * service must wait for them. Each seed draws how long they may continue.
 */
const handover = (
  name: string,
  incident: string,
  changed: Partial<Parameters<typeof quiet>[1]>,
  faults: Partial<Faults>,
  kinds: readonly Outage[] = ['crash', 'crash', 'stall', 'cut', 'silent worker, then cut'],
): Scenario => ({
  name,
  incident,
  options: (drawn) =>
    quiet(
      drawn,
      { ...longWork, isCluster: drawn.isCluster, safetyMs: 500_000, ...changed },
      { subscribeMs: 20_000, serviceCutMs: 20_000, ...faults },
    ),
  direct: (stage) => {
    const { random, service, time } = stage;
    stage.again(45 * SECOND_MS, () => {
      const downMs = random.between(SECOND_MS, 60 * SECOND_MS);
      switch (random.pick(kinds)) {
        case 'crash':
          crash(stage, downMs);
          break;
        case 'stall':
          service.stall(downMs);
          break;
        case 'cut':
          service.cut(downMs);
          break;
        case 'silent worker, then cut':
          // Between the last heartbeat of the worker and the end of its fence.
          silence(stage);
          time.after(random.between(11 * SECOND_MS, 17 * SECOND_MS), () => {
            // The protocol must not depend on how soon the service notices.
            service.cut(random.between(20 * SECOND_MS, 40 * SECOND_MS), 3 * SECOND_MS, MINUTE_MS);
          });
      }
      for (let count = random.between(1, 3); count > 0; count--)
        time.after(random.between(0, downMs + 10 * SECOND_MS), () => {
          silence(stage);
        });
    });
  },
});

/** The service no longer hears a busy worker: its heartbeats are lost, or its whole connection is cut. */
function silence(stage: Stage): void {
  const { random, time } = stage;
  const machine = stage.busy();
  if (machine === null || machine.link.losesPresence) return;
  stage.met();
  const forMs = random.between(30 * SECOND_MS, 2 * MINUTE_MS);
  const isCut = random.chance(0.3) && machine.cut();
  machine.link.losesPresence = true;
  time.after(forMs, () => {
    machine.link.losesPresence = false;
    if (isCut) machine.mend();
  });
}

/** Workers are cut off around the return of the service. */
export const returningService = handover('OUT-3', 'a worker is cut off while the service returns', {}, {});

/** The replies of the bus arrive late, too. */
export const lateReplies = handover(
  'OUT-4',
  'a worker learns late that the service was absent, and is cut off',
  { reclaimAfterMs: [30_000] },
  { late: 0.35, lateMs: 22_000 },
  ['crash'],
);

/** The bus closes the connection of the service, which does not notice, while a worker is not heard. */
export const staleConnection = handover(
  'OUT-7',
  'the service is cut off without its knowledge while a worker is silent',
  { reclaimAfterMs: [30_000], jobs: 10, tasksMax: 12, taskMs: 30_000 },
  { subscribeMs: 1_000 },
  ['silent worker, then cut'],
);

/** Each start of the service waits for another time. */
export const changedPatience = handover(
  'OUT-5',
  'the service returns with another scheduler.reclaim_after',
  { reclaimAfterMs: [200_000, 30_000] },
  { drop: 0.1 },
);

/** A member of a cluster that is cut off from the service says that there is none. */
export const clusteredBus = handover(
  'OUT-6',
  'a worker is connected to another member of the cluster than the service',
  { isCluster: true, reclaimAfterMs: [30_000] },
  {},
);

/** A retry must wait for a canceled process on a silent worker for as long as a reclaim would. */
export const retriedWhileSilent = handover(
  'OUT-8',
  'tasks of a silent worker are canceled and retried',
  { reclaimAfterMs: [200_000], cancels: true, retries: true },
  { subscribeMs: 1_000 },
  ['silent worker, then cut'],
);

export const OUTAGE_SCENARIOS: readonly Scenario[] = [
  serviceDown,
  patience,
  returningService,
  lateReplies,
  changedPatience,
  clusteredBus,
  staleConnection,
  retriedWhileSilent,
];
