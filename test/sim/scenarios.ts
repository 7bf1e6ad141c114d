import type { VirtualTime } from '../../actors/kernel/virtual-time.ts';
import type { BusCredentials } from './bus-credentials.ts';
import type { BusModel } from './bus-model.ts';
import type { MachineModel } from './machine-model.ts';
import type { Faults, SimulationOptions } from './options.ts';
import { noFaults } from './options.ts';
import type { Random } from './random.ts';
import type { RunningProcesses } from './running-processes.ts';
import type { ServiceModel } from './service-model.ts';

/** Controls of a scenario. */
export interface Stage {
  readonly time: VirtualTime;
  readonly random: Random;
  readonly bus: BusModel;
  /** Null on a bus without authentication. */
  readonly credentials: BusCredentials | null;
  readonly service: ServiceModel;
  readonly processes: RunningProcesses;
  readonly machines: readonly MachineModel[];
  /** A machine on which a task runs, or null. */
  busy(): MachineModel | null;
  /** Repeats an action at about this interval, for as long as there are faults. */
  again(everyMs: number, action: () => void): void;
  /** Counts an occurrence of the scenario. */
  met(): void;
}

/**
 * An incident of another scheduler (D9 of docs/dependency-hazards.md; docs/faults.md), provoked in random farms. Faults
 * are injected at the critical moment; each seed varies the time and the other events.
 */
export interface Scenario {
  readonly name: string;
  /** The incident. */
  readonly incident: string;
  readonly options: (drawn: SimulationOptions) => SimulationOptions;
  readonly direct: (stage: Stage) => void;
}

const SECOND_MS = 1_000;

/** Options of a farm without other faults than those of the scenario. */
export function quiet(
  drawn: SimulationOptions,
  changed: Partial<Omit<SimulationOptions, 'faults'>>,
  faults: Partial<Faults> = {},
): SimulationOptions {
  return {
    ...drawn,
    farms: 1,
    // Large enough that the loss of one machine is not treated as a fault of the service.
    workers: Math.max(4, drawn.workers),
    jobs: Math.max(5, drawn.jobs),
    retentionMs: 0,
    cancels: false,
    limits: false,
    steers: false,
    retries: false,
    skips: false,
    deletes: false,
    standing: false,
    pools: false,
    ...changed,
    faults: { ...noFaults(drawn.faults), ...faults },
  };
}

/** Kills the daemon and starts a new one after a while. */
function restart(stage: Stage, machine: MachineModel, downMs: number): void {
  machine.killDaemon();
  stage.time.after(downMs, () => {
    machine.start();
  });
}

/** #2438: a frame was reassigned while its process still ran on a host that was only unreachable. */
export const releaseWithoutKill: Scenario = {
  name: 'OC-1',
  incident: 'a task is reassigned while its process runs',
  options: (drawn) => quiet(drawn, { taskMs: 100_000, tasksMax: 6, failures: 0, safetyMs: 240_000 }),
  direct: (stage) => {
    const { time, random } = stage;
    const mend = (machine: MachineModel, afterMs: number): void => {
      time.after(afterMs, () => {
        machine.mend();
      });
    };
    stage.again(15 * SECOND_MS, () => {
      const machine = stage.busy();
      if (machine === null) return;
      const awayMs = random.between(25 * SECOND_MS, 120 * SECOND_MS);
      const kind = random.pick(['cut', 'paused', 'cut, then paused'] as const);
      if (kind === 'paused') machine.pause(awayMs);
      else if (machine.cut()) mend(machine, awayMs);
      if (kind === 'cut, then paused') {
        time.after(random.between(1, 20 * SECOND_MS), () => {
          machine.pause(random.between(15 * SECOND_MS, 90 * SECOND_MS));
        });
      }
    });
    stage.service.onLog = (text) => {
      if (text.startsWith('no heartbeat for a whole timeout')) stage.met();
    };
  },
};

/** #2473: the report of an ended frame was lost, and the frame hung or was rendered again. */
const lostCompletion: Scenario = {
  name: 'OC-2',
  incident: 'the end report of a task is lost',
  options: (drawn) =>
    quiet(
      drawn,
      { taskMs: 4_000, tasksMax: 12, failures: 0 },
      { reportLoss: 0.8, ackLoss: 0.3, busCrashEveryMs: 40_000, busDownMs: 500, busLossMs: 30_000 },
    ),
  direct: (stage) => {
    const { machines, processes, random } = stage;
    // A report on a worker's disk is final: the task must not run again.
    processes.forbids = (taskId) => {
      const holder = machines.find((machine) => machine.holdsSuccessOf(taskId));
      return holder === undefined ? null : `${holder.spec.name} has its success report on disk`;
    };
    stage.again(3 * SECOND_MS, () => {
      const waiting = machines.filter((machine) => machine.unconfirmedReports > 0);
      if (waiting.length === 0) return;
      stage.met();
      restart(stage, random.pick(waiting), random.between(100, 8 * SECOND_MS));
    });
  },
};

/** #2441: the report of an earlier run was applied to its successor. */
export const staleCompletion: Scenario = {
  name: 'OC-3',
  incident: 'the report of an earlier attempt arrives while a later one runs',
  options: (drawn) =>
    quiet(
      drawn,
      { taskMs: 15_000, tasksMax: 6, failures: 0.3, safetyMs: 240_000 },
      { delay: 0.5, delayMs: 45_000 },
    ),
  direct: (stage) => {
    stage.again(12 * SECOND_MS, () => {
      stage.busy()?.pause(stage.random.between(28 * SECOND_MS, 70 * SECOND_MS));
    });
    stage.service.onLog = (text) => {
      if (text.startsWith('status report ignored')) stage.met();
    };
  },
};

/** #2506: a restarted host reported an unknown frame, and the scheduler believed it. */
export const restartedWorker: Scenario = {
  name: 'OC-4',
  incident: 'a cancel reaches a restarted worker',
  options: (drawn) =>
    quiet(drawn, {
      taskMs: 40_000,
      tasksMax: 6,
      failures: 0,
      cancels: true,
      retries: true,
      clientMs: 1_000,
      safetyMs: 180_000,
    }),
  direct: (stage) => {
    const { random, service, machines } = stage;
    stage.again(6 * SECOND_MS, () => {
      const machine = stage.busy();
      if (machine !== null) restart(stage, machine, random.between(50, 40 * SECOND_MS));
    });
    const deliver = service.onCancel;
    service.onCancel = (message) => {
      if (machines.some((machine) => !machine.isUp)) stage.met();
      deliver?.(message);
    };
  },
};

/** #2508: the result of a launch was unknown, and the frame was launched again. */
const unknownLaunch: Scenario = {
  name: 'OC-5',
  incident: 'it is unknown whether a task has started',
  options: (drawn) =>
    quiet(
      drawn,
      { taskMs: 30_000, tasksMax: 6, failures: 0, safetyMs: 180_000 },
      { drop: 0.2, double: 0.5, late: 0.5, lateMs: 40_000, reportLoss: 0.5 },
    ),
  direct: (stage) => {
    const { random, processes, machines, time } = stage;
    processes.onStarted = (name) => {
      if (!random.chance(0.3)) return;
      stage.met();
      time.after(random.between(0, 30), () => {
        const machine = machines.find(({ spec }) => spec.name === name);
        if (machine !== undefined) restart(stage, machine, random.between(100, 40 * SECOND_MS));
      });
    };
  },
};

/** #2510: a failed read was treated as a missing frame. */
const failedRead: Scenario = {
  name: 'OC-6',
  incident: 'the store cannot be read, which does not mean that it is empty',
  options: (drawn) =>
    quiet(drawn, { taskMs: 8_000, tasksMax: 12, retries: true, cancels: true }, { readErrors: 0.02 }),
  direct: (stage) => {
    stage.service.onReadError = () => {
      stage.met();
    };
  },
};

export const SCENARIOS: readonly Scenario[] = [
  releaseWithoutKill,
  lostCompletion,
  staleCompletion,
  restartedWorker,
  unknownLaunch,
  failedRead,
];
