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

/** What the disk holds of a worker: outlives the house. */
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
 * A worker's daemon without a world: the test is the bus, the processes and the clock. Each step runs all that follows from it; what
 * was said is taken with `said`.
 */
export class AgentFixture {
  readonly disk: Disk;
  readonly logged: string[] = [];
  /** Whether what is committed reaches the disk at once; `flush` brings what waits. */
  isDiskSlow = false;
  fatal: unknown = null;
  private readonly kernel: Kernel<AgentSystem>;
  private monotonic = 0;
  private readonly wallOffset = START;
  private ids = 0;
  private effects: AgentEffect[] = [];
  /** As the guards of the tasks were told last. */
  contactLeftMs: number | null = null;
  private unwritten: (() => void)[] = [];
  /** Sessions by the attempt that they were begun for: tests call them by that. */
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

  /** What was said since it was last asked. */
  said(): AgentEffect[] {
    const effects = this.effects;
    this.effects = [];
    return effects;
  }

  /** The one effect of the kind that was said since it was last asked; nothing else may have been said. */
  saidOnly<Kind extends AgentEffect['kind']>(kind: Kind): Effect<Kind> {
    const effects = this.said();
    const [only] = effects;
    if (effects.length !== 1 || only?.kind !== kind) {
      throw new Error(`expected ${kind} alone, and it said: ${JSON.stringify(effects, null, 1)}`);
    }
    return only as Effect<Kind>;
  }

  tell<K extends keyof AgentMessages>(actor: K, id: string, message: AgentMessages[K]): void {
    this.kernel.post({ actor, id, message } as Parameters<Kernel<AgentSystem>['post']>[0]);
    this.settle();
  }

  /** Lets the time pass; timers come when they are due. */
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

  /** The daemon does not run for a while: what comes meanwhile is handled together, after this. */
  stall(ms: number): void {
    this.monotonic += ms;
    this.kernel.resumeLiveness();
  }

  flush(): void {
    const unwritten = this.unwritten;
    this.unwritten = [];
    for (const write of unwritten) write();
  }

  /** Whether an actor of this kind and id is there; a session is called by the attempt that it was begun for. */
  has(kind: keyof AgentMessages, id: string): boolean {
    return this.kernel.stateOf(kind, kind === 'session' ? this.sessionOf(id) : id) !== undefined;
  }

  /** The id of the session that was begun for the attempt. */
  sessionOf(attempt: string): string {
    return this.sessions.get(attempt) ?? attempt;
  }

  /** How long the tasks may run without contact is told in passing. */
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

  /** To the session that was begun for the attempt. */
  tellSession(attempt: string, message: AgentMessages['session']): void {
    this.tell('session', this.sessionOf(attempt), message);
  }

  /** The shipper of an attempt says that its logs are on the bus; `session`: the attempt that its session was begun for. */
  drained(attempt: string, session = attempt): void {
    this.tellSession(session, { type: 'logs.drained', attemptId: attempt as AttemptId });
  }

  private settle(): void {
    do this.kernel.pump();
    while (this.kernel.hasWork);
  }

  // What the service and the processes do.

  start(): Effect<'announce'> {
    this.tell('registrar', 'registrar', { type: 'agent.start' });
    return this.saidOnly('announce');
  }

  answer(announce: Effect<'announce'>, reply: PresenceReply): void {
    this.tell('registrar', 'registrar', { type: 'presence.answered', token: announce.token, reply });
  }

  /** Starts and registers; gives the first lease requests. */
  register(queueIds: readonly string[] = []): Effect<'request-lease'>[] {
    this.answer(this.start(), registered({ queue_ids: queueIds as QueueId[] }));
    const effects = this.said();
    const heartbeats = effects.filter(({ kind }) => kind === 'announce');
    if (heartbeats.length !== 1) throw new Error('expected one heartbeat after the registration');
    this.answer(heartbeats[0] as Effect<'announce'>, alive());
    return effects.filter((effect): effect is Effect<'request-lease'> => effect.kind === 'request-lease');
  }

  lease(request: Effect<'request-lease'>, reply: LeaseReply): void {
    this.tell('poller', 'poller', { type: 'lease.answered', requestId: request.requestId, reply });
  }

  /** Answers heartbeats until the time has passed: the worker keeps its contact. Gives what else was said. */
  passInContact(ms: number): AgentEffect[] {
    const others: AgentEffect[] = [];
    const until = this.monotonic + ms;
    while (this.monotonic < until) {
      this.pass(Math.min(1000, until - this.monotonic));
      for (const effect of this.said()) {
        if (effect.kind === 'announce') this.answer(effect, alive());
        else others.push(effect);
      }
    }
    return others;
  }

  opened(attempt: string, failure: string | null = null): void {
    this.tellSession(attempt, { type: 'session.opened', failure });
  }

  started(attempt: string, run: number): void {
    this.tellSession(attempt, { type: 'action.started', run });
  }

  /** What is held back of a task that may end at once is told now. */
  ranForAMoment(attempt: string): void {
    this.tell('outbox', 'outbox', { type: 'report.due', attemptId: attempt as AttemptId });
  }

  output(attempt: string, run: number, lines: readonly string[], stream: OutputStream = 'stdout'): void {
    const bytes = lines.reduce((sum, line) => sum + Buffer.byteLength(line) + 1, 0);
    this.tellSession(attempt, { type: 'action.output', run, batch: { stream, lines, bytes } });
  }

  ended(attempt: string, run: number, end: ActionEnd | number): void {
    const how: ActionEnd = typeof end === 'number' ? { kind: 'exited', code: end } : end;
    this.tellSession(attempt, { type: 'action.ended', run, end: how });
  }

  closed(attempt: string): void {
    this.tellSession(attempt, { type: 'session.closed' });
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
