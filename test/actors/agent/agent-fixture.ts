import type { ResourceUsage } from '../../../src/core/resource-usage.ts';
import { EXPRESSIONS } from '../../../src/adapters/regex/default-expressions.ts';
import { agentActors } from '../../../actors/agent/agent-actors.ts';
import type { AgentSettings } from '../../../actors/agent/agent-settings.ts';
import type { AgentEffect, AgentMessages, AgentSystem } from '../../../actors/agent/agent-system.ts';
import type { PollerState } from '../../../actors/agent/poller/state.ts';
import { Kernel } from '../../../actors/kernel/kernel.ts';
import { completeImmediately, flushImmediately } from '../../../actors/kernel/immediate-flush.ts';
import {
  sessionId,
  type AttemptId,
  type FarmId,
  type JobId,
  type QueueId,
  type SessionId,
  type StepId,
  type TaskId,
  type WorkerId,
} from '../../../src/core/ids.ts';
import type { ActionPlan, EnvironmentPlan } from '../../../src/openjd/template/plan.ts';
import type { JournalChange } from '../../../src/core/ports/agent-journal.ts';
import type { ActionEnd, OutputStream } from '../../../src/core/ports/task-processes.ts';
import { EXPR_LIMITS } from '../../../src/openjd/expr/expr-limits.ts';
import type {
  Assignment,
  LeaseReply,
  PresenceReply,
  StatusMessage,
  StepAssignment,
} from '../../../src/core/wire/bus-messages.ts';

export const SETTINGS: AgentSettings = {
  name: 'node-7',
  hostName: 'node-7.farm',
  farm: '',
  queues: [],
  cpuCount: 4,
  amounts: {},
  memoryMib: 8192,
  os: 'linux',
  arch: 'x86_64',
  softwareVersion: '0.1.0',
  computeLocation: '',
  exprLimits: EXPR_LIMITS,
  regex: EXPRESSIONS.regex,
  capabilities: {
    hardware: { gpuCount: 0, gpuMemoryMib: 0, gpuModels: [], scratchMib: 0, osVersion: '' },
    tags: {},
  },
  sessionsDirectory: '/w/sessions',
  sessionLingerMs: 5_000,
  keepsSessions: false,
  spoolsLogs: false,
  drainTimeoutMs: 60_000,
};

export const WORKER = 'worker-1' as WorkerId;
export const FARM = 'farm-1' as FarmId;
const START = Date.UTC(2026, 10, 20, 12);

type Effect<Kind extends AgentEffect['kind']> = Extract<AgentEffect, { kind: Kind }>;

/** The disk of a worker. It outlives the fixture. */
export class Disk {
  workerId = WORKER;
  readonly kept = new Map<AttemptId, StatusMessage>();

  get reports(): readonly StatusMessage[] {
    return [...this.kept.values()];
  }

  write(changes: readonly JournalChange[]): void {
    for (const change of changes) {
      if (change.op === 'report-kept') this.kept.set(change.report.attempt_id, change.report);
      else if (change.op === 'report-confirmed') this.kept.delete(change.attemptId);
      else this.workerId = change.workerId;
    }
  }
}

/**
 * A worker agent without its environment: the test plays the bus, the processes and the clock. Each step runs until the
 * actors are idle. `takeEffects` returns the effects since the last call.
 */
export class AgentFixture {
  readonly disk: Disk;
  readonly logged: string[] = [];
  /** Whether commits become durable at once. Otherwise `flush` completes them. */
  isDiskSlow = false;
  fatal: unknown = null;
  private readonly kernel: Kernel<AgentSystem>;
  private monotonic = 0;
  private readonly wallOffset = START;
  private ids = 0;
  private effects: AgentEffect[] = [];
  /** Contact deadline that the supervisors of the tasks got last. */
  contactLeftMs: number | null = null;
  private unwritten: (() => void)[] = [];
  /** Sessions by the attempt that they were started for, which is their name in tests. */
  private readonly sessions = new Map<string, SessionId>();

  constructor({ settings = SETTINGS, disk = new Disk() }: { settings?: AgentSettings; disk?: Disk } = {}) {
    this.disk = disk;
    this.kernel = new Kernel<AgentSystem>(agentActors(settings), {
      reader: disk,
      wallClock: () => this.now,
      monotonicClock: () => this.monotonic,
      newId: () => `id-${++this.ids}`,
      commit: (changes, onCommit) => {
        this.unwritten.push(() => {
          disk.write(changes);
          completeImmediately(onCommit)();
        });
        if (!this.isDiskSlow) this.flush();
      },
      prepareFlush: (outputs) =>
        flushImmediately(() => {
          for (const output of outputs) {
            if (output.kind === 'effect') this.noteEffect(this.renamed(output.effect));
          }
        }),
      log: (level, text) => {
        if (level !== 'debug') this.logged.push(`${level}: ${text}`);
      },
      wake: () => undefined,
      fatal: (error) => {
        this.fatal = error;
      },
    });
  }

  get now(): number {
    return this.monotonic + this.wallOffset;
  }

  /** Returns the effects since the last call. */
  takeEffects(): AgentEffect[] {
    const effects = this.effects;
    this.effects = [];
    return effects;
  }

  /** Returns the only effect since the last call, which must be of this kind. */
  onlyEffect<Kind extends AgentEffect['kind']>(kind: Kind): Effect<Kind> {
    const effects = this.takeEffects();
    const [only] = effects;
    if (effects.length !== 1 || only?.kind !== kind) {
      throw new Error(`expected only ${kind}, but the effects are: ${JSON.stringify(effects, null, 1)}`);
    }
    return only as Effect<Kind>;
  }

  deliver<K extends keyof AgentMessages>(actor: K, id: string, message: AgentMessages[K]): void {
    this.kernel.post({ actor, id, message } as Parameters<Kernel<AgentSystem>['post']>[0]);
    this.settle();
  }

  /** Advances the time and runs due timers. */
  pass(ms: number): void {
    const until = this.monotonic + ms;
    for (;;) {
      const due = this.kernel.nextTimerAt();
      if (due === null || due > until) break;
      this.monotonic = Math.max(this.monotonic, due);
      this.settle();
    }
    this.monotonic = until;
    this.settle();
  }

  /** Stalls the agent: messages that arrive in the meantime are handled together afterwards. */
  stall(ms: number): void {
    this.monotonic += ms;
    this.kernel.resumeLiveness();
  }

  flush(): void {
    const unwritten = this.unwritten;
    this.unwritten = [];
    for (const write of unwritten) write();
  }

  /** Reports whether the actor is in memory. A session is named by the attempt that it was started for. */
  has(kind: keyof AgentMessages, id: string): boolean {
    return this.kernel.stateOf(kind, kind === 'session' ? this.sessionOf(id) : id) !== undefined;
  }

  /** Returns the id of the session that was started for the attempt. */
  sessionOf(attempt: string): string {
    return this.sessions.get(attempt) ?? attempt;
  }

  /** Contact deadlines are recorded, not returned as effects. */
  private noteEffect(effect: AgentEffect): void {
    if (effect.kind === 'set-contact-deadline') this.contactLeftMs = effect.leftMs;
    else this.effects.push(effect);
  }

  private renamed(effect: AgentEffect): AgentEffect {
    if (!('sessionId' in effect)) return effect;
    if (effect.kind === 'open-session') {
      const poller = this.kernel.stateOf('poller', 'poller') as PollerState;
      this.sessions.set(poller.sessions.get(effect.sessionId)?.attemptId ?? '', effect.sessionId);
    }
    for (const [attempt, session] of this.sessions) {
      if (session === effect.sessionId) return { ...effect, sessionId: sessionId(attempt) };
    }
    return effect;
  }

  /** Sends a message to the session that was started for the attempt. */
  deliverToSession(attempt: string, message: AgentMessages['session']): void {
    this.deliver('session', this.sessionOf(attempt), message);
  }

  /**
   * Reports the attempt's logs as stored, as its shipper does. `session`: the attempt that its session was started for.
   */
  drained(attempt: string, session = attempt): void {
    this.deliverToSession(session, { type: 'logs.drained', attemptId: attempt as AttemptId });
  }

  private settle(): void {
    do this.kernel.pump();
    while (this.kernel.hasWork);
  }

  // Replies of the service and events of the processes.

  start(): Effect<'announce'> {
    this.deliver('registrar', 'registrar', { type: 'agent.start' });
    return this.onlyEffect('announce');
  }

  answer(announce: Effect<'announce'>, reply: PresenceReply): void {
    this.deliver('registrar', 'registrar', { type: 'presence.answered', token: announce.token, reply });
  }

  /** Starts and registers the worker. Returns the first lease requests. */
  register(queueIds: readonly string[] = []): Effect<'request-lease'>[] {
    this.answer(this.start(), registered({ queue_ids: queueIds as QueueId[] }));
    const effects = this.takeEffects();
    const heartbeats = effects.filter(({ kind }) => kind === 'announce');
    if (heartbeats.length !== 1) throw new Error('expected one heartbeat after the registration');
    this.answer(heartbeats[0] as Effect<'announce'>, alive());
    return effects.filter((effect): effect is Effect<'request-lease'> => effect.kind === 'request-lease');
  }

  lease(request: Effect<'request-lease'>, reply: LeaseReply): void {
    this.deliver('poller', 'poller', { type: 'lease.answered', requestId: request.requestId, reply });
  }

  /** Answers heartbeats until the time has passed, which keeps the contact. Returns all other effects. */
  passInContact(ms: number): AgentEffect[] {
    const others: AgentEffect[] = [];
    const until = this.monotonic + ms;
    while (this.monotonic < until) {
      this.pass(Math.min(1000, until - this.monotonic));
      for (const effect of this.takeEffects()) {
        if (effect.kind === 'announce') this.answer(effect, alive());
        else others.push(effect);
      }
    }
    return others;
  }

  opened(attempt: string, failure: string | null = null): void {
    this.deliverToSession(attempt, { type: 'session.opened', failure });
  }

  started(attempt: string, run: number): void {
    this.deliverToSession(attempt, { type: 'action.started', run });
  }

  /** Publishes the delayed running report of a task now. */
  ranForAMoment(attempt: string): void {
    this.deliver('outbox', 'outbox', { type: 'report.due', attemptId: attempt as AttemptId });
  }

  output(attempt: string, run: number, lines: readonly string[], stream: OutputStream = 'stdout'): void {
    const bytes = lines.reduce((sum, line) => sum + Buffer.byteLength(line) + 1, 0);
    this.deliverToSession(attempt, { type: 'action.output', run, batch: { stream, lines, bytes } });
  }

  ended(attempt: string, run: number, end: ActionEnd | number, usage?: ResourceUsage): void {
    const how: ActionEnd = typeof end === 'number' ? { kind: 'exited', code: end } : end;
    this.deliverToSession(attempt, {
      type: 'action.ended',
      run,
      end: how,
      ...(usage !== undefined && { usage }),
    });
  }

  closed(attempt: string): void {
    this.deliverToSession(attempt, { type: 'session.closed' });
  }
}

export const registered = (
  rest: Partial<Extract<PresenceReply, { type: 'registered' }>> = {},
): PresenceReply => ({
  v: 1,
  type: 'registered',
  worker_id: WORKER,
  farm_id: FARM,
  queue_ids: [],
  heartbeat_timeout_ms: 30_000,
  service: 'service-1',
  closed: [],
  ...rest,
});

export const alive = (...closed: string[]): PresenceReply => ({
  v: 1,
  type: 'alive',
  service: 'service-1',
  closed: closed as AttemptId[],
});

export const action = (command: string, rest: Partial<ActionPlan> = {}): ActionPlan => ({
  command,
  args: [],
  ...rest,
});

export const environment = (name: string, rest: Partial<EnvironmentPlan> = {}): EnvironmentPlan => ({
  name,
  variables: {},
  embeddedFiles: [],
  ...rest,
});

export const stepOf = (rest: Partial<StepAssignment> = {}): StepAssignment => ({
  job_name: 'Job',
  step_name: 'Step',
  job_parameters: {},
  job_environments: [],
  step_environments: [],
  script: { onRun: action('render'), embeddedFiles: [] },
  compute_location: '',
  ready_left: 0,
  ...rest,
});

export const assignmentOf = (attempt: string, rest: Partial<Assignment> = {}): Assignment => ({
  task_id: `${attempt}-task` as TaskId,
  job_id: 'job' as JobId,
  step_id: 'step' as StepId,
  attempt_id: attempt as AttemptId,
  name: attempt,
  cores: 1,
  parameters: {},
  ...rest,
});

/** The assignments of one step. */
export const leases = (
  assignments: readonly Assignment[],
  step: StepAssignment = stepOf(),
): Extract<LeaseReply, { type: 'leases' }> => ({
  v: 1,
  type: 'leases',
  assignments,
  steps: { ['step' as StepId]: step },
});
