import { VirtualTime } from '../../actors/kernel/virtual-time.ts';
import { farmId, workerId } from '../../src/core/ids.ts';
import type { StoreReader } from '../../src/core/ports/store.ts';
import type { StatusMessage } from '../../src/core/wire/bus-messages.ts';
import { settingsOf, unmodifiedBuild, type Build } from './build.ts';
import { BusCredentials } from './bus-credentials.ts';
import { BusModel } from './bus-model.ts';
import { Checker } from './checker.ts';
import { CommonCauses } from './common-causes.ts';
import { ClientModel } from './client-model.ts';
import { PLAIN_RESOURCES, randomResources } from './amount-plans.ts';
import { EXPR_MEMORY_OF_WORKERS, LOCATIONS, TAG_VALUES } from './job-plans.ts';
import { CancelStream } from './cancel-stream.ts';
import { LogBook } from './log-book.ts';
import { MachineModel, type MachineWorld } from './machine-model.ts';
import {
  drawAmounts,
  drawCaps,
  drawGroupCaps,
  drawGuards,
  drawChunks,
  drawControls,
  drawOptions,
  drawOutages,
  drawPreemption,
  drawRules,
  drawShares,
  drawUntils,
  type SimulationOptions,
} from './options.ts';
import { PoolClients } from './pool-clients.ts';
import { Random } from './random.ts';
import { RunningProcesses } from './running-processes.ts';
import { ServiceModel } from './service-model.ts';
import { Trace } from './trace.ts';
import type { Scenario, Stage } from './scenarios.ts';
import { SWEEP_MS_MAX } from './unschedulable-rules.ts';
import { Violation } from './violation.ts';
import { watchTurns } from './watch-turns.ts';

export interface SimulationResult {
  readonly seed: number;
  readonly options: SimulationOptions;
  readonly violation: Violation | null;
  readonly digest: string;
  readonly events: number;
  /** Number of occurrences of the scenario. */
  readonly cases: number;
  readonly virtualMs: number;
  readonly trace: readonly string[];
}

/** Separates the outages of a seed from its other options. */
const OUTAGE_SEED_FACTOR = 7_919;
/** A different one for the options of drawControls. */
const CONTROL_SEED_FACTOR = 104_729;
/** Selects farms of which few are recorded for mutants, whose runs stay the same. */
const UNTILS_SEED_FACTOR = 611_953;
const CHUNKS_SEED_FACTOR = 70_241;
const RULES_SEED_FACTOR = 15_485_863;
/** Selects farms of which none was recorded for a mutant when it was chosen. */
const AMOUNTS_SEED_FACTOR = 336_609;
/** Selects farms of which none was recorded for a mutant when it was chosen. */
const SHARES_SEED_FACTOR = 70_448;
/** Selects farms of which none was recorded for a mutant when it was chosen. */
const CAPS_SEED_FACTOR = 398_125;
/** Selects farms of which none was recorded for a mutant when it was chosen. */
const GROUP_CAPS_SEED_FACTOR = 515_962;
const PREEMPTION_SEED_FACTOR = 32_452_843;
const GUARDS_SEED_FACTOR = 49_979_687;
const CAUSES_SEED_FACTOR = 67_867_967;
const EPOCH_MS = Date.UTC(2026, 0, 1);
/** Minimum number of task processes that must run to their end after the last fault. */
const PROGRESS_MS = 900_000;
/** A shorter stall of the service may not be detected. */
const NOTICED_STALL_MS = 7_000;
/** Share of faults that hit a machine on which a task runs. */
const BUSY_SHARE = 0.7;
const LOOK_EACH_MS = 1_000;
/** Number of client actions per change of a pool. */
const POOL_CHANGE_EACH = 8;
/** Share of reports that are delivered twice more at the end. */
const TWICE_SHARE = 0.3;
/** Share of changes of a credential that are renewals. */
const RENEWAL_SHARE = 0.3;
/** Share of workers that are asked to leave immediately. */
const AT_ONCE_SHARE = 0.2;
/** Share of machines with a wrong clock, and its maximum offset. */
const SKEWED_SHARE = 0.3;
const SKEW_MS_MAX = 300_000;
const LIFT_EACH_MS = 4_000;
const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

/** Variation of a simulation. */
export interface Variation {
  /** Changes the build. */
  readonly plant?: (build: Build) => Build;
  /** Changes the drawn options. */
  readonly options?: (drawn: SimulationOptions) => SimulationOptions;
  readonly keepsTrace?: boolean;
  /** Injects the faults of one scenario. */
  readonly scenario?: Scenario;
}

/** Runs one seed: a random farm with faults, then without. Returns the violation, if any. */
export function simulate(seed: number, variation: Variation = {}): SimulationResult {
  return new Simulation(seed, variation).run();
}

class Simulation {
  private readonly seed: number;
  private readonly random: Random;
  private readonly options: SimulationOptions;
  private readonly time: VirtualTime;
  private readonly trace: Trace;
  private readonly bus: BusModel;
  private readonly service: ServiceModel;
  private readonly credentials: BusCredentials | null;
  private readonly checker: Checker;
  private readonly processes: RunningProcesses;
  private readonly cancels: CancelStream;
  private readonly logs = new LogBook();
  private readonly machines: MachineModel[] = [];
  private readonly pools: PoolClients;
  private readonly clients: readonly ClientModel[];
  private clockOffset = 0;
  private ids = 0;
  private isSafetyPhase = true;
  private readonly scenario: Scenario | null;
  private cases = 0;

  constructor(seed: number, { plant, options: change, keepsTrace = false, scenario }: Variation) {
    this.seed = seed;
    this.random = new Random(seed);
    const controlled = drawControls(
      drawOutages(drawOptions(this.random), new Random(seed * OUTAGE_SEED_FACTOR)),
      new Random(seed * CONTROL_SEED_FACTOR),
    );
    const ending = drawUntils(controlled, new Random(seed * UNTILS_SEED_FACTOR));
    const chunked = drawChunks(ending, new Random(seed * CHUNKS_SEED_FACTOR));
    const booked = drawAmounts(chunked, new Random(seed * AMOUNTS_SEED_FACTOR));
    const ruled = drawRules(booked, new Random(seed * RULES_SEED_FACTOR));
    const capped = drawCaps(ruled, new Random(seed * CAPS_SEED_FACTOR));
    const shared = drawShares(capped, new Random(seed * SHARES_SEED_FACTOR));
    const grouped = drawGroupCaps(shared, new Random(seed * GROUP_CAPS_SEED_FACTOR));
    const preempting = drawPreemption(grouped, new Random(seed * PREEMPTION_SEED_FACTOR));
    const drawn = drawGuards(preempting, new Random(seed * GUARDS_SEED_FACTOR));
    this.scenario = scenario ?? null;
    const cast = scenario?.options(drawn) ?? drawn;
    this.options = change?.(cast) ?? cast;
    const settings = settingsOf(this.options);
    const sound = unmodifiedBuild(settings, this.options);
    const build = plant?.(sound) ?? sound;
    const { random, options } = this;
    this.time = new VirtualTime(() => random.next());
    this.trace = new Trace(() => this.time.now, keepsTrace);
    const { time, trace } = this;
    const { refusedKeys } = build.terms;
    this.credentials = options.isAuthenticated
      ? new BusCredentials(() => EPOCH_MS + time.now, refusedKeys)
      : null;
    this.bus = new BusModel(time, random, trace, options.faults, options.isCluster);
    this.service = new ServiceModel({
      time,
      random,
      trace,
      bus: this.bus,
      faults: options.faults,
      credentials: this.credentials,
      build: {
        ...build.service,
        definitions: () => watchTurns(build.service.definitions(), (turn) => this.checker.observer(turn)),
      },
      wallClock: () => EPOCH_MS + time.now + this.clockOffset,
      newId: () => this.newId(),
    });
    this.processes = new RunningProcesses(trace);
    this.cancels = new CancelStream(() => time.now);
    this.checker = new Checker(this.service, time, this.processes, settings);
    this.service.watcher = this.checker;
    const farms = Array.from({ length: options.farms }, () => farmId(this.newId()));
    const { service, checker } = this;
    this.clients = farms.map((farm) => new ClientModel({ farm, time, random, service, checker, options }));
    this.pools = new PoolClients({ time, random, service, checker, options });
    this.makeMachines(farms, build);
    this.service.onCancel = (message) => {
      this.cancels.store(message);
      for (const machine of this.machines) {
        this.bus.core(null, machine.link, message, () => {
          machine.onCancel(message);
        });
      }
    };
  }

  run(): SimulationResult {
    let violation: Violation | null = null;
    try {
      this.safetyPhase();
      this.livenessPhase();
      this.redeliver();
      this.restart();
    } catch (error) {
      violation =
        error instanceof Violation
          ? error
          : new Violation(
              'nothing throws',
              error instanceof Error ? (error.stack ?? error.message) : String(error),
            );
    }
    return {
      seed: this.seed,
      options: this.options,
      violation,
      digest: this.trace.digest,
      events: this.trace.length,
      cases: this.cases,
      virtualMs: this.time.now,
      trace: this.trace.lines,
    };
  }

  private safetyPhase(): void {
    this.service.start();
    for (const machine of this.machines) machine.start();
    this.pools.setUp(() => {
      this.every(this.options.clientMs * POOL_CHANGE_EACH, () => {
        this.pools.act();
      });
    });
    for (const client of this.clients) {
      client.setUp(() => {
        this.every(this.options.clientMs, () => {
          client.act();
        });
      });
    }
    this.scheduleFaults();
    this.scenario?.direct(this.stage());
    this.runUntil(() => this.time.now >= this.options.safetyMs);
  }

  /** Without faults the system must become idle. */
  private livenessPhase(): void {
    this.isSafetyPhase = false;
    this.trace.note('healed');
    this.heal();
    if (this.options.lifts) this.lift();
    const healedAt = this.time.now;
    let lookAt = this.time.now;
    let unfinished: string | null = 'not looked';
    let restsSince = this.time.now;
    // By then all unschedulable tasks must be marked and all expired jobs deleted.
    const { unschedulableGraceMs, retentionMs } = this.options;
    const restsMs = Math.max(unschedulableGraceMs, retentionMs * 1.2) + 2 * SWEEP_MS_MAX;
    this.runUntil(() => {
      if (this.time.now < lookAt) return false;
      lookAt = this.time.now + LOOK_EACH_MS;
      // A cut of the service may last longer than the faults.
      if (this.bus.isServiceConnected && !this.bus.serviceLink.isCut)
        this.processes.checkClosed(this.time.now);
      unfinished = this.unfinished();
      if (unfinished !== null) restsSince = this.time.now;
      return (
        (this.time.now - restsSince >= restsMs && !this.isAtWork) ||
        this.time.now - Math.max(healedAt, this.checker.progressedAt) >= PROGRESS_MS
      );
    });
    if (unfinished !== null) throw new Violation('without faults the system becomes idle', unfinished);
    this.rest();
    this.checker.finish();
    this.logs.check();
  }

  private get isAtWork(): boolean {
    const { host, store } = this.service;
    return host?.kernel.isIdle !== true || store.waiting + store.unread > 0 || this.checker.isRecovering;
  }

  private unfinished(): string | null {
    for (const machine of this.machines) {
      if (machine.unconfirmedReports > 0)
        return `${machine.spec.name} has ${machine.unconfirmedReports} unconfirmed reports`;
    }
    for (const machine of this.machines) {
      if (machine.openSessions > 0) return `${machine.spec.name} has ${machine.openSessions} sessions`;
    }
    if (this.processes.size > 0) return `${this.processes.size} processes run`;
    return this.checker.unfinished();
  }

  /** I18: redelivering any part of the status stream, in any order and with duplicates, changes nothing. */
  private redeliver(): void {
    const before = dump(this.service.store);
    const { random, bus } = this;
    const part = bus.statusHistory.slice(0, random.between(0, bus.statusHistory.length));
    const history = [...part, ...part.filter(() => random.chance(TWICE_SHARE))];
    for (const text of this.random.shuffled(history)) {
      const report: StatusMessage = JSON.parse(text);
      this.service.onStatus(report, () => undefined);
    }
    this.rest();
    if (dump(this.service.store) !== before) {
      throw new Violation(
        'a redelivered report changes nothing',
        `${history.length} reports were delivered again`,
      );
    }
  }

  /** I19: after a restart the service recovers the same state from disk. */
  private restart(): void {
    const before = dump(this.service.store);
    this.service.crash();
    this.service.start();
    this.rest();
    this.checker.finish();
    if (dump(this.service.store) !== before) throw new Violation('a restart changes nothing', 'it did');
  }

  /** Advances time until the service is idle and all commits are durable. */
  private rest(): void {
    this.runUntil(() => !this.isAtWork);
  }

  private runUntil(isReached: () => boolean): void {
    while (!isReached()) {
      if (!this.time.step()) return;
    }
  }

  private heal(): void {
    this.bus.isFaulty = false;
    for (const machine of this.machines) {
      machine.rejoin();
      machine.mend();
      machine.link.losesPresence = false;
    }
    this.every(
      LOOK_EACH_MS,
      () => {
        if (this.bus.isUp) this.service.start();
        for (const machine of this.machines) machine.start();
      },
      () => true,
    );
  }

  private lift(): void {
    this.checker.isLifted = true;
    for (const client of this.clients) {
      this.every(
        LIFT_EACH_MS,
        () => {
          client.lift();
        },
        () => true,
      );
    }
  }

  private stage(): Stage {
    const { time, random, bus, service, processes, machines, credentials } = this;
    return {
      credentials,
      time,
      random,
      bus,
      service,
      processes,
      machines,
      busy: () => {
        const busy = machines.filter((machine) => machine.isBusy);
        return busy.length === 0 ? null : random.pick(busy);
      },
      again: (everyMs, action) => {
        this.every(everyMs, action);
      },
      met: () => {
        this.cases++;
      },
    };
  }

  private scheduleFaults(): void {
    const { faults } = this.options;
    const { time, random, service, bus } = this;
    this.every(faults.serviceCrashEveryMs, () => {
      service.crash();
      time.after(random.around(faults.serviceDownMs), () => {
        service.start();
      });
    });
    this.every(faults.serviceStallEveryMs, () => {
      const forMs = random.around(faults.serviceStallMs);
      this.trace.note('service stalls', forMs);
      const { host } = service;
      service.stall(forMs);
      this.checker.stalledUntil = time.now + forMs;
      if (forMs < NOTICED_STALL_MS) return;
      time.after(forMs, () => {
        if (service.host === host) this.checker.receivingSince = time.now;
      });
    });
    this.every(faults.serviceCutEveryMs, () => {
      service.cut(random.around(faults.serviceCutMs));
    });
    this.every(faults.clockJumpEveryMs, () => {
      this.clockOffset += random.pick([-1, 1]) * random.pick([2_000, MINUTE_MS, 3 * HOUR_MS]);
      this.checker.isClockSteady = false;
      this.trace.note('clock jumps', this.clockOffset);
    });
    this.every(faults.busCrashEveryMs, () => {
      if (!bus.isUp) return;
      const lossMs = random.around(faults.busLossMs);
      const downMs = random.around(faults.busDownMs);
      this.trace.note('bus crash', lossMs, downMs);
      bus.crash(lossMs, downMs, () => {
        if (service.host !== null) this.checker.receivingSince = time.now;
        service.connectBus();
        for (const machine of this.machines) machine.busIsBack();
      });
      service.disconnected();
    });
    // A fault has the most effect on a machine with running tasks.
    const some = (): MachineModel => {
      const busy = this.machines.filter((machine) => machine.isBusy);
      return random.pick(busy.length > 0 && random.chance(BUSY_SHARE) ? busy : this.machines);
    };
    this.every(faults.partitionEveryMs, () => {
      const machine = some();
      if (!machine.cut()) return;
      time.after(random.around(faults.partitionMs), () => {
        machine.mend();
      });
    });
    this.every(faults.daemonKillEveryMs, () => {
      this.startAgain(some(), (machine) => {
        machine.killDaemon();
      });
    });
    this.every(faults.daemonPauseEveryMs, () => {
      some().pause(random.around(faults.daemonPauseMs));
    });
    this.every(faults.rebootEveryMs, () => {
      this.startAgain(some(), (machine) => {
        machine.reboot(random.chance(faults.wipes), workerId(this.newId()));
      });
    });
    this.every(faults.credentialEveryMs, () => {
      const machine = some();
      if (random.chance(RENEWAL_SHARE)) {
        this.credentials?.renew(machine.workerId);
        return;
      }
      machine.revoke();
      time.after(random.around(random.pick([500, 5_000, 60_000])), () => {
        machine.rejoin();
      });
    });
    this.every(faults.departEveryMs, () => {
      this.startAgain(some(), (machine) => {
        machine.depart(random.chance(AT_ONCE_SHARE));
      });
    });
  }

  private startAgain(machine: MachineModel, stop: (machine: MachineModel) => void): void {
    stop(machine);
    this.time.after(this.random.around(this.random.pick([500, 5_000, 40_000])), () => {
      machine.start();
    });
  }

  /** Repeats an action at random intervals while `goesOn`. */
  private every(meanMs: number, action: () => void, goesOn: () => boolean = () => this.isSafetyPhase): void {
    if (meanMs === 0) return;
    this.time.after(1 + this.random.around(meanMs), () => {
      if (!goesOn()) return;
      action();
      this.every(meanMs, action, goesOn);
    });
  }

  private makeMachines(farms: readonly string[], { agents, machines: rules }: Build): void {
    const { random, options } = this;
    const causes = new CommonCauses(options, this.seed * CAUSES_SEED_FACTOR, () => this.service.store);
    const world: MachineWorld = {
      time: this.time,
      random,
      trace: this.trace,
      bus: this.bus,
      service: this.service,
      processes: this.processes,
      rules,
      build: agents,
      cancels: this.cancels,
      logs: this.logs,
      credentials: this.credentials,
      flushMs: options.faults.flushMs,
      lingerMs: random.pick([0, 500, 5_000]),
      wallClock: (skewMs) => EPOCH_MS + this.time.now + skewMs,
      newId: (skewMs) => this.newId(skewMs),
      confirmed: (attemptId) => {
        this.checker.endConfirmed(attemptId);
      },
      taskMs: options.taskMs,
      failures: options.failures,
      mishapOf: (taskId, machine, location) => causes.mishapOf(taskId, machine, location, this.time.now),
    };
    for (let number = 0; number < options.workers; number++) {
      const queues = random.chance(0.3) ? [`queue${random.between(0, options.queues - 1)}`] : [];
      const spec = {
        name: `w${number}`,
        // Two workers share a machine where pools count machines.
        hostName: `${options.caps ? `host${number >> 1}` : `w${number}`}.example`,
        farm: random.pick(farms),
        queues: queues.length > 0 && random.chance(0.5) ? [...queues, 'queue0'] : queues,
        cores: random.pick([1, 1, 2, 3, 4, 8]),
        computeLocation: random.pick(LOCATIONS),
        tags: random.chance(0.3) ? { gpu: random.pick(TAG_VALUES) } : {},
        exprMemory: random.pick(EXPR_MEMORY_OF_WORKERS),
        skewMs: random.chance(SKEWED_SHARE) ? random.between(-SKEW_MS_MAX, SKEW_MS_MAX) : 0,
        ...(options.amounts
          ? randomResources(new Random(this.seed * AMOUNTS_SEED_FACTOR + number + 1))
          : PLAIN_RESOURCES),
      };
      this.machines.push(new MachineModel(spec, workerId(this.newId()), world));
    }
  }

  /** Like UUIDv7: starts with the time and always increases. */
  private newId(skewMs = 0): string {
    const time = (EPOCH_MS + this.time.now + skewMs).toString(16).padStart(12, '0');
    const number = (this.ids++).toString(16).padStart(12, '0');
    return `${time.slice(0, 8)}-${time.slice(8)}-7000-8000-${number}`;
  }
}

/** Formats everything that status reports may change. */
function dump(store: StoreReader): string {
  const rows: string[] = [];
  for (const table of [
    'job',
    'step',
    'taskPage',
    'taskText',
    'attempt',
    'taskOutput',
    'workerAttempt',
    'booking',
    'activeJob',
    'endedJob',
    'doomedJob',
  ] as const) {
    for (const { key, value } of store.scan(table)) {
      const text = value instanceof Uint8Array ? Buffer.from(value).toString('hex') : JSON.stringify(value);
      rows.push(`${table} ${key} ${text}`);
    }
  }
  return rows.join('\n');
}
