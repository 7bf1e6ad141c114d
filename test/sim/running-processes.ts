import type { AttemptId, TaskId } from '../../src/core/ids.ts';
import type { Trace } from './trace.ts';
import { Violation } from './violation.ts';

/** Longest time from the close of an attempt to the end of its process: a few heartbeats, the grace and the kill. */
const CLOSED_MS_MAX = 45_000;

/** Every process of every task on all machines, as an observer that no fault can blind would see them. */
export class RunningProcesses {
  /** Whether a client canceled the attempt: its process may still run for a while, and the task may be retried meanwhile. */
  isCanceled: ((attemptId: AttemptId, taskId: TaskId) => boolean) | null = null;
  /** Why a task must not be begun now, or null; a scenario may know. */
  forbids: ((taskId: TaskId) => string | null) | null = null;
  /** Told of each start, with the machine. */
  onStarted: ((machine: string) => void) | null = null;
  /** Whether the service has closed the attempt. */
  isClosed: ((attemptId: AttemptId, taskId: TaskId) => boolean) | null = null;
  private readonly closedSince = new Map<AttemptId, number>();
  private readonly running = new Map<
    AttemptId,
    { readonly taskId: TaskId; readonly attemptId: AttemptId; readonly machine: string }
  >();
  /** How the processes ended that were not killed. */
  private readonly exits = new Map<AttemptId, number>();
  private readonly trace: Trace;

  constructor(trace: Trace) {
    this.trace = trace;
  }

  get size(): number {
    return this.running.size;
  }

  /**
   * No two processes of a task run at the same time (docs/architecture.md#the-bus; I20 of docs/faults.md#invariants).
   */
  started(taskId: TaskId, attemptId: AttemptId, machine: string): void {
    this.trace.note('process', attemptId, 'on', machine);
    // A task that was canceled before its start is stopped by the next heartbeat reply.
    const isDeletionPending = this.isCanceled?.(attemptId, taskId) === true;
    for (const other of this.running.values()) {
      if (isDeletionPending || other.taskId !== taskId || this.isCanceled?.(other.attemptId, taskId) === true)
        continue;
      throw new Violation(
        'no two processes of a task run at the same time',
        `${attemptId} starts on ${machine} while ${other.attemptId} runs on ${other.machine}`,
      );
    }
    const forbidden = this.forbids?.(taskId) ?? null;
    if (forbidden !== null)
      throw new Violation('what has succeeded is not begun again', `${attemptId}: ${forbidden}`);
    this.running.set(attemptId, { taskId, attemptId, machine });
    this.onStarted?.(machine);
  }

  /** `exitCode` is null when the process was killed. */
  ended(attemptId: AttemptId, exitCode: number | null): void {
    this.trace.note('process end', attemptId, exitCode ?? 'killed');
    this.running.delete(attemptId);
    if (exitCode !== null) this.exits.set(attemptId, exitCode);
  }

  /** An environment of the attempt could not be entered: its process has exited with that. */
  exited(attemptId: AttemptId, exitCode: number): void {
    this.trace.note('environment failed', attemptId, exitCode);
    this.exits.set(attemptId, exitCode);
  }

  /** Without faults, what the service has closed does not run on for long. `now` is virtual time. */
  checkClosed(now: number): void {
    for (const { attemptId, taskId, machine } of this.running.values()) {
      if (this.isClosed?.(attemptId, taskId) !== true) continue;
      const since = this.closedSince.get(attemptId) ?? now;
      this.closedSince.set(attemptId, since);
      if (now - since > CLOSED_MS_MAX)
        throw new Violation('what the service has closed is stopped', `${attemptId} runs on ${machine}`);
    }
  }

  /** With what the process of an attempt exited; undefined when it runs, was killed or never began. */
  exitCodeOf(attemptId: AttemptId): number | undefined {
    return this.exits.get(attemptId);
  }
}
