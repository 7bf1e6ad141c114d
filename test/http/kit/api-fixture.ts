import { createRe2Engine } from '../../../src/adapters/regex/re2-engine.ts';
import { ProductList } from '../../../http/lists/product-list.ts';
import type { DescribedProducts } from '../../../src/core/products/product-library.ts';
import type { Test } from 'tap';
import type { StepInQuestion } from '../../../actors/service/lease/messages.ts';
import type { ServiceEnvelope } from '../../../actors/service/service-messages.ts';
import { replyTo } from '../../../actors/kernel/address.ts';
import type { Profiler } from '../../../http/debug/pprof.ts';
import { startFront, type BrowserOptions, type Front, type FrontOptions } from '../../../http/front.ts';
import { BodyBudget } from '../../../http/guards/body-budget.ts';
import { FarmWatch } from '../../../http/history/farm-watch.ts';
import { JobLists } from '../../../http/lists/job-lists.ts';
import { TaskLists } from '../../../http/lists/task-lists.ts';
import type { Bundle } from '../../../http/pages/bundle.ts';
import { TaskTails } from '../../../http/log-follow/task-tails.ts';
import { EventHub } from '../../../http/ws/hub.ts';
import { joinPlan, splitPlan } from '../../../daemons/threads/plan-parts.ts';
import { FollowedJobs, followedMemory } from '../../../src/adapters/system/followed-jobs.ts';
import { TaskEventHub } from '../../../daemons/server/task-events.ts';
import { Argon2Passwords } from '../../../src/adapters/identity/argon2-passwords.ts';
import { targetUrlFault } from '../../../src/adapters/webhooks/target-url.ts';
import { randomSecrets } from '../../../src/adapters/identity/random-secrets.ts';
import { AuditRecorder } from '../../../http/audit/audit-recorder.ts';
import type {
  Actors,
  AuthSettings,
  Ports,
  Description,
  Preparation,
  PreparationRequest,
  ServiceFacts,
  EnvironmentsDescription,
  EnvironmentsRequest,
} from '../../../http/ports.ts';
import type { RateLimitSettings } from '../../../http/guards/rate-limit.ts';
import type { HttpServer } from '../../../http/server/server.ts';
import { testEngine } from '../../kit/http-engine.ts';
import { createMemoryStore } from '../../../src/adapters/memory/memory-store.ts';
import { JobActivity } from '../../../src/core/history/job-activity.ts';
import type { BusStanding } from '../../../src/core/bus-identity/open-bus.ts';
import { DiagnosticLog } from '../../../src/core/diagnostics/diagnostic-log.ts';
import type { JobId, TaskAddress } from '../../../src/core/ids.ts';
import { attemptIdOf, taskIdOf } from '../../../src/core/ids.ts';
import type { StoredPreview } from '../../../src/core/previews/preview-record.ts';
import type { StepExplanation } from '../../../src/core/lease/explanation.ts';
import { NO_COUNTS, type ServiceActivity } from '../../../src/core/metrics/state-counts.ts';
import { done, refused, type Outcome } from '../../../src/core/problems.ts';
import type { JobRecord } from '../../../src/core/records/job.ts';
import type { AuditEvent } from '../../../src/core/records/audit-entry.ts';
import type { Change } from '../../../src/core/records/change-set.ts';
import type { JobNotice } from '../../../src/core/ports/committed-changes.ts';
import type { LogChunk, LogPosition } from '../../../src/core/records/log-chunk.ts';
import { LOG_START } from '../../../src/core/records/log-lines.ts';
import { encodeStepBody } from '../../../src/adapters/lmdb/value-encoder.ts';
import type { JobPlan } from '../../../src/openjd/template/plan.ts';
import type { LargeRows, PlanInParts } from '../../../src/core/ports/large-jobs.ts';
import type { LogReader } from '../../../src/core/ports/log-store.ts';
import { Client } from './client.ts';
import { jobPlan, stepPlan, T0 } from './records.ts';
import { NO_CALLBACKS } from '../../kit/commit-callbacks.ts';
import type { TaskEvent } from '../../../http/log-follow/task-events.ts';

/** Splits a plan as a pool thread does. */
export const partsOf = (plan: JobPlan): PlanInParts => splitPlan(plan, encodeStepBody);

export interface Logged {
  readonly level: string;
  readonly text: string;
  readonly attributes: Readonly<Record<string, string>>;
}

/**
 * The REST API and event channel on a free local port, with the rest of the service in memory. Ports that a test does
 * not set up behave like a healthy, empty service.
 */
export class ApiFixture {
  readonly store = createMemoryStore();
  /** Messages to actors, in order. */
  readonly asked: ServiceEnvelope[] = [];
  /** Replies of the actors. */
  answer: (envelope: ServiceEnvelope) => Outcome<unknown> | Promise<Outcome<unknown>> = () => done(null);
  /** Questions about the steps of lists, which are not in `asked`. */
  readonly stepsAsked: (readonly StepInQuestion[])[] = [];
  /** Replies to them. Without steps, the farm recovers: no item of a list has a reason. */
  explainSteps: (
    steps: readonly StepInQuestion[],
  ) => Outcome<readonly StepExplanation[]> | Promise<Outcome<readonly StepExplanation[]>> = () => done([]);
  /** Rows that were stored ahead of their jobs and not removed. */
  readonly storedAhead = new Map<JobId, LargeRows>();
  readonly prepared: PreparationRequest[] = [];
  readonly described: unknown[] = [];
  description: Description = { ok: true, description: { parameters: [], usagePools: [], tags: [] } };
  builtIns: DescribedProducts = new Map();
  presets: DescribedProducts = new Map();
  /**
   * Returns a promise that resolves when everything on disk is readable; null if it is already. Called by each
   * request that reads.
   */
  behind: () => Promise<void> | null = () => null;
  /** Number of renewals of the snapshot. */
  renewed = 0;
  /** Requests to check environments of a queue, and the answer to each. */
  readonly checkedEnvironments: EnvironmentsRequest[] = [];
  environments: EnvironmentsDescription = { ok: true, name: 'Conda', parameters: [] };
  preparation: Preparation = {
    ok: true,
    previews: [],
    job: {
      plan: partsOf(jobPlan([stepPlan(0, 'render', 1, { kind: 'single' })])),
      rows: null,
      description: '',
      extensions: [],
      environments: [],
    },
  };
  acceptsSubmissions = true;
  /** Settings of authentication. */
  auth: AuthSettings = AUTH_OFF;
  /** The cluster that the fixture is a node of; null: a single node. */
  cluster: Ports['cluster'] = null;
  /** Sign-in by a provider. */
  oidc: Ports['oidc'] = null;
  /** Join tokens; off as on a bus without authentication. */
  workerTokens: Ports['workerTokens'] = { isOn: false, reason: 'no authentication' };
  /** Events that were stored in the audit log, in order. */
  readonly audited: AuditEvent[] = [];
  /** Whether the audit log can be written. */
  storesAudit = true;
  /** Messages without a reply that were sent to actors. */
  readonly told: ServiceEnvelope[] = [];
  settings: ServiceFacts = {
    bus: { urls: ['nats://127.0.0.1:14222'], port: 14222, isLocal: true },
    isBusManaged: true,
    heartbeatTimeoutMs: 30_000,
    reclaimAfterMs: 45_000,
    jobLinks: [],
  };
  busStanding: BusStanding = { kind: 'closed' };
  activity: ServiceActivity = { state: NO_COUNTS, parkedRequests: 0, leasedPerSecond: 0 };
  isStopping = false;
  now = T0;
  steadyNow = 0;
  /** By slot. */
  readonly tallies = new Map<number, number>();
  health: Ports['health'] = { store: () => Promise.resolve(), bus: () => Promise.resolve() };
  diagnostics: DiagnosticLog | null = new DiagnosticLog(2000);
  readonly logged: Logged[] = [];
  /** Running delays. Tests end them; none ends by itself. */
  readonly delays: { readonly milliseconds: number; end(): void }[] = [];

  /** Newest chunk on the bus by task. */
  readonly onBus = new Map<string, LogPosition>();
  /** Number of reads of task logs. */
  logReads = 0;
  /** Stored previews, in order. */
  previews: readonly StoredPreview[] = [];

  readonly events = new EventHub({
    replayDepth: 20,
    now: () => this.now,
    steadyNow: () => this.steadyNow,
  });

  readonly jobActivity = new JobActivity(T0);
  /** Set by `ports`. */
  farmWatch: FarmWatch | null = null;

  readonly #logs = new Map<string, LogChunk[]>();
  readonly followedJobs = new FollowedJobs(followedMemory());
  readonly #events = new TaskEventHub(this.followedJobs, () => null);
  #watches = 0;
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
    this.#notices.push({ transaction: this.#sequence, keys: jobs, prefixes: [] });
    this.store.commit({ version: 1, shard: 0, sequence: this.#sequence, changes }, NO_CALLBACKS);
    this.store.flushAll();
  }

  addChunk(task: TaskAddress, chunk: LogChunk): void {
    const taskId = taskIdOf(task);
    this.#logs.set(taskId, [...(this.#logs.get(taskId) ?? []), chunk]);
  }

  removeLog(task: TaskAddress): void {
    this.#logs.delete(taskIdOf(task));
  }

  emit(event: TaskEvent): void {
    this.#events.publish(event);
  }

  /** Number of watched tasks. */
  get watches(): number {
    return this.#watches;
  }

  /** Resolves when a change in this fixture makes the condition true. */
  until(isDone: () => boolean): Promise<void> {
    if (isDone()) return Promise.resolve();
    return new Promise((resolve) => {
      this.#waiters.push({ isDone, resolve });
    });
  }

  #noticed(): void {
    for (const waiter of this.#waiters) if (waiter.isDone()) waiter.resolve();
  }

  #chunksOf(task: TaskAddress): readonly LogChunk[] {
    return this.#logs.get(taskIdOf(task)) ?? [];
  }

  #send(envelope: ServiceEnvelope): ReturnType<ApiFixture['answer']> {
    if (envelope.actor === 'lease' && envelope.message.type === 'steps.explain') {
      this.stepsAsked.push(envelope.message.steps);
      this.#noticed();
      return this.explainSteps(envelope.message.steps);
    }
    if (envelope.actor === 'audit' && envelope.message.type === 'audit.record') {
      if (!this.storesAudit) return refused('unavailable', 'the service is stopping');
      this.audited.push(...envelope.message.events);
      this.#noticed();
      return done(null);
    }
    this.asked.push(envelope);
    const answered = this.answer(envelope);
    this.#noticed();
    return answered;
  }

  #delay(milliseconds: number, signal: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
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
    });
  }

  #newId(): string {
    this.#ids += 1;
    return `00000000-0000-7000-8000-${String(this.#ids).padStart(12, '0')}`;
  }

  #actors(): Actors {
    return {
      ask: async <Answer>(make: (to: ReturnType<typeof replyTo>) => ServiceEnvelope) => {
        // The test sets the actor's reply, of the type that the message's comment names.
        return (await this.#send(make(replyTo('front')))) as Outcome<Answer>;
      },
      tell: (envelope) => {
        this.told.push(envelope);
        this.#noticed();
      },
      submit: async (farm, submission, plan) => {
        const message = {
          type: 'job.submit',
          submission: { ...submission, plan: joinPlan(plan) },
          replyTo: replyTo('front'),
        } as const;
        return (await this.#send({ actor: 'farm', id: farm, message })) as Outcome<JobRecord>;
      },
    };
  }

  ports(): Ports {
    const state = { store: this.store, renew: () => undefined };
    const logs: LogReader = {
      page: (task, afterBusSeq, limit, enough = Infinity) => {
        this.logReads += 1;
        let characters = 0;
        const page: LogChunk[] = [];
        for (const chunk of this.#chunksOf(task)) {
          if (chunk.busSeq <= afterBusSeq) continue;
          if (page.length >= limit || characters >= enough) break;
          page.push(chunk);
          characters += chunk.data.length;
        }
        return page;
      },
      extent: (task) => {
        const chunks = this.#chunksOf(task);
        const bytes = chunks.reduce((sum, { data }) => sum + Buffer.byteLength(data), 0);
        return { lastBusSeq: chunks.at(-1)?.busSeq ?? 0, bytes };
      },
      previews: (task) => this.previews.filter((preview) => taskIdOf(preview.task) === taskIdOf(task)),
      jobPreviews: (job, { after, limit }) => {
        const all = this.previews.filter(({ task }) => task.jobId === job);
        const isAfter = ({ task, number }: Pick<StoredPreview, 'task' | 'number'>): boolean =>
          after !== null && number === after.number && taskIdOf(task) === taskIdOf(after.task);
        const items = all.slice(all.findIndex(isAfter) + 1);
        return { items: items.slice(0, limit), isMore: items.length > limit };
      },
      newestPreview: (job) =>
        this.previews.findLast(({ task, record }) => task.jobId === job && record.content.kind === 'image') ??
        null,
      arrival: (task, { attempt, seqNum }) => {
        const chunks = this.#chunksOf(task);
        const id = attemptIdOf(attempt);
        return chunks.some((chunk) => chunk.attemptId === id && chunk.seqNum === seqNum) ? 'whole' : 'behind';
      },
      markBefore: () => ({ ...LOG_START, afterBusSeq: 0 }),
    };
    const tails = new TaskTails({
      state,
      logs,
      bus: { lastOf: (id) => Promise.resolve(this.onBus.get(id) ?? null), takenInAt: () => 0 },
      events: {
        watch: (task, changed) => {
          this.#watches += 1;
          this.#noticed();
          const unwatch = this.#events.watch(task, changed);
          return () => {
            this.#watches -= 1;
            unwatch();
            this.#noticed();
          };
        },
      },
      now: () => this.now,
      steadyNow: () => this.steadyNow,
      delay: (milliseconds) => this.#delay(milliseconds, new AbortController().signal),
      warn: (text, attributes) => {
        this.logged.push({ level: 'warn', text, attributes });
      },
    });
    const jobLists = new JobLists(
      state,
      { lastReadable: () => this.#sequence, take: () => this.#notices.splice(0) },
      this.jobActivity,
    );
    this.farmWatch = new FarmWatch(state, this.jobActivity, jobLists, () => this.now);
    this.farmWatch.samplePools((slot) => this.tallies.get(slot) ?? 0);
    const workerTokens = (): Ports['workerTokens'] => this.workerTokens;
    const base = {
      actors: this.#actors(),
      newId: () => this.#newId(),
      steadyNow: () => this.steadyNow,
      delay: (milliseconds: number, signal: AbortSignal) => this.#delay(milliseconds, signal),
      log: (level: string, text: string, attributes: Logged['attributes']) => {
        this.logged.push({ level, text, attributes });
        this.#noticed();
      },
    };
    return {
      ...base,
      cluster: this.cluster,
      // Stores denials at once: its delays are not among those of the test.
      audit: this.auth.enabled ? new AuditRecorder({ ...base, delay: () => Promise.resolve() }) : null,
      store: this.store,
      commits: {
        count: () => this.#sequence,
        renew: () => {
          this.renewed += 1;
        },
        untilReadable: () => this.behind(),
      },
      jobLists,
      history: this.farmWatch,
      taskLists: new TaskLists(state, { of: () => this.#sequence, readableVersion: () => this.#sequence }),
      passwords: new Argon2Passwords(),
      directory: null,
      secrets: randomSecrets,
      get workerTokens() {
        return workerTokens();
      },
      webhooks: {
        urlFault: (url) => targetUrlFault(url, { names: [], networks: [] }),
        formats: () => Promise.resolve([{ name: 'generic', title: 'Callsheet event' }]),
      },
      oidc: this.oidc,
      auth: this.auth,
      largeJobs: {
        storeProvisionalJob: (job, rows) => {
          this.storedAhead.set(job, rows);
          return Promise.resolve();
        },
        discardProvisionalJob: (job) => {
          this.storedAhead.delete(job);
        },
      },
      prepareJob: (request) => {
        this.prepared.push(request);
        return Promise.resolve(this.preparation);
      },
      describeTemplate: (request) => {
        this.described.push(request);
        return Promise.resolve(this.description);
      },
      describeEnvironments: (request) => {
        this.checkedEnvironments.push(request);
        return Promise.resolve(this.environments);
      },
      products: {
        builtIns: () => Promise.resolve(this.builtIns),
        presets: () => Promise.resolve(this.presets),
      },
      productList: new ProductList(),
      logs,
      tails,
      events: this.events,
      taskEvents: this.#events,
      followedJobs: this.followedJobs,
      health: { store: () => this.health.store(), bus: () => this.health.bus() },
      activity: () => this.activity,
      metrics: () => Promise.resolve('# TYPE svc_up gauge\nsvc_up 1\n'),
      tally: (slot) => this.tallies.get(slot) ?? 0,
      diagnostics: () => this.diagnostics,
      version: { version: '0.1.0', commit: 'abc', builtAt: '2026-11-20T10:00:00Z', node: 'v20.20.2' },
      settings: () => this.settings,
      busStanding: () => this.busStanding,
      storePages: () => ({
        state: { fileBytes: 40_960, pageBytes: 4096, usedPages: 7, freePages: 3 },
        logs: { fileBytes: 16_384, pageBytes: 4096, usedPages: 4, freePages: 0 },
      }),
      isStopping: () => this.isStopping,
      acceptsSubmissions: () => this.acceptsSubmissions,
      regex: createRe2Engine(),
      serverRetry: { maxAttempts: 3, retryDelaySeconds: 10, failureLimit: 0 },
      now: () => this.now,
    };
  }
}

/** Authentication off, with the other settings as by default. */
export const AUTH_OFF: AuthSettings = {
  enabled: false,
  cookieName: 'svc_session',
  cookieSecure: 'auto',
  ttlMs: 168 * 3_600_000,
  validateJobOwner: true,
  slowsFailedLogins: true,
  passwordLengthMin: 8,
};

/** Returns limits of the request bodies and connections that no test reaches by accident. */
export const wideLimits = (): Pick<FrontOptions, 'bodies' | 'connectionsPerClient'> => ({
  bodies: new BodyBudget({ perClient: 64 * 1024 * 1024, total: 256 * 1024 * 1024 }),
  connectionsPerClient: 1_000,
});

export const NO_RATE_LIMIT: RateLimitSettings = { limit: null, trustProxy: false };

export interface StartedApi {
  readonly api: ApiFixture;
  readonly client: Client;
  readonly server: HttpServer;
}

/** Settings for browsers that a test may change. The service answers to the hosts `a` and `b`, and to the loopback. */
export const BROWSER_OPTIONS: BrowserOptions = {
  corsOrigins: [],
  allowedHosts: [],
  publicUrl: null,
  machine: { names: ['a', 'b'], addresses: () => ['192.0.2.10', '2001:db8::10'] },
};

/** Starts an API fixture for browsers that stops with the test. */
export async function startForBrowsers(
  t: Test,
  browsers: Partial<BrowserOptions>,
  others: Partial<FrontOptions> = {},
  auth: AuthSettings = AUTH_OFF,
): Promise<StartedApi & { readonly server: Front }> {
  const api = new ApiFixture();
  api.auth = auth;
  const standard = {
    rateLimit: NO_RATE_LIMIT,
    profiler: null,
    pprofAddress: null,
    pages: null,
    accessLog: null,
    ...wideLimits(),
  };
  const server = await startFront(
    {
      host: '127.0.0.1',
      port: 0,
      engine: testEngine(),
      ...standard,
      ...BROWSER_OPTIONS,
      ...browsers,
      ...others,
    },
    api.ports(),
  );
  const client = new Client(server.port);
  t.teardown(async () => {
    client.close();
    await server.stop(0);
  });
  return { api, client, server };
}

/** Starts an API fixture that stops with the test. */
export function startApi(
  t: Test,
  corsOrigins: readonly string[] = [],
  rateLimit: RateLimitSettings = NO_RATE_LIMIT,
  profiler: Profiler | null = null,
  pages: Bundle | null = null,
  limits: ReturnType<typeof wideLimits> = wideLimits(),
): Promise<StartedApi> {
  return startForBrowsers(t, { corsOrigins }, { rateLimit, profiler, pages, ...limits });
}
