/**
 * Question: how fast is the answer to "why does my task wait"? Measures GET /tasks/{id}/explain on a farm of thousands
 * of different workers, with a thousand jobs of two hundred kinds. Yardstick of the same run: a plain read of the task.
 *
 *   npm run bench -- explain [--workers 5000] [--jobs 1000] [--requests 300] [--booked] [--policies] [--json]
 *
 * `--booked`: the farm books four amounts besides cores, and steps take their share of each. `--policies`: the farm does so,
 * is also shared by weight among 200 owners, and caps each of them and each of 25 projects. Each owner has a task that runs.
 */
import { randomUUID } from 'node:crypto';
import { parseArgs } from 'node:util';
import type { LeaseReply, PresenceReply } from '../src/core/wire/bus-messages.ts';
import { RawNatsClient } from './kit/raw-nats-client.ts';
import { saveResult, percentile } from './kit/results.ts';
import { call, makeFarm, post, startBenchService } from './kit/service.ts';

const { values } = parseArgs({
  options: {
    workers: { type: 'string', default: '5000' },
    jobs: { type: 'string', default: '1000' },
    requests: { type: 'string', default: '300' },
    booked: { type: 'boolean', default: false },
    policies: { type: 'boolean', default: false },
    json: { type: 'boolean', default: false },
  },
});
const workers = Number(values.workers);
const jobs = Number(values.jobs);
const requests = Number(values.requests);
const KINDS = 200;
const OWNERS = 200;
const PROJECTS = 25;
const INBOX = '_INBOX.bench.explain';
const LEASES = '_INBOX.bench.leases';
const INCARNATION = '01936ad0-0000-7000-8000-000000000001';
const workerIds: string[] = [];
/** Median of the plain read. It is timed first. */
let plainRead: number | undefined;

const service = await startBenchService(['--scheduler-heartbeat-timeout=30m']);
try {
  const farm = await makeFarm(service.url);
  if (values.booked || values.policies) await setPolicies(farm.farmId);
  await registerAll();
  const ids: string[] = [];
  for (let each = 0; each < jobs; each++) {
    const tag = each === 0 ? 'no worker has it' : `kind${each % KINDS}`;
    ids.push((await submitAs(farm, templateFor(each, tag), ownerOf(each))).id);
  }
  if (values.policies) await leaseOneOfEach(farm.farmId);
  const last = ids.at(-1) ?? '';
  const figures = {
    workers,
    jobs,
    booked: values.booked || values.policies,
    policies: values.policies,
    read: await timed(`/tasks/${last}-0-0`),
    behind_all_others: await timed(`/tasks/${last}-0-0/explain`),
    fits_no_worker: await timed(`/tasks/${ids[0] ?? ''}-0-0/explain`),
  };
  saveResult('explain', figures);
  if (values.json) process.stdout.write(`${JSON.stringify(figures)}\n`);
  else {
    for (const [what, figure] of Object.entries(figures)) {
      if (typeof figure !== 'object') continue;
      const { p50, p99, to_read } = figure;
      process.stdout.write(`${what.padEnd(18)} p50 ${p50} ms, p99 ${p99} ms (${to_read} reads)\n`);
    }
  }
} finally {
  await service.stop();
}

function submitAs(
  { farmId, queueId }: { readonly farmId: string; readonly queueId: string },
  template: object,
  who: Readonly<Record<string, string>>,
): Promise<{ readonly id: string }> {
  const query = new URLSearchParams({ farm_id: farmId, queue_id: queueId, ...who });
  return post(`${service.url}/api/v1/jobs?${query.toString()}`, template);
}

/** Returns the owner and the project of a job as parameters of its submission. */
function ownerOf(each: number): Readonly<Record<string, string>> {
  return { owner: `artist${each % OWNERS}`, project: `film${each % PROJECTS}` };
}

async function setPolicies(farm: string): Promise<void> {
  const names = ['memory', 'gpu', 'gpu.memory', 'disk.scratch'].map((name) => `amount.worker.${name}`);
  const policies = values.policies
    ? { queue_policy: 'weighted', owner_caps: { '*': 1 }, project_caps: { '*': 20 } }
    : {};
  await call(`${service.url}/api/v1/farms/${farm}`, {
    method: 'PUT',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ name: 'bench', booked_amounts: names, amount_default: 'core_share', ...policies }),
  });
}

/** Every worker has its own tag, and one of the kinds. */
async function registerAll(): Promise<void> {
  let registered = 0;
  await new Promise<void>((resolve, reject) => {
    void RawNatsClient.open('127.0.0.1', service.busPort, (_subscription, payload) => {
      const reply = JSON.parse(payload.toString()) as PresenceReply;
      if (reply.type !== 'registered') reject(new Error(`a worker was not registered: ${reply.type}`));
      registered++;
      if (registered === workers) resolve();
    }).then((client) => {
      client.subscribe(INBOX, 1);
      for (let each = 0; each < workers; each++) {
        client.publish('worker.register', JSON.stringify(registration(each)));
      }
    }, reject);
  });
}

/** Lets all workers request tasks, until each owner has as many as the caps allow: one. */
async function leaseOneOfEach(farm: string): Promise<void> {
  let leased = 0;
  await new Promise<void>((resolve, reject) => {
    void RawNatsClient.open('127.0.0.1', service.busPort, (_subscription, payload) => {
      const reply = JSON.parse(payload.toString()) as LeaseReply;
      if (reply.type !== 'leases') reject(new Error(`a worker is ${reply.type}`));
      else leased += reply.assignments.length;
      if (leased === Math.min(OWNERS, jobs)) resolve();
    }).then((client) => {
      client.subscribe(LEASES, 1);
      for (const worker_id of workerIds) {
        const request = { v: 1, worker_id, farm_id: farm, incarnation: INCARNATION };
        client.publish('work.lease._any', JSON.stringify(request), LEASES);
      }
    }, reject);
  });
}

function registration(each: number): object {
  const workerId = randomUUID();
  workerIds.push(workerId);
  return {
    v: 1,
    type: 'register',
    worker_id: workerId,
    incarnation: INCARNATION,
    name: `worker-${each}`,
    hostname: 'bench',
    farm: '',
    queues: [],
    cpu_count: 16,
    memory_mib: 65_536,
    gpu_count: 2,
    gpu_memory_mib: 24_000,
    scratch_mib: 1_000_000,
    os: 'linux',
    arch: 'x86_64',
    software_version: 'bench',
    compute_location: '',
    tags: { [`kind${each % KINDS}`]: 'true', rack: `r${each}` },
    open_attempts: [],
    reply_to: INBOX,
  };
}

function templateFor(each: number, tag: string): object {
  return {
    specificationVersion: 'jobtemplate-2023-09',
    name: `job ${each}`,
    steps: [
      {
        name: 'Render',
        parameterSpace: { taskParameterDefinitions: [{ name: 'I', type: 'INT', range: '1-100' }] },
        hostRequirements: {
          amounts: [{ name: 'amount.worker.vcpu', min: 1 + (each % 4) }],
          attributes: [{ name: `attr.worker.tag.${tag.replaceAll(' ', '_')}`, anyOf: ['true'] }],
        },
        script: { actions: { onRun: { command: 'true' } } },
      },
    ],
  };
}

async function timed(path: string): Promise<{ p50: number; p99: number; to_read: number }> {
  const times: number[] = [];
  for (let each = 0; each < requests; each++) {
    const startedAt = performance.now();
    await call(`${service.url}/api/v1${path}`);
    times.push(performance.now() - startedAt);
  }
  times.sort((a, b) => a - b);
  const p50 = percentile(times, 0.5);
  plainRead ??= p50;
  return { p50: rounded(p50), p99: rounded(percentile(times, 0.99)), to_read: rounded(p50 / plainRead) };
}

function rounded(value: number): number {
  return Math.round(value * 100) / 100;
}
