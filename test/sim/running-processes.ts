import type { AttemptId, TaskId } from '../../src/core/ids.ts';
import type { Trace } from './trace.ts';
import { Violation } from './violation.ts';

/**
 * Longest time from the close of an attempt to the end of its process: a few heartbeats, the grace period and the kill.
 */
const CLOSED_MS_MAX = 45_000;

/** A process of a task. */
export interface RunningProcess {
  readonly taskId: TaskId;
  readonly attemptId: AttemptId;
  readonly machine: string;
}

/** All task processes on all machines, recorded independently of any fault. */
export class RunningProcesses {
  /** Returns why a task must not start now, or null. Set by a scenario. */
  forbids: ((taskId: TaskId) => string | null) | null = null;
  /** Called for each start, with the machine. */
  onStarted: ((machine: string) => void) | null = null;
  /** Called for each process that was killed. */
  onKilled: ((attemptId: AttemptId) => void) | null = null;
  /** Reports whether the service has closed the attempt. */
  isClosed: ((attemptId: AttemptId, taskId: TaskId) => boolean) | null = null;
  private readonly closedSince = new Map<AttemptId, number>();
  private readonly running = new Map<AttemptId, RunningProcess>();
  /** Exit codes of the processes that were not killed. */
  private readonly exits = new Map<AttemptId, number>();
  private readonly trace: Trace;

  constructor(trace: Trace) {
    this.trace = trace;
  }

  get all(): readonly RunningProcess[] {
    return [...this.running.values()];
  }

  get size(): number {
    return this.running.size;
  }

  /**
   * No two processes of a task run at the same time (docs/architecture.md#the-bus; I20 of docs/faults.md#invariants).
   */
  started(taskId: TaskId, attemptId: AttemptId, machine: string): void {
    this.trace.note('process', attemptId, 'on', machine);
    // A retry waits for the end of a canceled attempt too.
    for (const other of this.running.values()) {
      if (other.taskId !== taskId) continue;
      throw new Violation(
        'no two processes of a task run at the same time',
        `${attemptId} starts on ${machine} while ${other.attemptId} runs on ${other.machine}`,
      );
    }
    const forbidden = this.forbids?.(taskId) ?? null;
    if (forbidden !== null)
      throw new Violation('a task that has succeeded does not start again', `${attemptId}: ${forbidden}`);
    this.running.set(attemptId, { taskId, attemptId, machine });
    this.onStarted?.(machine);
  }

  /** `exitCode` is null when the process was killed. */
  ended(attemptId: AttemptId, exitCode: number | null): void {
    this.trace.note('process end', attemptId, exitCode ?? 'killed');
    this.running.delete(attemptId);
    if (exitCode === null) this.onKilled?.(attemptId);
    else this.exits.set(attemptId, exitCode);
  }

  /** The process of an environment of the attempt has failed with this exit code. */
  exited(attemptId: AttemptId, exitCode: number): void {
    this.trace.note('environment failed', attemptId, exitCode);
    this.exits.set(attemptId, exitCode);
  }

  /** Without faults, the process of a closed attempt stops soon. Called while the service is connected. `now` is virtual time. */
  checkClosed(now: number): void {
    for (const { attemptId, taskId, machine } of this.running.values()) {
      if (this.isClosed?.(attemptId, taskId) !== true) continue;
      const since = this.closedSince.get(attemptId) ?? now;
      this.closedSince.set(attemptId, since);
      if (now - since > CLOSED_MS_MAX)
        throw new Violation('the process of a closed attempt is stopped', `${attemptId} runs on ${machine}`);
    }
  }

  /** Returns the exit code of an attempt's process; undefined if it runs, was killed or never started. */
  exitCodeOf(attemptId: AttemptId): number | undefined {
    return this.exits.get(attemptId);
  }
}
