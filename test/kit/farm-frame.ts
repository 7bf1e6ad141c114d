import { createRe2Engine } from '../../src/adapters/regex/re2-engine.ts';
import { localPresence } from '../../src/adapters/memory/local-presence.ts';
import type { Test } from 'tap';
import type { JobState } from '../../actors/service/job/state.ts';
import { Kernel } from '../../actors/kernel/kernel.ts';
import type { LeaseState } from '../../actors/service/lease/state.ts';
import { RECOVERY_BATCH_SIZE } from '../../actors/service/lease/recovery.ts';
import { serviceActors } from '../../actors/service/service-actors.ts';
import type { ServiceEnvelope, ServiceMessages } from '../../actors/service/service-messages.ts';
import {
  LEASE_HOLD_MS,
  STALE_ASSIGNED_MS,
  type ServiceSettings,
  type ServiceSystem,
} from '../../actors/service/service-system.ts';
import { recoverActors } from '../../actors/service/recover-actors.ts';
import type { WorkerState } from '../../actors/service/worker/state.ts';
import { EXPR_LIMITS } from '../../src/openjd/expr/expr-limits.ts';
import { LocalTallies } from '../../src/adapters/memory/local-tallies.ts';
import type { MemoryStore } from '../../src/adapters/memory/memory-store.ts';
import type { Change } from '../../src/core/records/change-set.ts';
import type { OutageEvent, TaskEvent } from '../../src/core/wire/events.ts';
import { NO_CALLBACKS } from './commit-callbacks.ts';
import { invariantViolations } from './farm-sanity.ts';
import { formatAnswer, formatEffect, type Answer } from './farm-words.ts';
import type { Output } from '../../actors/kernel/output.ts';

const SETTINGS: Omit<ServiceSettings, 'tallies' | 'webhooks'> = {
  heartbeatTimeoutMs: 30_000,
  reclaimAfterMs: 30_000,
  singleBus: () => null,
  retry: { maxAttempts: 3, retryDelaySeconds: 10, failureLimit: 0 },
  leaseHoldMs: LEASE_HOLD_MS,
  recoveryBatchSize: RECOVERY_BATCH_SIZE,
  staleAssignedMs: STALE_ASSIGNED_MS,
  serviceId: 'this-service',
  epoch: null,
  attemptFloor: 1,
  regex: createRe2Engine(),
  unschedulableGraceMs: 30_000,
  reservationAfterMs: 300_000,
  exprMemoryBytes: EXPR_LIMITS.memory,
  retention: { afterMs: 0, includeFailed: false },
  audit: {
    isOn: false,
    retentionMs: 90 * 86_400_000,
    entries: { people: 1_000_000, strangers: 100_000, service: 100_000 },
  },
  workers: { perFarm: 10_000, retentionMs: 86_400_000 },
  ownsFarm: () => true,
};

const HEARTBEAT_MS = 10_000;

/** Base of a test farm: kernel, store, clock and outputs. `TestFarm` adds the messages to it. */
export abstract class TestFarmBase {
  readonly store: MemoryStore;
  now = Date.UTC(2026, 10, 20, 12);
  /** Removes the logs of deleted jobs immediately; otherwise they are never removed. */
  removesLogs = true;
  /** Whether the bus confirms its connection to the service. */
  isBusConnected = true;
  /** Number of changes of each commit so far. */
  readonly commits: number[] = [];
  /** Workers that send heartbeats while time passes. */
  readonly beating = new Set<string>();
  /** Names of objects that have no name in the store. */
  protected readonly names = new Map<string, string>();
  protected readonly answers = new Map<string, Answer>();
  readonly tallies = new LocalTallies();
  private settings: ServiceSettings;
  private kernel: Kernel<ServiceSystem>;
  private monotonic = 0;
  private sequence = 1;
  private writes = 0;
  private lastId = 0;
  /** Keeps messages in the mailbox instead of processing them. */
  private isQuiet = false;
  private readonly said: string[] = [];
  /** Events of tasks in order; `lost` if tasks of a job have changed without events. */
  readonly taskEvents: (TaskEvent | 'lost')[] = [];
  /** Events of outages in order. */
  readonly outageEvents: OutageEvent[] = [];
  private readonly warnings: string[] = [];
  private readonly infos: string[] = [];

  constructor(settings: Partial<ServiceSettings>, store: MemoryStore) {
    this.store = store;
    const { heartbeatTimeoutMs: reclaimAfterMs = SETTINGS.reclaimAfterMs } = settings;
    const webhooks = { retryForMs: 86_400_000, poolExhaustedAfterMs: 600_000, presence: localPresence() };
    this.settings = { ...SETTINGS, reclaimAfterMs, tallies: this.tallies, webhooks, ...settings };
    this.tallies.onFreed = (id, slot) => {
      this.post({ actor: 'lease', id, message: { type: 'capacity.freed', slot } });
    };
    this.kernel = this.newKernel();
  }

  /** Sends the periodic heartbeat of a worker, between the steps of a scenario. */
  protected abstract beat(worker: string): void;

  // Time and service lifecycle

  /** Advances time: the workers in `beating` send heartbeats, and timers fire when they are due. */
  advance(ms: number): void {
    const end = this.monotonic + ms;
    let nextBeat = this.monotonic + HEARTBEAT_MS;
    for (;;) {
      const due = Math.max(this.monotonic, Math.min(this.kernel.nextTimerAt() ?? Infinity, nextBeat));
      if (due > end) break;
      this.passTo(due);
      if (due >= nextBeat) {
        for (const name of this.beating) this.beat(name);
        nextBeat += HEARTBEAT_MS;
      }
      this.run();
    }
    this.passTo(end);
  }

  /** Sends the heartbeats of the workers in `beating` now: `advance` does so only within longer times. */
  beatNow(): void {
    for (const name of this.beating) this.beat(name);
    this.run();
  }

  /** Stalls the process: time passes without messages or timers, then the process detects the stall. */
  stall(ms: number): void {
    this.passTo(this.monotonic + ms);
    this.kernel.resumeLiveness();
    this.run();
  }

  /** Kills and restarts the service. Everything that is not durable is lost. */
  restart(downMs = 0): void {
    this.passTo(this.monotonic + downMs);
    this.restartWithoutActivation();
    for (const envelope of recoverActors(this.store, () => true, true)) this.post(envelope);
    this.run();
  }

  /** Restarts the service with other settings. */
  restartWith(settings: Partial<ServiceSettings>): void {
    this.settings = { ...this.settings, ...settings };
    this.restart();
  }

  /** Restarts like `restart`, but activates no farm. */
  restartWithoutActivation(): void {
    this.store.crash();
    this.sequence = 1;
    this.tallies.restart(this.store);
    this.kernel = this.newKernel();
  }

  /** Delivers the messages that `say` sends at the same moment, in one commit window. */
  inOneWindow(say: () => void): void {
    this.isQuiet = true;
    say();
    this.isQuiet = false;
    this.run();
  }

  /** Processes and commits the messages that `say` sends, without making them durable. */
  withoutFlush(say: () => void): void {
    this.isQuiet = true;
    say();
    this.isQuiet = false;
    this.kernel.pump();
  }

  /** Processes the messages that `say` sends in `windows` commit windows, each of which becomes durable. */
  forWindows(windows: number, say: () => void): void {
    this.isQuiet = true;
    say();
    this.isQuiet = false;
    for (let window = 0; window < windows; window++) {
      this.kernel.pump();
      this.store.flushAll();
    }
  }

  /** Writes rows without the service, which must restart to read them. */
  write(changes: readonly Change[]): void {
    this.store.commit({ version: 1, shard: 2, sequence: ++this.writes, changes }, NO_CALLBACKS);
    this.store.flushAll();
  }

  /** Puts a message in the mailbox without processing it. */
  post(envelope: ServiceEnvelope): void {
    this.kernel.post(recoded(envelope));
  }

  /** Processes messages until the mailbox is empty and everything is on disk. */
  run(): void {
    for (let rounds = 0; rounds < 10_000; rounds++) {
      this.kernel.pump();
      this.store.flushAll();
      if (this.kernel.isIdle) return;
    }
    throw new Error('the service does not become idle');
  }

  // Outputs and state

  /** Returns all outputs since the last call. */
  takeOutputs(): string[] {
    return this.said.splice(0);
  }

  /** Returns the warnings and errors in the log since the last call. */
  takeWarnings(): string[] {
    return this.warnings.splice(0);
  }

  /** Returns the information in the log since the last call. */
  takeInfos(): string[] {
    return this.infos.splice(0);
  }

  /** Asserts the exact outputs since the last check, and the invariants. */
  expect(t: Test, what: string, lines: readonly string[]): void {
    t.strictSame(this.takeOutputs(), lines, what);
    this.expectInvariants(t, what);
  }

  /** Asserts the invariants, with any outputs. */
  expectInvariants(t: Test, what: string): void {
    const problems = invariantViolations(this.store, {
      job: (id) => this.kernel.stateOf('job', id) as JobState | undefined,
      worker: (id) => this.kernel.stateOf('worker', id) as WorkerState | undefined,
      lease: (id) => this.kernel.stateOf('lease', id) as LeaseState | undefined,
    });
    t.strictSame(problems, [], `${what}: at rest`);
  }

  /** Reports whether an actor is in memory. */
  isResident(actor: keyof ServiceMessages, id: string): boolean {
    return this.kernel.stateOf(actor, id) !== undefined;
  }

  /** Returns the last answer that a client received. */
  answer(client: string): Answer | undefined {
    return this.answers.get(client);
  }

  protected send(envelope: ServiceEnvelope): void {
    this.post(envelope);
    if (!this.isQuiet) this.run();
  }

  private passTo(monotonic: number): void {
    this.now += monotonic - this.monotonic;
    this.monotonic = monotonic;
  }

  protected newId(): string {
    this.lastId++;
    return `01900000-0000-7000-8000-${this.lastId.toString(16).padStart(12, '0')}`;
  }

  nameOf(id: string): string {
    return this.store.get('job', id)?.name ?? this.store.get('worker', id)?.name ?? this.names.get(id) ?? id;
  }

  private newKernel(): Kernel<ServiceSystem> {
    return new Kernel<ServiceSystem>(serviceActors(this.settings), {
      reader: this.store,
      wallClock: () => this.now,
      monotonicClock: () => this.monotonic,
      newId: () => this.newId(),
      commit: (changes, onCommit) => {
        this.commits.push(changes.length);
        this.store.commit(
          { version: 1, shard: 1, sequence: this.sequence++, changes: [...changes] },
          onCommit,
        );
      },
      prepareFlush: (outputs) => ({
        onDurable: () => undefined,
        onReadable: () => {
          for (const output of outputs) this.hear(recodedOutput(output));
        },
      }),
      log: (level, text) => {
        if (level === 'warn' || level === 'error') this.warnings.push(text);
        else if (level === 'info') this.infos.push(text);
      },
      wake: () => undefined,
      fatal: (error) => {
        throw error;
      },
    });
  }

  private hear(output: Output<ServiceSystem>): void {
    const nameOf = (id: string): string => this.nameOf(id);
    if (output.kind === 'effect') {
      if (output.effect.kind === 'forward') this.post(output.effect.envelope);
      if (output.effect.kind === 'delete-logs' && this.removesLogs) {
        const { jobId: id, farmId } = output.effect;
        this.post({ actor: 'purge', id, message: { type: 'purge.logs-deleted', farmId } });
      }
      if (output.effect.kind === 'release') {
        this.tallies.release(output.effect.farmId, output.effect.slot, output.effect.count);
      }
      if (output.effect.kind === 'task-events') this.taskEvents.push(...output.effect.events());
      if (output.effect.kind === 'event') {
        const { event } = output.effect;
        if (event.subject === 'tasks') this.taskEvents.push(event.payload);
        if (event.subject === 'tasks-lost') this.taskEvents.push('lost');
        if (event.subject === 'outages') this.outageEvents.push(event.payload);
      }
      if (output.effect.kind === 'confirm-bus' && this.isBusConnected) {
        const { workerId: id, askedAt } = output.effect;
        this.post({ actor: 'worker', id, message: { type: 'bus.confirmed', askedAt } });
      }
      const words = formatEffect(output.effect, nameOf);
      if (words !== null) this.said.push(words);
      return;
    }
    const { to } = output;
    if (typeof to !== 'string') throw new Error('the test farm uses strings as addresses');
    const answer = output.answer as Answer;
    this.answers.set(to, answer);
    const words = formatAnswer(to, answer, nameOf);
    const isOrdinaryBeat = to.startsWith('beat ') && words.endsWith(': alive');
    const isLook = to.startsWith('explain ');
    if (!isOrdinaryBeat && !isLook) this.said.push(words);
  }
}

/** Encodes and decodes an output. The events of many tasks are built before that, as in a flush. */
function recodedOutput(output: Output<ServiceSystem>): Output<ServiceSystem> {
  if (output.kind !== 'effect' || output.effect.kind !== 'task-events') return recoded(output);
  const events = recoded(output.effect.events());
  return { ...output, effect: { ...output.effect, events: () => events } };
}

/** Encodes and decodes a value as JSON, as a wire does. */
const recoded = <T>(value: T): T => JSON.parse(JSON.stringify(value)) as T;
