/**
 * Question: what does a turn cost? Runs the real actors under the real kernel, in one thread, in memory. Workers
 * request work and report its end with their next request, so a cycle is one request with the reports of the previous
 * tasks. Without bus, disk and encoding, the rest is the cost of kernel and actors. Yardstick, in the same run and in
 * turns: replaced entries of a Map, with a key that is created each time.
 *
 *   npm run bench -- turns [--workers 256] [--cores 1] [--jobs 1] [--signatures 1] [--parked 0] [--booked 0]
 *     [--policy fifo] [--owners 200] [--milliseconds 2000] [--json]
 *
 * `--parked`: N further workers, no two alike, wait for tasks that never arrive. `--booked`: the farm books N amounts
 * besides cores (docs/policy.md#booked-amounts), at most 4, and each task takes some of each. `--policy`: the queue policy
 * of the farm (docs/policy.md#queue-policies), by owner. The jobs belong to `--owners` owners in turn.
 */
import { createRe2Engine } from '../src/adapters/regex/re2-engine.ts';
import { localPresence } from '../src/adapters/memory/local-presence.ts';
import { randomUUID } from 'node:crypto';
import { parseArgs } from 'node:util';
import { CATALOG_ID } from '../actors/service/catalog/messages.ts';
import { replyTo, type ReplyTo } from '../actors/kernel/address.ts';
import { Kernel } from '../actors/kernel/kernel.ts';
import { completeImmediately, flushImmediately } from '../actors/kernel/immediate-flush.ts';
import { serviceActors } from '../actors/service/service-actors.ts';
import type { ServiceEnvelope } from '../actors/service/service-messages.ts';
import { RECOVERY_BATCH_SIZE } from '../actors/service/lease/recovery.ts';
import { LEASE_HOLD_MS, STALE_ASSIGNED_MS, type ServiceSystem } from '../actors/service/service-system.ts';
import { acceptReports } from '../actors/service/gateway/accept-reports.ts';
import { LocalTallies } from '../src/adapters/memory/local-tallies.ts';
import { createMemoryStore } from '../src/adapters/memory/memory-store.ts';
import { Uuid7 } from '../src/adapters/system/uuid7.ts';
import { EXPR_LIMITS } from '../src/openjd/expr/expr-limits.ts';
import { farmId, workerId, type AttemptId, type WorkerId } from '../src/core/ids.ts';
import type { JobPlan } from '../src/openjd/template/plan.ts';
import { coalesceChanges } from '../src/core/records/change-set.ts';
import type { LeaseReply } from '../src/core/wire/bus-messages.ts';
import { FIFO, QUEUE_POLICIES } from '../src/core/records/queue-policy.ts';
import { ANY_QUEUE } from '../src/core/wire/subjects.ts';
import { saveResult, median } from './kit/results.ts';
import type { Output } from '../actors/kernel/output.ts';

const { values } = parseArgs({
  options: {
    workers: { type: 'string', default: '256' },
    cores: { type: 'string', default: '1' },
    jobs: { type: 'string', default: '1' },
    signatures: { type: 'string', default: '1' },
    parked: { type: 'string', default: '0' },
    booked: { type: 'string', default: '0' },
    policy: { type: 'string', default: 'fifo' },
    owners: { type: 'string', default: '200' },
    milliseconds: { type: 'string', default: '2000' },
    json: { type: 'boolean', default: false },
  },
});
const workers = Number(values.workers);
const cores = Number(values.cores);
const jobs = Number(values.jobs);
const signatures = Number(values.signatures);
const parked = Number(values.parked);
/** Amounts that a farm can book here. Each worker has one of each, or one GiB of memory, for each core. */
const AMOUNTS = [
  'amount.worker.memory',
  'amount.worker.gpu',
  'amount.worker.disk.scratch',
  'amount.scene.cache',
] as const;
const MIB_PER_GIB = 1024;
const booked = AMOUNTS.slice(0, Number(values.booked));
const owners = Number(values.owners);
const policy = QUEUE_POLICIES.find((each) => each === values.policy);
if (policy === undefined) throw new Error(`--policy is one of ${QUEUE_POLICIES.join(', ')}`);
const budgetMs = Number(values.milliseconds);
const ALL_TASKS = 1_000_000;
const REPETITIONS = 5;
/** Rounds of all workers, and replacements by the yardstick, between two readings of the clock. */
const ROUNDS = 8;
const PLAIN_BATCH = 100_000;

const END = { status: 'succeeded', exit_code: 0, timestamp: '', session_id: 'session' } as const;

interface BenchWorker {
  readonly id: WorkerId;
  open: readonly AttemptId[];
}

const store = createMemoryStore();
const tallies = new LocalTallies();
const ids = new Uuid7(() => Date.now());
const swarm: BenchWorker[] = [];
const workersByAddress = new Map<ReplyTo<never>, BenchWorker>();
let sequence = 0;
let isSetUp = false;
let changes = 0;
let leased = 0;
let durable: (() => void)[] = [];

const kernel = new Kernel<ServiceSystem>(
  serviceActors({
    heartbeatTimeoutMs: 3_600_000,
    reclaimAfterMs: 3_600_000,
    singleBus: () => null,
    retry: { maxAttempts: 3, retryDelaySeconds: 10, failureLimit: 0 },
    leaseHoldMs: LEASE_HOLD_MS,
    recoveryBatchSize: RECOVERY_BATCH_SIZE,
    staleAssignedMs: STALE_ASSIGNED_MS,
    webhooks: { retryForMs: 86_400_000, poolExhaustedAfterMs: 600_000, presence: localPresence() },
    unschedulableGraceMs: 30_000,
    reservationAfterMs: 300_000,
    exprMemoryBytes: EXPR_LIMITS.memory,
    retention: { afterMs: 0, includeFailed: false },
    audit: {
      isOn: false,
      retentionMs: 90 * 86_400_000,
      entries: { people: 1_000_000, strangers: 100_000, service: 100_000 },
    },
    workers: { perFarm: 10_000, retentionMs: 0 },
    serviceId: 'bench',
    epoch: null,
    attemptFloor: 1,
    regex: createRe2Engine(),
    tallies,
    ownsFarm: () => true,
  }),
  {
    reader: store,
    newId: () => ids.next(),
    wallClock: () => Date.now(),
    monotonicClock: () => performance.now(),
    commit: (made, onCommit) => {
      const latest = coalesceChanges(made);
      changes += latest.length;
      if (isSetUp) durable.push(completeImmediately(onCommit));
      else store.commit({ version: 1, shard: 0, sequence: ++sequence, changes: latest }, onCommit);
    },
    prepareFlush: (outputs) =>
      flushImmediately(() => {
        for (const output of outputs) hear(output);
      }),
    log: (level, text, attributes) => {
      if (level === 'error' || level === 'warn')
        process.stderr.write(`${level}: ${text} ${JSON.stringify(attributes)}\n`);
    },
    wake: () => undefined,
    fatal: (error) => {
      throw error;
    },
  },
);

const farm = farmId(ids.next());
setUp();
isSetUp = true;
const cycles: number[] = [];
const plain: number[] = [];
let rows = 0;
turnsFor(budgetMs / 4);
for (let repetition = 0; repetition < REPETITIONS; repetition++) {
  const tasksBefore = leased;
  const changesBefore = changes;
  cycles.push(turnsFor(budgetMs / REPETITIONS));
  rows = (changes - changesBefore) / (leased - tasksBefore);
  plain.push(replaceEntries(budgetMs / REPETITIONS / 4));
}
const perTask = median(cycles);
const perEntry = median(plain);
const figures = {
  workers,
  cores,
  jobs,
  signatures,
  parked,
  booked: booked.length,
  policy,
  owners,
  us_per_task: round(perTask * 1000),
  rows_per_task: round(rows),
  us_per_map_entry: round(perEntry * 1000),
  task_in_map_entries: round(perTask / perEntry),
};
saveResult('turns', figures);
if (values.json) process.stdout.write(`${JSON.stringify(figures)}\n`);
else
  for (const [what, figure] of Object.entries(figures))
    process.stdout.write(`${what.padEnd(20)} ${figure}\n`);

/** Processor time of all threads of this process, in milliseconds: other processes may have the cores, too. */
function processorTime(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}

/** Milliseconds per task: in each round every worker reports the end of its tasks and requests more. */
function turnsFor(milliseconds: number): number {
  const before = leased;
  const startedAt = processorTime();
  while (processorTime() - startedAt < milliseconds) {
    for (let round = 0; round < ROUNDS; round++) {
      for (const worker of swarm) ask(worker);
      settle();
    }
  }
  return (processorTime() - startedAt) / (leased - before);
}

function ask(worker: BenchWorker): void {
  const reports = worker.open.map((attempt_id) => ({ attempt_id, ...END }));
  acceptReports(
    { workerId: worker.id, reports, confirmation: { kind: 'lease-reply', inbox: 'poisoned' } },
    { ownsJob: () => true, post: (envelope) => kernel.post(envelope) },
  );
  worker.open = [];
  kernel.post(leaseOf(worker.id, worker.id));
}

function leaseOf(worker: WorkerId, client: string): ServiceEnvelope {
  return {
    actor: 'lease',
    id: farm,
    message: {
      type: 'lease.requested',
      workerId: worker,
      farmId: farm,
      incarnation: 'i',
      queue: ANY_QUEUE,
      replyTo: replyTo(client),
    },
  };
}

/** Keeps the assignments of a worker, and passes on messages between actors of several shards. Other output is ignored. */
function hear(output: Output<ServiceSystem>): void {
  if (output.kind === 'effect') {
    if (output.effect.kind === 'forward') kernel.post(output.effect.envelope);
    return;
  }
  const worker = workersByAddress.get(output.to);
  if (worker === undefined) return;
  // An actor answers a lease request with a LeaseReply; the message's type ensures it.
  const reply = output.answer as LeaseReply;
  if (reply.type !== 'leases') throw new Error('a worker of the bench is unknown');
  leased += reply.assignments.length;
  worker.open = reply.assignments.map((assignment) => assignment.attempt_id);
}

/** Runs turns until nothing waits. A window is on disk as soon as it is made. */
function settle(): void {
  do {
    kernel.pump();
    if (!isSetUp) store.flushAll();
    const written = durable;
    durable = [];
    for (const onDurable of written) onDurable();
  } while (!kernel.isIdle);
}

function setUp(): void {
  const client = replyTo('set up');
  const named = { name: 'bench', description: '', maxConcurrentTasks: 0, retry: {} };
  const bookedAmounts = { names: booked, byDefault: 'none' } as const;
  const queuePolicy =
    policy === undefined || policy === 'fifo' ? {} : { queuePolicy: { ...FIFO, kind: policy } };
  tell({
    actor: 'catalog',
    id: CATALOG_ID,
    message: {
      type: 'farm.create',
      farmId: farm,
      input: { ...named, bookedAmounts, ...queuePolicy },
      replyTo: client,
    },
  });
  const input = { ...named, priority: 0, paused: false };
  tell({ actor: 'farm', id: farm, message: { type: 'queue.create', input, replyTo: client } });
  const [queue] = store.scan('queue');
  if (queue === undefined) throw new Error('the queue was not made');
  for (let job = 0; job < jobs; job++) {
    kernel.post({
      actor: 'farm',
      id: farm,
      message: {
        type: 'job.submit',
        submission: {
          queueId: queue.value.id,
          plan: planOf(job),
          description: '',
          extensions: [],
          template: { text: '' },
          templateFormat: 'yaml',
          owner: `artist${job % owners}`,
          submitter: 'bench',
          project: '',
          priority: 50,
          retry: {},
          isPaused: false,
          product: null,
          upstreams: [],
        },
        replyTo: client,
      },
    });
  }
  settle();
  for (let each = 0; each < workers; each++) {
    const worker: BenchWorker = { id: workerId(randomUUID()), open: [] };
    swarm.push(worker);
    workersByAddress.set(replyTo(worker.id), worker);
    register(worker.id, cores, MIB_PER_GIB * cores, {});
  }
  for (let each = 0; each < parked; each++) {
    const id = workerId(randomUUID());
    register(id, 1, 0, { bench: String(each) });
    kernel.post(leaseOf(id, 'parked'));
  }
  settle();
}

function tell(envelope: ServiceEnvelope): void {
  kernel.post(envelope);
  settle();
}

function register(
  id: WorkerId,
  cpuCount: number,
  memoryMib: number,
  tags: Readonly<Record<string, string>>,
): void {
  kernel.post({
    actor: 'farm',
    id: farm,
    message: {
      type: 'worker.register',
      identity: { kind: 'open' },
      registration: {
        v: 1,
        type: 'register',
        worker_id: id,
        incarnation: 'i',
        name: id,
        hostname: 'bench',
        farm,
        queues: [],
        cpu_count: cpuCount,
        memory_mib: memoryMib,
        ...(booked.length > 0 && {
          gpu_count: cpuCount,
          scratch_mib: MIB_PER_GIB * cpuCount,
          amounts: { 'amount.scene.cache': cpuCount },
        }),
        os: 'linux',
        arch: 'x86_64',
        software_version: '0',
        compute_location: '',
        tags,
        open_attempts: [],
        reply_to: '',
      },
      replyTo: replyTo('set up'),
    },
  });
}

/**
 * One step of one-core tasks. Jobs of different signatures require different memory, which every worker of the swarm
 * has.
 */
function planOf(job: number): JobPlan {
  const count = Math.ceil(ALL_TASKS / jobs);
  return {
    version: 1,
    jobName: `job ${job}`,
    parameters: {},
    environments: [],
    steps: [
      {
        name: 'step',
        order: 0,
        dependsOn: [],
        taskCount: count,
        taskParameters: [{ name: 'Frame', type: 'INT' }],
        space: {
          kind: 'axis',
          name: 'Frame',
          values: { kind: 'runs', runs: [{ start: '1', step: '1', count }] },
        },
        requirements: {
          cores: 1,
          computeLocation: '',
          amounts: [
            { name: 'amount.worker.memory', min: 1 + (job % signatures) },
            ...booked.slice(1).map((name) => ({ name, min: 1 })),
          ],
          pools: [],
          attributes: [],
        },
        environments: [],
        script: { onRun: { command: 'true', args: [] }, embeddedFiles: [] },
      },
    ],
  };
}

/** Milliseconds per entry. */
function replaceEntries(milliseconds: number): number {
  const map = new Map<string, { readonly at: number }>();
  let replaced = 0;
  const startedAt = processorTime();
  while (processorTime() - startedAt < milliseconds) {
    for (let entry = 0; entry < PLAIN_BATCH; entry++) map.set(`${farm}/${entry % workers}`, { at: entry });
    replaced += PLAIN_BATCH;
  }
  if (map.size !== workers) throw new Error('the yardstick is wrong');
  return (processorTime() - startedAt) / replaced;
}

function round(value: number): number {
  return Number(value.toPrecision(3));
}
