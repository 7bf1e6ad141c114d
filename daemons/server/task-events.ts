import type { FollowedJobs } from '../../http/ports.ts';
import { taskIdOf, type JobId, type TaskAddress, type TaskId } from '../../src/core/ids.ts';
import type { DomainEvent } from '../../src/core/wire/events.ts';
import type { TaskEvent, TaskEvents } from '../../http/log-follow/task-events.ts';

type Listener = () => void;

/**
 * Tells followers in this process that a task, its job or its log has changed; what they then read from the store is new. An event
 * reaches those whom it concerns, and costs nothing for all the others.
 */
export class TaskEventHub implements TaskEvents {
  private readonly followedJobs: FollowedJobs;
  private readonly untilReadable: () => Promise<void> | null;
  private readonly byTask = new Map<TaskId, Set<Listener>>();
  private readonly byJob = new Map<JobId, Set<Listener>>();

  /** `untilReadable` resolves when all that is on disk can be read, and gives null when it can be already. */
  constructor(followedJobs: FollowedJobs, untilReadable: () => Promise<void> | null) {
    this.followedJobs = followedJobs;
    this.untilReadable = untilReadable;
  }

  get hasListeners(): boolean {
    return this.byTask.size > 0;
  }

  /** Whether somebody watches a task of the job. */
  watches(job: JobId): boolean {
    return this.byJob.has(job);
  }

  watch(task: TaskAddress, changed: () => void): () => void {
    // Of its own, should the same function watch twice.
    const listener: Listener = () => changed();
    const taskId = taskIdOf(task);
    const leaves = [
      enter(this.byTask, taskId, listener),
      enter(this.byJob, task.jobId, listener),
      this.followedJobs.follow(task.jobId),
    ];
    // Of what was on disk before anybody followed, and could not be read yet, nothing is said.
    void this.untilReadable()?.then(() => {
      if (this.byTask.get(taskId)?.has(listener) === true) listener();
    });
    return () => {
      for (const leave of leaves) leave();
    };
  }

  publish(event: TaskEvent): void {
    const listeners = event.kind === 'job' ? this.byJob.get(event.jobId) : this.byTask.get(event.taskId);
    for (const listener of [...(listeners ?? [])]) listener();
  }

  publishDomain(event: DomainEvent): void {
    if (event.subject === 'tasks') this.publish({ kind: 'status', taskId: event.payload.task_id });
    if (event.subject === 'jobs') this.publish({ kind: 'job', jobId: event.payload.job_id });
  }
}

/** Gives the function that takes the listener out again. */
function enter<Key>(listeners: Map<Key, Set<Listener>>, key: Key, listener: Listener): () => void {
  const entered = listeners.get(key) ?? new Set();
  listeners.set(key, entered.add(listener));
  return () => {
    entered.delete(listener);
    if (entered.size === 0 && listeners.get(key) === entered) listeners.delete(key);
  };
}
