import type { Random } from './random.ts';

/** `scheduler.heartbeat_timeout` */
export const HEARTBEAT_TIMEOUT_MS = 30_000;

/** Memory limit of an expression at the service: more than the default of a worker. */
export const EXPR_MEMORY_BYTES = 2_000_000;

/**
 * Parameters of one seed: the size of the farm and the kinds and rates of faults. Each seed turns some faults off, so
 * that rare ones also occur alone (docs/testing.md#simulation).
 */
export interface SimulationOptions {
  readonly farms: number;
  readonly workers: number;
  readonly queues: number;
  readonly jobs: number;
  /** Maximum number of tasks of a step. */
  readonly tasksMax: number;
  /** Mean run time of a task in milliseconds. */
  readonly taskMs: number;
  /** Share of task runs that fail. */
  readonly failures: number;
  readonly unschedulableGraceMs: number;
  readonly reservationAfterMs: number;
  /** Retention of ended jobs; 0 keeps them forever. */
  readonly retentionMs: number;
  readonly retainsFailed: boolean;
  /** Length of the phase with faults, in milliseconds. */
  readonly safetyMs: number;
  /** Mean milliseconds between two client actions. */
  readonly clientMs: number;
  readonly cancels: boolean;
  readonly limits: boolean;
  /** Clients pause, resume and move jobs, and change their settings. */
  readonly steers: boolean;
  /** Clients retry failed and canceled tasks. */
  readonly retries: boolean;
  /** Clients skip tasks, and undo it. */
  readonly skips: boolean;
  /** Clients hold and release steps. */
  readonly holds: boolean;
  /** Clients that disable workers stop their tasks. */
  readonly evicts: boolean;
  /** Clients that disable workers name the time until which. */
  readonly untils: boolean;
  /** Steps have chunks with a target run time. */
  readonly chunks: boolean;
  /** Queues, jobs and usage pools have retry rules. */
  readonly rules: boolean;
  /** Farms book amounts, steps require them, and workers have GPUs. */
  readonly amounts: boolean;
  /** Farms have queue policies, and jobs several owners and projects. */
  readonly shares: boolean;
  /** Jobs and steps have caps, which clients change. */
  readonly caps: boolean;
  /** Owners and projects have caps in farms and queues, which clients change. */
  readonly groupCaps: boolean;
  /** Queues take back tasks of others. */
  readonly preempts: boolean;
  /** Farms put workers in quarantine, and one node fails all tasks. */
  readonly quarantine: boolean;
  /** Jobs try canary tasks first, and some scenes fail on all nodes. */
  readonly canaries: boolean;
  /** Farms hold what an outage shares, and there are outages. */
  readonly outages: boolean;
  /** Clients set and remove start times of jobs. */
  readonly starts: boolean;
  /** Clients delete jobs. */
  readonly deletes: boolean;
  /** Clients disable, enable and delete workers. */
  readonly standing: boolean;
  /** Steps name usage pools, and clients register, change and delete them. */
  readonly pools: boolean;
  /** All holds are lifted at the end, so all work must finish. */
  readonly lifts: boolean;
  /** `scheduler.reclaim_after` of each start of the service, in turn. */
  readonly reclaimAfterMs: readonly number[];
  /** The bus is a cluster: a member that is cut off from the service says that there is none. */
  readonly isCluster: boolean;
  /** Each worker has a credential of its own on the bus, and the service checks the sender of each message. */
  readonly isAuthenticated: boolean;
  readonly faults: Faults;
}

/** Rates are per message, between 0 and 1; intervals are means in milliseconds, 0 for never. */
export interface Faults {
  readonly serviceCrashEveryMs: number;
  readonly serviceDownMs: number;
  readonly serviceStallEveryMs: number;
  readonly serviceStallMs: number;
  readonly clockJumpEveryMs: number;
  /** Longest time until a commit is durable. */
  readonly flushMs: number;
  /** Longest time until durable data is readable. */
  readonly readMs: number;
  readonly busCrashEveryMs: number;
  readonly busDownMs: number;
  /** Duration of the latest messages that a bus crash loses. */
  readonly busLossMs: number;
  readonly drop: number;
  readonly double: number;
  readonly delay: number;
  readonly delayMs: number;
  /** Share of status reports that do not reach the bus. */
  readonly reportLoss: number;
  /** Share of core messages that arrive up to `lateMs` late. */
  readonly late: number;
  readonly lateMs: number;
  readonly ackLoss: number;
  readonly partitionEveryMs: number;
  readonly partitionMs: number;
  readonly daemonKillEveryMs: number;
  readonly daemonPauseEveryMs: number;
  readonly daemonPauseMs: number;
  readonly rebootEveryMs: number;
  /** Share of reboots after which the worker's disk is empty. */
  readonly wipes: number;
  readonly departEveryMs: number;
  /** Share of reads of the store that fail. */
  readonly readErrors: number;
  /** Interval and length of cuts between the service and the bus. Each end detects them by itself. */
  readonly serviceCutEveryMs: number;
  readonly serviceCutMs: number;
  /** Interval in which the credential of a worker is revoked or renewed, on a bus with authentication. */
  readonly credentialEveryMs: number;
  /** Longest time until the bus has processed the subscriptions of the service. */
  readonly subscribeMs: number;
}

/**
 * Faults that have an effect only together with others of their kind and with long tasks. Some seeds have one of these
 * themes and no other faults.
 */
const THEMES: readonly ((random: Random) => Partial<Faults>)[] = [
  (random) => ({
    partitionEveryMs: random.between(4_000, 15_000),
    partitionMs: random.pick([30_000, 60_000]),
  }),
  (random) => ({
    late: random.next(),
    lateMs: 40_000,
    reportLoss: random.next(),
    delay: 0.3,
    delayMs: 40_000,
  }),
  (random) => ({
    daemonPauseEveryMs: random.between(4_000, 15_000),
    daemonPauseMs: random.pick([20_000, 50_000]),
  }),
  (random) => ({
    partitionEveryMs: random.between(4_000, 15_000),
    partitionMs: 60_000,
    daemonPauseEveryMs: random.between(4_000, 15_000),
    daemonPauseMs: 40_000,
  }),
  (random) => ({
    daemonKillEveryMs: random.between(4_000, 20_000),
    rebootEveryMs: random.between(10_000, 40_000),
    departEveryMs: random.between(10_000, 40_000),
  }),
  (random) => ({
    serviceCrashEveryMs: random.between(1_000, 15_000),
    flushMs: 400,
    double: 0.2,
    ackLoss: 0.3,
  }),
];
const THEME_SHARE = 0.4;
const THEME_ACTIVITY = 0.3;
const LONG_TASK_MS = 100_000;

/** Fewer tasks if they are long: hours of virtual time show little more than minutes. */
function tasksMaxOf(taskMs: number): readonly number[] {
  if (taskMs > 20_000) return [2, 3, 6];
  return taskMs > 5_000 ? [2, 5, 12] : [2, 5, 12, 40];
}

/** Draws the options of a seed. */
export function drawOptions(random: Random): SimulationOptions {
  const share = random.pick([0.15, 0.3, 0.6]);
  const isOn = (): boolean => random.chance(share);
  const every = (fromMs: number, toMs: number): number => (isOn() ? random.between(fromMs, toMs) : 0);
  const rate = (max: number): number => (isOn() ? random.next() * max : 0);
  const isGentle = random.chance(0.1);
  const drawn: Faults = {
    serviceCrashEveryMs: every(3_000, 60_000),
    serviceDownMs: random.pick([200, 3_000, 25_000, 50_000]),
    serviceStallEveryMs: every(20_000, 90_000),
    serviceStallMs: random.pick([2_000, 8_000, 40_000]),
    clockJumpEveryMs: every(20_000, 120_000),
    flushMs: random.pick([5, 30, 400]),
    readMs: random.pick([3, 30, 400, 3_000]),
    busCrashEveryMs: every(10_000, 90_000),
    busDownMs: random.pick([500, 5_000, 25_000]),
    busLossMs: random.pick([0, 2_000, 60_000]),
    drop: rate(0.2),
    double: rate(0.2),
    delay: rate(0.3),
    delayMs: random.pick([500, 12_000, 45_000]),
    reportLoss: rate(0.6),
    late: rate(0.6),
    lateMs: random.pick([15_000, 40_000]),
    ackLoss: rate(0.2),
    partitionEveryMs: every(3_000, 30_000),
    partitionMs: random.pick([5_000, 40_000, 60_000]),
    daemonKillEveryMs: every(10_000, 60_000),
    daemonPauseEveryMs: every(5_000, 40_000),
    daemonPauseMs: random.pick([3_000, 25_000, 60_000]),
    rebootEveryMs: every(20_000, 90_000),
    wipes: random.chance(0.3) ? 0.5 : 0,
    departEveryMs: every(20_000, 120_000),
    readErrors: 0,
    serviceCutEveryMs: 0,
    serviceCutMs: 0,
    credentialEveryMs: 0,
    subscribeMs: 50,
  };
  const theme = random.chance(THEME_SHARE) ? random.pick(THEMES) : null;
  const taskMs =
    theme === null ? random.pick([50, 2_000, 8_000, 30_000]) : random.pick([2_000, LONG_TASK_MS]);
  // Other client actions would hide the effect of a theme.
  const isActive = (share: number): boolean => random.chance(theme === null ? share : share * THEME_ACTIVITY);
  return {
    farms: random.chance(0.15) ? 2 : 1,
    workers: theme === null ? random.between(1, 6) : random.between(3, 6),
    queues: random.between(1, 3),
    jobs: random.between(3, 10),
    tasksMax: random.pick(tasksMaxOf(taskMs)),
    taskMs,
    failures: random.chance(0.6) ? random.next() * 0.4 : 0,
    unschedulableGraceMs: random.pick([30_000, 5_000, 5_000, 0]),
    retentionMs: random.pick([0, 0, 0, 10_000, 60_000]),
    retainsFailed: random.chance(0.5),
    reservationAfterMs: random.pick([300_000, 30_000, 10_000, 0]),
    safetyMs: random.between(60_000, 240_000),
    clientMs: random.between(300, 4_000),
    cancels: isActive(0.6),
    limits: isActive(0.6),
    steers: isActive(0.5),
    retries: isActive(0.5),
    skips: false,
    holds: false,
    starts: false,
    evicts: false,
    untils: false,
    chunks: false,
    rules: false,
    amounts: false,
    shares: false,
    caps: false,
    groupCaps: false,
    preempts: false,
    quarantine: false,
    canaries: false,
    outages: false,
    deletes: isActive(0.4),
    standing: isActive(0.4),
    pools: isActive(0.4),
    lifts: random.chance(0.5),
    reclaimAfterMs: [HEARTBEAT_TIMEOUT_MS],
    isCluster: false,
    isAuthenticated: false,
    faults: theme !== null ? { ...noFaults(drawn), ...theme(random) } : isGentle ? noFaults(drawn) : drawn,
  };
}

/** Returns the options with every fault turned off. */
export function noFaults(drawn: Faults): Faults {
  return {
    ...drawn,
    serviceCrashEveryMs: 0,
    serviceStallEveryMs: 0,
    clockJumpEveryMs: 0,
    busCrashEveryMs: 0,
    drop: 0,
    double: 0,
    delay: 0,
    reportLoss: 0,
    late: 0,
    ackLoss: 0,
    partitionEveryMs: 0,
    daemonKillEveryMs: 0,
    daemonPauseEveryMs: 0,
    rebootEveryMs: 0,
    departEveryMs: 0,
    readErrors: 0,
    serviceCutEveryMs: 0,
    credentialEveryMs: 0,
  };
}

/** Returns the options for a bus with authentication on which credentials are revoked and renewed. */
export const withBusAuthentication = (drawn: SimulationOptions): SimulationOptions => ({
  ...drawn,
  isAuthenticated: true,
  faults: { ...drawn.faults, credentialEveryMs: CREDENTIAL_EVERY_MS },
});

const CREDENTIAL_EVERY_MS = 20_000;

/** Share of seeds with outages in addition to the other faults. */
const OUTAGE_SHARE = 0.4;

/**
 * Adds outages of the service and of its connection to the bus, and longer times until tasks are reclaimed. Drawn
 * separately, so that the other options of a seed stay the same.
 */
export function drawOutages(drawn: SimulationOptions, random: Random): SimulationOptions {
  if (!random.chance(OUTAGE_SHARE)) return drawn;
  return {
    ...drawn,
    reclaimAfterMs: random.pick(RECLAIM_TIMES_MS),
    isCluster: random.chance(0.2),
    faults: {
      ...drawn.faults,
      serviceCutEveryMs: random.chance(0.5) ? random.between(10_000, 60_000) : 0,
      serviceCutMs: random.pick([2_000, 15_000, 40_000]),
      subscribeMs: random.pick([50, 50, 5_000, 15_000]),
    },
  };
}

/** Share of seeds with each of the further client actions. */
const CONTROL_SHARE = 0.3;

/** Adds further actions of clients. Drawn separately, so that the other options of a seed stay the same. */
export const drawControls = (drawn: SimulationOptions, random: Random): SimulationOptions => ({
  ...drawn,
  skips: random.chance(CONTROL_SHARE),
  holds: random.chance(CONTROL_SHARE),
  starts: random.chance(CONTROL_SHARE),
  evicts: random.chance(CONTROL_SHARE),
});

/** Share of seeds whose clients disable workers until a time. */
const UNTILS_SHARE = 0.4;

/** Disables workers until a time. Drawn separately, so that the other options of a seed stay the same. */
export const drawUntils = (drawn: SimulationOptions, random: Random): SimulationOptions => ({
  ...drawn,
  untils: random.chance(UNTILS_SHARE),
});

/** Share of seeds whose steps have chunks with a target run time. */
const CHUNKS_SHARE = 0.25;

/** Gives the steps chunks. Drawn separately, so that the other options of a seed stay the same. */
export const drawChunks = (drawn: SimulationOptions, random: Random): SimulationOptions => ({
  ...drawn,
  chunks: random.chance(CHUNKS_SHARE),
});

/** Share of seeds with retry rules. */
const RULES_SHARE = 0.25;
const RULE_FAILURES = 0.3;

/** Gives queues, jobs and pools retry rules. Drawn separately, so that the other options of a seed stay the same. */
export function drawRules(drawn: SimulationOptions, random: Random): SimulationOptions {
  if (!random.chance(RULES_SHARE)) return drawn;
  return { ...drawn, rules: true, pools: true, failures: Math.max(drawn.failures, RULE_FAILURES) };
}
/** Share of seeds whose farms book amounts. */
const AMOUNTS_SHARE = 0.3;

/** Lets the farms book amounts. Drawn separately, so that the other options of a seed stay the same. */
export const drawAmounts = (drawn: SimulationOptions, random: Random): SimulationOptions => ({
  ...drawn,
  amounts: random.chance(AMOUNTS_SHARE),
});

/** Share of seeds whose farms are shared. */
const SHARED_SHARE = 0.25;

/** Lets the farms be shared. Drawn separately, so that the other options of a seed stay the same. */
export const drawShares = (drawn: SimulationOptions, random: Random): SimulationOptions => ({
  ...drawn,
  shares: random.chance(SHARED_SHARE),
});

/** Share of seeds with caps. */
const CAPS_SHARE = 0.25;

/** Gives jobs and steps caps. Drawn separately, so that the other options of a seed stay the same. */
export const drawCaps = (drawn: SimulationOptions, random: Random): SimulationOptions => ({
  ...drawn,
  caps: random.chance(CAPS_SHARE),
});

/** Share of seeds with caps of owners and projects. */
const GROUP_CAPS_SHARE = 0.25;

/** Gives owners and projects caps. Drawn separately, so that the other options of a seed stay the same. */
export const drawGroupCaps = (drawn: SimulationOptions, random: Random): SimulationOptions => ({
  ...drawn,
  groupCaps: random.chance(GROUP_CAPS_SHARE),
});

/** Share of seeds whose queues take back tasks. */
const PREEMPTS_SHARE = 0.25;
const PREEMPTING_QUEUES_MIN = 2;

/** Lets queues take back tasks. Drawn separately, so that the other options of a seed stay the same. */
export function drawPreemption(drawn: SimulationOptions, random: Random): SimulationOptions {
  if (!random.chance(PREEMPTS_SHARE)) return drawn;
  return { ...drawn, preempts: true, queues: Math.max(PREEMPTING_QUEUES_MIN, drawn.queues) };
}

/** Share of seeds with guards against common causes, and with each of them. */
const GUARDED_SHARE = 0.3;
const GUARD_SHARE = 0.6;

/**
 * Gives the farms guards against common causes of failures, and these causes. Drawn separately, so that the other options
 * of a seed stay the same.
 */
export function drawGuards(drawn: SimulationOptions, random: Random): SimulationOptions {
  if (!random.chance(GUARDED_SHARE)) return drawn;
  return {
    ...drawn,
    quarantine: random.chance(GUARD_SHARE),
    canaries: random.chance(GUARD_SHARE),
    outages: random.chance(GUARD_SHARE),
  };
}

/** Returns the options with all guards, in farms with enough workers and jobs for them. */
export const withAllGuards = (drawn: SimulationOptions): SimulationOptions => ({
  ...drawn,
  quarantine: true,
  canaries: true,
  outages: true,
  workers: Math.max(GUARDED_WORKERS_MIN, drawn.workers),
  jobs: Math.max(GUARDED_JOBS_MIN, drawn.jobs),
});

const GUARDED_WORKERS_MIN = 4;
const GUARDED_JOBS_MIN = 6;

const RECLAIM_TIMES_MS = [
  [HEARTBEAT_TIMEOUT_MS],
  [90_000],
  [300_000],
  [120_000, HEARTBEAT_TIMEOUT_MS],
  [HEARTBEAT_TIMEOUT_MS, 200_000, 60_000],
];
