import type { FollowedJobs } from '../../http/ports.ts';
import { taskIdOf, type JobId, type TaskAddress, type TaskId } from '../../src/core/ids.ts';
import type { DomainEvent } from '../../src/core/wire/events.ts';
import type { TaskEvent, TaskEvents } from '../../http/log-follow/task-events.ts';

type Listener = () => void;

/**
 * Notifies requests of this process that a task, its job or its log has changed. They then read the store. An event
 * calls only the listeners of its task or job.
 */
export class TaskEventHub implements TaskEvents {
  private readonly followedJobs: FollowedJobs;
  private readonly untilReadable: () => Promise<void> | null;
  private readonly byTask = new Map<TaskId, Set<Listener>>();
  private readonly byJob = new Map<JobId, Set<Listener>>();

  /** `untilReadable` resolves when all durable changes are readable. It returns null if they are readable already. */
  constructor(followedJobs: FollowedJobs, untilReadable: () => Promise<void> | null) {
    this.followedJobs = followedJobs;
    this.untilReadable = untilReadable;
  }

  get hasListeners(): boolean {
    return this.byTask.size > 0;
  }

  /** Reports whether a task of the job has a listener. */
  watches(job: JobId): boolean {
    return this.byJob.has(job);
  }

  watch(task: TaskAddress, changed: () => void): () => void {
    // A new function per call: the same `changed` may be added twice.
    const listener: Listener = () => changed();
    const taskId = taskIdOf(task);
    const leaves = [
      enter(this.byTask, taskId, listener),
      enter(this.byJob, task.jobId, listener),
      this.followedJobs.follow(task.jobId),
    ];
    // Changes that are durable but not readable yet get no event: they were committed before the job was followed.
    void this.untilReadable()?.then(() => {
      if (this.byTask.get(taskId)?.has(listener) === true) listener();
    });
    return () => {
      for (const leave of leaves) leave();
    };
  }

  /** Calls every listener: events may be lost. */
  publishAll(): void {
    for (const listeners of [...this.byTask.values()]) for (const listener of [...listeners]) listener();
  }

  publish(event: TaskEvent): void {
    const listeners = event.kind === 'job' ? this.byJob.get(event.jobId) : this.byTask.get(event.taskId);
    for (const listener of [...(listeners ?? [])]) listener();
  }

  publishDomain(event: DomainEvent): void {
    if (event.subject === 'tasks') this.publish({ kind: 'status', taskId: event.payload.task_id });
    if (event.subject === 'jobs' || event.subject === 'tasks-lost')
      this.publish({ kind: 'job', jobId: event.payload.job_id });
  }
}

/** Adds a listener and returns the function that removes it. */
function enter<Key>(listeners: Map<Key, Set<Listener>>, key: Key, listener: Listener): () => void {
  const entered = listeners.get(key) ?? new Set();
  listeners.set(key, entered.add(listener));
  return () => {
    entered.delete(listener);
    if (entered.size === 0 && listeners.get(key) === entered) listeners.delete(key);
  };
}
