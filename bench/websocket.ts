/**
 * Question: what do ten thousand watching clients cost the farm? Clients of the event channel follow `jobs`, in which a
 * job changes its status N times a second, while a swarm of workers leases as fast as it can. Measures the rate of
 * leases with and without the clients, in the same run; frames a second and their delay, memory per connection, and
 * processor time of the main thread per frame.
 *
 *   npm run bench -- websocket [--clients 10000] [--workers 256] [--events 10] [--seconds 5] [--json]
 *
 * The service and the clients each need a file descriptor for every connection: `ulimit -n` must allow that.
 */
import { fork, type ChildProcess } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { threadSecondsOf, usageOf } from './kit/process-usage.ts';
import { saveResult, percentile } from './kit/results.ts';
import { call, makeFarm, startBenchService, submit, submitNoop } from './kit/service.ts';
import { startSwarm } from './kit/swarm/swarm.ts';
import type { ClientsCommand, ClientsNotice, Seen } from './kit/websocket/client-protocol.ts';

const { values } = parseArgs({
  options: {
    clients: { type: 'string', default: '10000' },
    workers: { type: 'string', default: '256' },
    events: { type: 'string', default: '10' },
    seconds: { type: 'string', default: '5' },
    json: { type: 'boolean', default: false },
  },
});
const clients = Number(values.clients);
const workers = Number(values.workers);
const eventsPerSecond = Number(values.events);
const measureMs = Number(values.seconds) * 1000;

const WARM_UP_MS = 2_000;
const TASKS = 1_000_000;
/** A job whose task no worker can take: it is paused and resumed repeatedly. */
const NOBODYS = {
  specificationVersion: 'jobtemplate-2023-09',
  name: 'a job that changes its status',
  steps: [
    {
      name: 'Never',
      hostRequirements: { amounts: [{ name: 'amount.worker.vcpu', min: 1000 }] },
      script: { actions: { onRun: { command: 'true' } } },
    },
  ],
};
/** Additional descriptors that a process needs. */
const OTHER_FILES = 500;
const BYTES_PER_KIB = 1024;

checkOpenFiles(clients + OTHER_FILES);
const service = await startBenchService();
const child = fork(fileURLToPath(new URL('./kit/websocket/clients-process.js', import.meta.url)));
try {
  const port = Number(new URL(service.url).port);
  const farm = await makeFarm(service.url);
  await submitNoop(service.url, farm, TASKS);
  const changing = await submit(service.url, farm, NOBODYS);
  const swarm = await startSwarm(service.busPort, workers, 1);
  const stopChanging = changeStatus(changing.id, eventsPerSecond);
  const lease = async (): Promise<{
    perSecond: number;
    frontSeconds: number;
    seen: Seen;
    seconds: number;
  }> => {
    let frontSeconds = 0;
    const ask = (at: 'begin' | 'end'): void => {
      const busy = threadSecondsOf(service.pid, service.pid);
      frontSeconds = at === 'begin' ? busy : busy - frontSeconds;
      if (at === 'begin') void read(child);
    };
    const times = { warmUpMs: WARM_UP_MS, measureMs };
    const { leases, seconds } = await swarm.measure({ kind: 'closed', reports: 'ride' }, times, ask); // wording-ok: value of --reports
    return { perSecond: leases / seconds, frontSeconds, seen: await read(child), seconds };
  };

  await lease();
  const before = await lease();
  const bare = usageOf(service.pid).residentMib;
  await until(child, { type: 'open', port, clients, subject: 'jobs' }, (notice) => notice.type === 'opened');
  const perClient = ((usageOf(service.pid).residentMib - bare) * BYTES_PER_KIB) / clients;
  const during = await lease();
  await until(child, { type: 'stop' }, () => false, true);
  await delay(WARM_UP_MS);
  const after = await lease().catch(() => null);
  stopChanging();
  await swarm.stop();
  const without = after === null ? before.perSecond : (before.perSecond + after.perSecond) / 2;
  const latencies = [...during.seen.latenciesMs].sort((a, b) => a - b);
  const frontBefore = before.frontSeconds / before.seconds;
  const figures = {
    clients,
    workers,
    events_per_second: eventsPerSecond,
    leases_per_second_without: Math.round(without),
    leases_per_second_with: Math.round(during.perSecond),
    with_to_without: round(during.perSecond / without),
    frames_per_second: Math.round(during.seen.frames / during.seconds),
    gaps: during.seen.gaps,
    event_latency_ms_p50: percentile(latencies, 0.5),
    event_latency_ms_p99: percentile(latencies, 0.99),
    front_share_without: round(frontBefore),
    front_share_with: round(during.frontSeconds / during.seconds),
    front_us_a_frame: round(
      ((during.frontSeconds - frontBefore * during.seconds) / Math.max(1, during.seen.frames)) * 1e6,
    ),
    clients_cpu_share: round(during.seen.cpuSeconds / during.seconds),
    service_kib_a_connection: round(perClient),
  };
  saveResult('websocket', figures);
  if (values.json) process.stdout.write(`${JSON.stringify(figures)}\n`);
  else
    for (const [name, value] of Object.entries(figures))
      process.stdout.write(`${name.padEnd(26)} ${value}\n`);
} finally {
  if (child.connected) child.disconnect();
  await service.stop();
}

/** Pauses and resumes a job: each is an event. */
function changeStatus(job: string, perSecond: number): () => void {
  let isPaused = false;
  let isRunning = false;
  const timer = setInterval(() => {
    if (isRunning) return;
    isRunning = true;
    isPaused = !isPaused;
    const body = JSON.stringify({ action: isPaused ? 'pause' : 'resume' });
    const headers = { 'content-type': 'application/json' };
    call(`${service.url}/api/v1/jobs/${job}`, { method: 'PATCH', headers, body })
      .catch((error: unknown) => process.stderr.write(`${String(error)}\n`))
      .finally(() => {
        isRunning = false;
      });
  }, 1000 / perSecond);
  return () => clearInterval(timer);
}

async function read(from: ChildProcess): Promise<Seen> {
  if (!from.connected) return { frames: 0, reads: 0, gaps: 0, latenciesMs: [], cpuSeconds: 0 };
  const notice = await until(from, { type: 'read' }, ({ type }) => type === 'seen');
  if (notice?.type !== 'seen') throw new Error('the clients have seen nothing');
  return notice.seen;
}

/** Sends an order to the clients. Resolves with the awaited notice, or with null at their end if that is allowed. */
function until(
  to: ChildProcess,
  command: ClientsCommand,
  fits: (notice: ClientsNotice) => boolean,
  mayEnd = false,
): Promise<ClientsNotice | null> {
  return new Promise((resolve, reject) => {
    const finish = (): void => {
      to.off('message', hear);
      to.off('exit', gone);
    };
    const hear = (notice: ClientsNotice): void => {
      if (notice.type === 'failed') {
        finish();
        reject(new Error(`a client failed: ${notice.reason}`));
      } else if (fits(notice)) {
        finish();
        resolve(notice);
      }
    };
    const gone = (code: number | null): void => {
      finish();
      if (mayEnd) resolve(null);
      else reject(new Error(`the process of the clients ended with code ${code}`));
    };
    to.on('message', hear);
    to.once('exit', gone);
    to.send(command);
  });
}

/** Throws, with a remedy, if this process and its children may not open n files. */
function checkOpenFiles(needed: number): void {
  const soft = /^Max open files\s+(\d+|unlimited)/m.exec(readFileSync('/proc/self/limits', 'utf8'))?.[1];
  if (soft === 'unlimited' || Number(soft) >= needed) return;
  throw new Error(`${needed} open files are needed, ${soft} are allowed: ulimit -n ${needed}`);
}

function round(value: number): number {
  return Math.round(value * 1000) / 1000;
}
