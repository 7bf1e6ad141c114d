/**
 * Question: what does a submission cost? Measures the time from request to answer (committed) and the growth of the
 * store for jobs up to a million tasks, for every construct that makes a million; small jobs a second from sixteen
 * clients; submissions of a product compared with those of its template; the list of a thousand products; and the
 * effect of large submissions on leases at a steady pace. Yardsticks of the same run: a plain read of
 * the service, and the same leases without submissions.
 *
 *   npm run bench -- submit [--repeat 5] [--seconds 3] [--json]
 */
import { statSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { largeText, manySteps, MILLION_TASKS, rangeOf } from './kit/large-templates.ts';
import { PacedLeases, type LeaseLatency } from './kit/paced-leases.ts';
import { usageOf } from './kit/process-usage.ts';
import { productFigures } from './kit/product-figures.ts';
import { RawHttpClient } from './kit/raw-http-client.ts';
import { saveResult, median } from './kit/results.ts';
import { call, makeFarm, startBenchService, submitNoop } from './kit/service.ts';
import { SMALL_JSON, SMALL_YAML } from './kit/small-template.ts';
import { submissionOf, submissionRate, submitTimed } from './kit/submissions.ts';

const { values } = parseArgs({
  options: {
    repeat: { type: 'string', default: '5' },
    seconds: { type: 'string', default: '3' },
    json: { type: 'boolean', default: false },
  },
});
const repeat = Number(values.repeat);
const seconds = Number(values.seconds);
const CLIENTS = 16;
const TARGETS = {
  million_ms: 400,
  bytes_per_task: 30,
  jobs_per_second: 1000,
  lease_delay_ms: 20,
  product_to_template: 1,
  product_list_ms: 20,
};
const WORKERS = 16;
const REST_MS = 30;
/** Pause between two large submissions. */
const APART_MS = 100;

const service = await startBenchService();
try {
  const farm = { url: service.url, ...(await makeFarm(service.url)) };
  const client = await RawHttpClient.open(service.url);
  await submitTimed(client, submissionOf(farm, JSON.stringify(rangeOf(10)), 'json'));
  const read = await readMs();
  const jobs = [];
  const templates = { '1000 of a range': rangeOf(1_000), '100000 of a range': rangeOf(100_000) };
  for (const [name, template] of Object.entries({ ...templates, ...MILLION_TASKS })) {
    const request = submissionOf(farm, JSON.stringify(template), 'json');
    const before = storeBytes();
    const times: number[] = [];
    for (let each = 0; each < repeat; each += 1) times.push(await submitTimed(client, request));
    jobs.push({
      tasks: name,
      submit_ms: round(median(times)),
      worst_ms: round(Math.max(...times)),
      to_read: round(median(times) / read),
      store_bytes_per_job: Math.round((storeBytes() - before) / repeat),
    });
  }
  client.close();
  const rates = [];
  for (const [format, text] of [
    ['json', SMALL_JSON],
    ['yaml', SMALL_YAML],
  ] as const) {
    const before = usageOf(service.pid).cpuSeconds;
    const rate = await submissionRate(service.url, submissionOf(farm, text, format), CLIENTS, seconds);
    const cpu = usageOf(service.pid).cpuSeconds - before;
    rates.push({
      format,
      per_second: rate.per_second,
      p50_ms: round(rate.p50_ms),
      p99_ms: round(rate.p99_ms),
      cpu_us_per_job: Math.round((cpu * 1e6) / (rate.per_second * (seconds + 0.5))),
    });
  }
  const products = await productFigures(farm, service.pid, CLIENTS, seconds);
  const delays = await leaseDelays(farm);
  const figures = {
    targets: TARGETS,
    read_ms: round(read),
    jobs,
    small_jobs: rates,
    products,
    leases: delays,
    lease_delay_ms: delayMs(delays),
  };
  saveResult('submit', figures);
  if (values.json) process.stdout.write(`${JSON.stringify(figures)}\n`);
  else print(figures.read_ms, jobs, rates, products, delays);
} finally {
  await service.stop();
}

interface Delay extends LeaseLatency {
  readonly while: string;
  readonly submissions: number;
  readonly submit_ms: number;
}

/** Leases without submissions, and while large jobs are submitted one after the other. */
async function leaseDelays(farm: Parameters<typeof submissionOf>[0]): Promise<Delay[]> {
  const found: Delay[] = [];
  await submitNoop(service.url, farm, 1_000_000);
  const leases = await PacedLeases.start(service.busPort, WORKERS, REST_MS);
  const large: Readonly<Record<string, object | null>> = {
    nothing: null,
    'a million tasks': rangeOf(1_000_000),
    '1000 steps': manySteps(1_000),
    'a text of 4 MB': largeText(3_950_000),
    'nothing again': null,
  };
  await delay(500);
  for (const [name, template] of Object.entries(large)) {
    const request = template === null ? null : submissionOf(farm, JSON.stringify(template), 'json');
    const times: number[] = [];
    const client = await RawHttpClient.open(service.url);
    leases.take();
    const endsAt = performance.now() + seconds * 1000;
    while (performance.now() < endsAt) {
      if (request !== null) times.push(await submitTimed(client, request));
      await delay(APART_MS);
    }
    const { leases: count, ...latency } = leases.take();
    client.close();
    const rounded = Object.fromEntries(Object.entries(latency).map(([key, ms]) => [key, round(ms)]));
    found.push({
      while: name,
      submissions: times.length,
      submit_ms: times.length === 0 ? 0 : round(median(times)),
      leases: count,
      ...latency,
      ...rounded,
    });
  }
  leases.stop();
  return found;
}

/** Additional duration of one lease in a thousand during the worst of the large submissions, compared with none. */
function delayMs(delays: readonly Delay[]): number {
  const quiet = delays.filter(({ submissions }) => submissions === 0).map(({ p999_ms }) => p999_ms);
  const busy = delays.filter(({ submissions }) => submissions > 0).map(({ p999_ms }) => p999_ms);
  return round(Math.max(0, Math.max(...busy) - Math.max(...quiet)));
}

async function readMs(): Promise<number> {
  const times: number[] = [];
  for (let each = 0; each < repeat; each += 1) {
    const startedAt = performance.now();
    await call(`${service.url}/api/v1/farms`);
    times.push(performance.now() - startedAt);
  }
  return median(times);
}

/** Blocks in use: the file itself has space reserved ahead. */
function storeBytes(): number {
  return statSync(join(service.dataDirectory, 'state', 'data.mdb')).size;
}

function print(
  read: number,
  jobs: readonly { tasks: string; submit_ms: number; to_read: number; store_bytes_per_job: number }[],
  rates: readonly { format: string; per_second: number; p99_ms: number; cpu_us_per_job: number }[],
  products: Awaited<ReturnType<typeof productFigures>>,
  delays: readonly Delay[],
): void {
  const lines = [`a plain read: ${read} ms`];
  for (const row of jobs) {
    lines.push(
      `${row.tasks.padEnd(20)} ${row.submit_ms} ms (${row.to_read} reads), ${row.store_bytes_per_job} bytes of store a job`,
    );
  }
  lines.push(
    `   (a million tasks: under ${TARGETS.million_ms} ms, under ${TARGETS.bytes_per_task} bytes a task)`,
  );
  for (const row of rates) {
    lines.push(
      `${row.format.padEnd(20)} ${row.per_second} jobs a second from ${CLIENTS} clients (${TARGETS.jobs_per_second}), p99 ${row.p99_ms} ms, ${row.cpu_us_per_job} us of processor a job`,
    );
  }
  lines.push(
    `product submissions   ${products.product_us} us of processor, ${products.template_us} us by template: ratio ${products.cost_to_template.join(', ')} (${TARGETS.product_to_template})`,
    `${products.list.products} products       first ${products.list.first_ms}, p50 ${products.list.p50_ms}, p99 ${products.list.p99_ms} ms (${TARGETS.product_list_ms}), ${products.list.bytes} bytes`,
  );
  for (const row of delays) {
    lines.push(
      `${row.leases} leases, ${row.while.padEnd(18)} p50 ${row.p50_ms}, p99 ${row.p99_ms}, p99.9 ${row.p999_ms}, worst ${row.max_ms} ms; ${row.submissions} submissions of ${row.submit_ms} ms`,
    );
  }
  lines.push(`   (no more than ${TARGETS.lease_delay_ms} ms above the leases without submissions)`);
  process.stdout.write(`${lines.join('\n')}\n`);
}

function round(value: number): number {
  return Math.round(value * 1000) / 1000;
}
