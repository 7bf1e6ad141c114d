import type { Test } from 'tap';
import type { ServiceEnvelope } from '../../../actors/service-messages.ts';
import { replyTo } from '../../../actors/kernel/address.ts';
import { startFront } from '../../../http/front.ts';
import { JobLists } from '../../../http/lists/job-lists.ts';
import { TaskLists } from '../../../http/lists/task-lists.ts';
import type { Ports, Preparation, PreparationRequest, TaskEvent } from '../../../http/ports.ts';
import type { RateLimitSettings } from '../../../http/guards/rate-limit.ts';
import type { HttpServer } from '../../../http/server/server.ts';
import { createMemoryStore } from '../../../src/adapters/memory/memory-store.ts';
import { DiagnosticLog } from '../../../src/core/diagnostics/diagnostic-log.ts';
import type { TaskAddress } from '../../../src/core/ids.ts';
import { taskIdOf } from '../../../src/core/ids.ts';
import { done, type Outcome } from '../../../src/core/problems.ts';
import type { Change } from '../../../src/core/records/change-set.ts';
import type { JobNotice } from '../../../src/core/ports/committed-changes.ts';
import type { LogChunk } from '../../../src/core/records/log-chunk.ts';
import { Client } from './client.ts';
import { jobPlan, stepPlan, T0 } from './records.ts';

export interface Logged {
  readonly level: string;
  readonly text: string;
  readonly attributes: Readonly<Record<string, string>>;
}

/**
 * The front on a free port of this machine, with the rest of the service in memory. What is not set up answers as a
 * healthy, empty service.
 */
export class House {
  readonly store = createMemoryStore();
  /** What the front sent to actors, in order. */
  readonly asked: ServiceEnvelope[] = [];
  /** What actors answer. */
  answer: (envelope: ServiceEnvelope) => Outcome<unknown> | Promise<Outcome<unknown>> = () => done(null);
  readonly prepared: PreparationRequest[] = [];
  preparation: Preparation = {
    ok: true,
    job: { plan: jobPlan([stepPlan(0, 'render', 1, { kind: 'single' })]), description: '', extensions: [] },
  };
  acceptsSubmissions = true;
  now = T0;
  steadyNow = 0;
  /** By slot. */
  readonly tallies = new Map<number, number>();
  health: Ports['health'] = { store: () => Promise.resolve(), bus: () => Promise.resolve() };
  diagnostics: DiagnosticLog | null = new DiagnosticLog(2000);
  readonly logged: Logged[] = [];
  /** Waits that are running, by length. Tests end them; none ends by itself. */
  readonly delays: { readonly milliseconds: number; end(): void }[] = [];

  readonly #logs = new Map<string, LogChunk[]>();
  readonly #listeners = new Set<(event: TaskEvent) => void>();
  readonly #waiters: { isDone(): boolean; resolve(): void }[] = [];
  readonly #notices: JobNotice[] = [];
  #sequence = 0;
  #ids = 0;

  /** Writes to the store. */
  write(...changes: readonly Change[]): void {
    this.#sequence += 1;
    const jobs = changes.flatMap((change) =>
      change.table !== 'job' || change.op === 'removePrefix' ? [] : [change.key],
    );
    this.#notices.push({ number: this.#sequence, keys: jobs, prefixes: [] });
    this.store.commit({ version: 1, shard: 0, sequence: this.#sequence, changes }, () => undefined);
    this.store.flushAll();
  }

  addChunk(task: TaskAddress, chunk: LogChunk): void {
    const taskId = taskIdOf(task);
    this.#logs.set(taskId, [...(this.#logs.get(taskId) ?? []), chunk]);
  }

  emit(event: TaskEvent): void {
    for (const listener of this.#listeners) listener(event);
  }

  get listeners(): number {
    return this.#listeners.size;
  }

  /** Resolves when something in this house has made the condition true. */
  until(isDone: () => boolean): Promise<void> {
    if (isDone()) return Promise.resolve();
    return new Promise((resolve) => {
      this.#waiters.push({ isDone, resolve });
    });
  }

  #noticed(): void {
    for (const waiter of this.#waiters) if (waiter.isDone()) waiter.resolve();
  }

  ports(): Ports {
    const state = { store: this.store, renew: () => undefined };
    return {
      store: this.store,
      jobLists: new JobLists(state, {
        settled: () => this.#sequence,
        take: () => this.#notices.splice(0),
      }),
      taskLists: new TaskLists(state, { of: () => this.#sequence, settled: () => this.#sequence }),
      actors: {
        ask: async <Answer>(make: (to: ReturnType<typeof replyTo>) => ServiceEnvelope) => {
          const envelope = make(replyTo('front'));
          this.asked.push(envelope);
          const answered = this.answer(envelope);
          this.#noticed();
          // The test says what the actor answers, as the message's comment has it.
          return (await answered) as Outcome<Answer>;
        },
      },
      prepareJob: (request) => {
        this.prepared.push(request);
        return Promise.resolve(this.preparation);
      },
      logs: {
        page: (task, afterBusSeq, limit) =>
          (this.#logs.get(taskIdOf(task)) ?? [])
            .filter((chunk) => chunk.busSeq > afterBusSeq)
            .slice(0, limit),
      },
      events: {
        subscribe: (listener) => {
          this.#listeners.add(listener);
          this.#noticed();
          return () => {
            this.#listeners.delete(listener);
            this.#noticed();
          };
        },
      },
      health: { store: () => this.health.store(), bus: () => this.health.bus() },
      metrics: () => Promise.resolve('# TYPE svc_up gauge\nsvc_up 1\n'),
      tally: (slot) => this.tallies.get(slot) ?? 0,
      diagnostics: () => this.diagnostics,
      version: { version: '0.1.0', commit: 'abc', builtAt: '2026-11-20T10:00:00Z', node: 'v20.20.2' },
      acceptsSubmissions: () => this.acceptsSubmissions,
      serverRetry: { maxAttempts: 3, retryDelaySeconds: 10, failureLimit: 0 },
      newId: () => {
        this.#ids += 1;
        return `00000000-0000-7000-8000-${String(this.#ids).padStart(12, '0')}`;
      },
      now: () => this.now,
      steadyNow: () => this.steadyNow,
      delay: (milliseconds, signal) =>
        new Promise((resolve) => {
          const delay = {
            milliseconds,
            end: (): void => {
              this.delays.splice(this.delays.indexOf(delay), 1);
              resolve();
            },
          };
          this.delays.push(delay);
          signal.addEventListener('abort', () => {
            if (this.delays.includes(delay)) delay.end();
          });
          this.#noticed();
        }),
      log: (level, text, attributes) => {
        this.logged.push({ level, text, attributes });
        this.#noticed();
      },
    };
  }
}

export const NO_RATE_LIMIT: RateLimitSettings = { limit: null, trustProxy: false };

export interface OpenHouse {
  readonly house: House;
  readonly client: Client;
  readonly server: HttpServer;
}

/** Starts a front that ends with the test. */
export async function openHouse(
  t: Test,
  corsOrigins: readonly string[] = [],
  rateLimit: RateLimitSettings = NO_RATE_LIMIT,
): Promise<OpenHouse> {
  const house = new House();
  const server = await startFront({ host: '127.0.0.1', port: 0, corsOrigins, rateLimit }, house.ports());
  const client = new Client(server.port);
  t.teardown(async () => {
    client.close();
    await server.stop(0);
  });
  return { house, client, server };
}
