import {
  attemptIdOf,
  workerId,
  type AttemptId,
  type JobId,
  type TaskAddress,
  type WorkerId,
} from '../../src/core/ids.ts';
import type { AttemptRecord } from '../../src/core/records/attempt.ts';
import type { JobRecord } from '../../src/core/records/job.ts';
import { readAttempts } from '../../src/core/records/open-attempt.ts';
import { keys } from '../../src/core/records/tables.ts';
import { readTask, untouchedTask, type TaskState } from '../../src/core/records/task-page.ts';
import type { WorkerRecord } from '../../src/core/records/worker.ts';
import { TestFarmBase } from './farm-frame.ts';

/** Stored rows of a test farm, looked up by the names of a scenario. */
export abstract class TestFarmRows extends TestFarmBase {
  /** Ids of workers that the service has assigned, by name. */
  readonly workerIds = new Map<string, WorkerId>();

  job(name: string): JobRecord {
    for (const { value: job } of this.store.scan('job')) if (job.name === name) return job;
    throw new Error(`there is no job ${name}`);
  }

  worker(name: string): WorkerRecord {
    const worker = this.store.get('worker', this.idOf(name));
    if (worker === undefined) throw new Error(`there is no worker ${name}`);
    return worker;
  }

  bookedCores(name: string): number {
    const bookings = this.store.get('booking', keys.booking(this.worker(name).id))?.bookings ?? [];
    return bookings.reduce((sum, booking) => sum + booking.cores, 0);
  }

  task(word: string): TaskState {
    const address = this.address(word);
    const page = this.store.get('taskPage', keys.taskPageOf(address));
    const step = this.store.get('step', keys.step(address.jobId, address.stepOrder));
    if (step === undefined) throw new Error(`there is no task ${word}`);
    const own = page === undefined ? null : readTask(page, address.index);
    return own ?? untouchedTask(step.untouched);
  }

  /** Returns the failure reason of a task, or an empty string. */
  reason(word: string): string {
    const address = this.address(word);
    const own = this.store.get('taskText', keys.taskText(address))?.failureReason;
    const step = this.store.get('step', keys.step(address.jobId, address.stepOrder));
    return own ?? step?.untouched.failureReason ?? '';
  }

  attempts(word: string): AttemptRecord[] {
    const address = this.address(word);
    const job = this.store.get('job', keys.job(address.jobId));
    if (job === undefined) throw new Error(`there is no task ${word}`);
    return [...readAttempts(this.store, { farmId: job.farmId, address, task: this.task(word) })];
  }

  attemptId(word: string): AttemptId {
    const number = word.split('#')[1];
    return attemptIdOf({
      ...this.address(word),
      attemptNumber: number === undefined ? this.task(word).attemptNumber : Number(number),
    });
  }

  /** Parses `A/0/3` or `A/0/3#2`: task 3 of the first step of the job A, and its second attempt. */
  address(word: string): TaskAddress {
    const [name = '', stepOrder = '', index = ''] = (word.split('#')[0] ?? '').split('/');
    return { jobId: this.jobId(name), stepOrder: Number(stepOrder), index: Number(index) };
  }

  jobId(name: string): JobId {
    return this.job(name).id;
  }

  protected idOf(workerName: string): WorkerId {
    return this.workerIds.get(workerName) ?? workerId(`id-of-${workerName}`);
  }
}
