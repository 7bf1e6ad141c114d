import { randomInt } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { ask, mayRepeat, type Answer } from './client.ts';
import type { Observation, Order, Submission } from './history.ts';
import { recordedTemplate, uptimeNow } from './task-program.ts';

/** A request is repeated with its key until it is decided, or for this long. */
const REPEAT_MS = 60_000;
const REPEAT_PAUSE_MS = 250;
const READ_PAUSE_MS = 500;
const ENDED: readonly string[] = ['completed', 'failed', 'canceled'];
const TASKS_MAX = 3;
const SHORTEST_MS = 300;
const LONGEST_MS = 2500;

export interface LoadOptions {
  readonly farmId: string;
  readonly queueId: string;
  /** File of the records of the tasks. */
  readonly recordFile: string;
  /** Pause of each client between two jobs. */
  readonly pauseMs: number;
}

export interface Front {
  readonly name: string;
  readonly url: string;
}

interface ReadJob {
  readonly id: string;
  readonly status: string;
}

/** Clients that submit, cancel, retry and read jobs through all nodes, and record what was acknowledged. */
export class Load {
  readonly submissions: Submission[] = [];
  readonly orders: Order[] = [];
  readonly observations: Observation[] = [];
  /** Answers that no node may give. */
  readonly refusals: string[] = [];
  /** Reads of a state that the same client had received from another node, and those that were older than it. */
  readsAgain = 0;
  readonly staleReads: string[] = [];
  readonly #fronts: readonly Front[];
  readonly #options: LoadOptions;
  #isStopped = false;
  #running: Promise<unknown> = Promise.resolve();

  constructor(fronts: readonly Front[], options: LoadOptions) {
    this.#fronts = fronts;
    this.#options = options;
  }

  /** Starts one client for each node. */
  start(): void {
    this.#running = Promise.all(this.#fronts.map((_, index) => this.#client(index)));
  }

  /** Resolves when the last requests are decided, or were repeated for long enough. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    await this.#running;
  }

  async #client(first: number): Promise<void> {
    for (let count = 0; !this.#isStopped; count++) {
      await this.#oneJob(first, `job-${first}-${count}`, count);
      await delay(this.#options.pauseMs);
    }
  }

  /** Every fifth job is canceled, every fifth fails and is retried; the others run to their end. */
  async #oneJob(first: number, key: string, count: number): Promise<void> {
    const failsFirst = count % 5 === 4;
    const tasks = 1 + randomInt(TASKS_MAX);
    const submission: Submission = { key, tasks, failsFirst, jobId: null };
    this.submissions.push(submission);
    const milliseconds = SHORTEST_MS + randomInt(LONGEST_MS - SHORTEST_MS);
    const { farmId, queueId, recordFile } = this.#options;
    const query = new URLSearchParams({
      farm_id: farmId,
      queue_id: queueId,
      ...(failsFirst ? { max_attempts: '1' } : {}),
    });
    const answer = await this.#repeated(first, `/api/v1/jobs?${query.toString()}`, {
      body: recordedTemplate({ name: key, tasks, milliseconds, failsFirst }, recordFile),
      key,
      // The first request is in progress, on a node that may have lost it.
      repeats: [409],
    });
    if (answer === null) return;
    if (answer.status !== 201) {
      this.refusals.push(`submission of ${key}: ${answer.status} ${JSON.stringify(answer.body)}`);
      return;
    }
    const { id } = answer.body as ReadJob;
    submission.jobId = id;
    await this.#readAgain(first + 1, id, []);
    if (count % 5 === 2) await this.#order(first, id, 'cancel');
    else if (failsFirst) void this.#retryWhenFailed(first, id);
    else void this.#readUntilEnded(first, id);
  }

  async #order(first: number, jobId: string, what: Order['what']): Promise<void> {
    const answer = await this.#repeated(first, `/api/v1/jobs/${jobId}/${what}`, {});
    if (answer !== null && answer.status < 300) this.orders.push({ jobId, what, at: uptimeNow() });
    // A job that has ended cannot be canceled.
    else if (answer !== null && answer.status !== 409)
      this.refusals.push(`${what} of ${jobId}: ${answer.status} ${JSON.stringify(answer.body)}`);
  }

  async #retryWhenFailed(first: number, jobId: string): Promise<void> {
    const status = await this.#readUntilEnded(first, jobId);
    if (status !== 'failed') return;
    await this.#order(first, jobId, 'retry');
    await this.#readUntilEnded(first, jobId, true);
  }

  /** Reads a job from all nodes in turn until it has ended. Returns null if the load was stopped before. */
  async #readUntilEnded(first: number, jobId: string, isRetried = false): Promise<string | null> {
    for (let turn = first; !this.#isStopped; turn++) {
      const front = this.#front(turn);
      const at = uptimeNow();
      const answer = await ask(`${front.url}/api/v1/jobs/${jobId}`);
      if (answer?.status === 200) {
        const { status } = answer.body as ReadJob;
        // The failure before the retry. Only a node that says so may still show it.
        const isOld = isRetried && status === 'failed';
        if (isOld && !answer.isStale) this.#noteStale(jobId, front.name, status);
        if (ENDED.includes(status) && !isOld) {
          this.observations.push({ jobId, node: front.name, status, at });
          await this.#readAgain(turn + 1, jobId, ENDED);
          return status;
        }
      }
      await delay(READ_PAUSE_MS);
    }
    return null;
  }

  /**
   * Reads a job from a node, which must not answer with an older state than this client has received: the job exists, with one
   * of the statuses (any if empty).
   */
  async #readAgain(turn: number, jobId: string, statuses: readonly string[]): Promise<void> {
    const { name, url } = this.#front(turn);
    const answer = await ask(`${url}/api/v1/jobs/${jobId}`);
    if (answer === null || answer.isStale || mayRepeat(answer)) return;
    this.readsAgain++;
    const status = answer.status === 200 ? (answer.body as ReadJob).status : String(answer.status);
    if (answer.status === 200 && (statuses.length === 0 || statuses.includes(status))) return;
    this.#noteStale(jobId, name, status);
  }

  #noteStale(jobId: string, node: string, status: string): void {
    const at = new Date().toISOString();
    this.staleReads.push(
      `read of ${jobId} from ${node} at ${at}: ${status} is older than what this client has received`,
    );
  }

  /** Sends a request to one node after the other until it is decided. Returns null if it was not. */
  async #repeated(
    first: number,
    path: string,
    { body, key, repeats = [] }: { body?: object; key?: string; repeats?: readonly number[] },
  ): Promise<Answer | null> {
    const deadline = performance.now() + REPEAT_MS;
    for (let turn = first; performance.now() < deadline; turn++) {
      const { url } = this.#front(turn);
      const answer = await ask(`${url}${path}`, {
        method: 'POST',
        ...(body === undefined ? {} : { body }),
        ...(key === undefined ? {} : { key }),
      });
      if (answer !== null && !mayRepeat(answer) && !repeats.includes(answer.status)) return answer;
      await delay(REPEAT_PAUSE_MS);
    }
    return null;
  }

  #front(turn: number): Front {
    const front = this.#fronts[turn % this.#fronts.length];
    if (front === undefined) throw new Error('a load needs a node');
    return front;
  }
}
