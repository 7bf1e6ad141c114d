/**
 * Question: are lists fast at size? Measures every filter, sort, search and page of the lists of jobs, and of the tasks
 * of a million-task job, over HTTP. A real service has a store with a hundred thousand jobs and ten million tasks,
 * while workers lease and finish tasks and priorities of jobs change. Yardstick of the same run: a plain read of one
 * job.
 *
 *   npm run bench -- lists [--jobs 100000] [--tasks 10000000] [--workers 1] [--requests 200] [--json]
 */
import { JobActivity } from '../src/core/history/job-activity.ts';
import { randomInt } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { loadavg } from 'node:os';
import { join } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { garbageCollector } from '../daemons/process/v8-collector.ts';
import { JobLists } from '../http/lists/job-lists.ts';
import { openStateReader } from '../src/adapters/lmdb/state-reader.ts';
import { makeLargeStore } from './kit/large-store.ts';
import { saveResult, percentile } from './kit/results.ts';
import { benchDirectory, call, startBenchService } from './kit/service.ts';
import { SwarmWorker } from './kit/swarm-worker.ts';

const { values } = parseArgs({
  options: {
    jobs: { type: 'string', default: '100000' },
    tasks: { type: 'string', default: '10000000' },
    workers: { type: 'string', default: '1' },
    requests: { type: 'string', default: '200' },
    json: { type: 'boolean', default: false },
  },
});
const jobs = Number(values.jobs);
const tasks = Number(values.tasks);
const requests = Number(values.requests);
/** Milliseconds between two changes of a job's priority. */
const PATCH_MS = 50;

interface Page {
  readonly items: readonly { readonly id: string }[];
  readonly total: number;
}

interface Figure {
  readonly p50: number;
  readonly p99: number;
  /** The first request of this kind: nothing is cached yet. */
  readonly first: number;
  readonly total: number;
}

const directory = await benchDirectory();
const madeAt = performance.now();
const made = await makeLargeStore(join(directory, 'state'), jobs, tasks);
say(`the store was made in ${round((performance.now() - madeAt) / 1000)} s`);
const memory = await measureDirectory();
const startedAt = performance.now();
const service = await startBenchService([], directory);
const readyMs = performance.now() - startedAt;
const api = `${service.url}/api/v1`;
const writes = { leased: 0, patched: 0 };
try {
  const firstList = await timed(`${api}/jobs?limit=1`);
  const idle = await series(() => `/jobs/${made.anyJob}`);
  const stopLoad = await startLoad();
  const loadedAt = performance.now();
  const read = await series(() => `/jobs/${made.anyJob}`);
  const found: Record<string, Figure> = {};
  for (const [name, path] of cases()) {
    found[name] = await series(path);
    sayFigure(name, found[name]);
  }
  const seconds = (performance.now() - loadedAt) / 1000;
  stopLoad();
  const figures = {
    jobs,
    tasks,
    requests_each: requests,
    start_to_ready_ms: round(readyMs),
    first_list_after_ready_ms: round(firstList.milliseconds),
    directory: memory,
    rss_mib: residentMib(),
    /** Load of the last minute, which includes other work of the machine. */
    load_average: round(loadavg()[0] ?? 0),
    leases_per_second: Math.round(writes.leased / seconds),
    patches_per_second: Math.round(writes.patched / seconds),
    plain_read_idle: idle,
    plain_read: read,
    lists: found,
  };
  saveResult('lists', figures);
  sayFigure('a plain read of a job', read);
  say(
    `ready after ${figures.start_to_ready_ms} ms, first list ${figures.first_list_after_ready_ms} ms, ` +
      `${memory.bytes_per_job} bytes a job, ${memory.fill_ms} ms to fill (${memory.longest_step_ms} at once), ` +
      `${figures.rss_mib} MiB resident, ${figures.leases_per_second} leases a second`,
  );
  if (values.json) process.stdout.write(`${JSON.stringify(figures)}\n`);
} finally {
  await service.stop();
}

/** Lists by name. Each call of the function returns the path of one request. */
function cases(): [string, () => string][] {
  const farm = made.farmId;
  const queue = made.queueIds[3] ?? '';
  const list: [string, () => string][] = [];
  const add = (name: string, path: () => string): void => void list.push([name, path]);
  const anyOffset = (total: number): number => randomInt(Math.max(1, total - 50));
  add('jobs', () => '/jobs');
  add('jobs of a status', () => '/jobs?status=failed');
  add('jobs of a queue', () => `/jobs?queue_id=${queue}`);
  add('jobs of a farm', () => `/jobs?farm_id=${farm}`);
  add('jobs of an owner', () => '/jobs?owner=artist7');
  add('jobs of a project', () => '/jobs?project=film7');
  add(
    'jobs by all filters',
    () => `/jobs?status=completed&queue_id=${queue}&farm_id=${farm}&owner=artist3&project=film3`,
  );
  for (const key of ['created_at', 'priority', 'status', 'updated_at', 'name']) {
    for (const direction of ['asc', 'desc']) {
      add(
        `jobs by ${key} ${direction}, any page`,
        () => `/jobs?sort_by=${key}&sort_dir=${direction}&offset=${anyOffset(jobs)}`,
      );
    }
  }
  add('jobs with a word', () => '/jobs?search=LIGHTING&sort_by=updated_at&sort_dir=desc');
  add('jobs with three words', () => '/jobs?search=shot_017%20film1%20artist&sort_by=name');
  add('jobs with a word of none', () => '/jobs?search=nowhere');
  add('1000 jobs, any page', () => `/jobs?limit=1000&offset=${anyOffset(jobs)}`);
  const large = `/jobs/${made.largeJob}/tasks`;
  const largeTasks = Math.min(tasks, 1_000_000);
  for (const key of ['created_at', 'status', 'updated_at', 'name']) {
    for (const direction of ['asc', 'desc']) {
      const sort = `sort_by=${key}&sort_dir=${direction}`;
      add(`tasks by ${key} ${direction}, any page`, () => `${large}?${sort}&offset=${anyOffset(largeTasks)}`);
    }
    const succeeded = Math.floor(largeTasks * 0.8);
    add(
      `succeeded tasks by ${key}, any page`,
      () => `${large}?status=succeeded&sort_by=${key}&offset=${anyOffset(succeeded)}`,
    );
    add(
      `failed tasks by ${key}, any page`,
      () => `${large}?status=failed&sort_by=${key}&sort_dir=desc&offset=${anyOffset(largeTasks / 200)}`,
    );
  }
  add(
    '1000 tasks by updated_at, any page',
    () => `${large}?sort_by=updated_at&limit=1000&offset=${anyOffset(largeTasks)}`,
  );
  add('tasks of some job', () => `/jobs/${made.anyJob}/tasks?sort_by=status`);
  return list;
}

async function series(path: () => string): Promise<Figure> {
  const first = await timed(api + path());
  const times: number[] = [];
  for (let each = 0; each < requests; each += 1) times.push((await timed(api + path())).milliseconds);
  times.sort((a, b) => a - b);
  return {
    p50: round(percentile(times, 0.5)),
    p99: round(percentile(times, 0.99)),
    first: round(first.milliseconds),
    total: first.total,
  };
}

async function timed(url: string): Promise<{ milliseconds: number; total: number }> {
  const from = performance.now();
  const response = await fetch(url);
  const text = await response.text();
  const milliseconds = performance.now() - from;
  if (!response.ok) throw new Error(`${url}: ${response.status} ${text.slice(0, 200)}`);
  return { milliseconds, total: (JSON.parse(text) as Page).total };
}

/** Workers that lease and finish tasks of the large job, and changes of the priorities of other jobs. */
async function startLoad(): Promise<() => void> {
  const events = {
    leased: (_latency: number, assignments: readonly unknown[]) => {
      writes.leased += assignments.length;
    },
    failed: (error: Error) => {
      throw error;
    },
  };
  const swarm = await Promise.all(
    Array.from({ length: Number(values.workers) }, (_, nth) =>
      SwarmWorker.start(service.busPort, nth, 1, events),
    ),
  );
  for (const worker of swarm) worker.lease();
  const active = (await call<Page>(`${api}/jobs?status=pending&limit=100`)).items;
  const patches = setInterval(() => {
    const job = active[writes.patched % active.length];
    writes.patched += 1;
    void call(`${api}/jobs/${job?.id ?? ''}`, {
      method: 'PATCH',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ priority: writes.patched % 40 }),
    });
  }, PATCH_MS);
  return () => {
    clearInterval(patches);
    for (const worker of swarm) worker.stop();
  };
}

/** Time and memory of the directory of jobs, in this process. */
async function measureDirectory(): Promise<{
  fill_ms: number;
  longest_step_ms: number;
  bytes_per_job: number;
}> {
  const gc = garbageCollector();
  // Ended requests release their buffers only some turns later.
  const collect = async (): Promise<void> => {
    for (let turn = 0; turn < 5; turn += 1) {
      await nextTurn();
      gc({ type: 'major' });
    }
  };
  const reader = await openStateReader(join(directory, 'state'));
  await collect();
  const before = process.memoryUsage();
  const lists = new JobLists(
    { store: reader, renew: () => reader.refresh() },
    { lastReadable: () => 0, take: () => [] },
    new JobActivity(0),
  );
  const from = performance.now();
  let longest = 0;
  for (let stepAt = from; lists.fillNext(); stepAt = performance.now()) {
    longest = Math.max(longest, performance.now() - stepAt);
  }
  const milliseconds = performance.now() - from;
  await collect();
  const after = process.memoryUsage();
  const bytes = after.heapUsed + after.arrayBuffers - before.heapUsed - before.arrayBuffers;
  const page = lists.page({ words: [], sortBy: 'name', descending: false, offset: 0, limit: 1 }, null);
  if (page.total !== jobs) throw new Error(`${page.total} jobs are listed`);
  await reader.close();
  return {
    fill_ms: round(milliseconds),
    longest_step_ms: round(longest),
    bytes_per_job: Math.round(bytes / jobs),
  };
}

function residentMib(): number {
  const pages = /VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${service.pid}/status`, 'utf8'))?.[1];
  return Math.round(Number(pages) / 1024);
}

function sayFigure(name: string, { p50, p99, first }: Figure): void {
  say(`${name.padEnd(42)} p50 ${p50} ms, p99 ${p99} ms, first ${first} ms`);
}

function say(text: string): void {
  if (!values.json) process.stdout.write(`${text}\n`);
}

function round(value: number): number {
  return Math.round(value * 100) / 100;
}
