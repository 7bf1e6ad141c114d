/**
 * Question: is the web application fast, and does it stay smooth under load? Uses a headless Chromium on the machine of
 * the service, on the same cores. Measures, with an empty cache, the time to the first paint and until the list of jobs
 * and the page of a job show their content, and the size of the loaded scripts. Then it measures the frames a second of
 * both pages while a swarm of workers causes N task events a second. Yardstick of the same run: frames a second of the
 * same page while nothing happens.
 *
 *   npm run bench -- web [--jobs 2000] [--tasks 10000] [--events 1000] [--seconds 5] [--repetitions 3] [--json]
 */
import { setTimeout as delay } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import type { Browser, Page } from 'playwright-core';
import { launchBrowser } from './kit/browser.ts';
import { saveResult, median } from './kit/results.ts';
import { makeFarm, startBenchService, submitNoop } from './kit/service.ts';
import { startSwarm } from './kit/swarm/swarm.ts';

const { values } = parseArgs({
  options: {
    jobs: { type: 'string', default: '2000' },
    tasks: { type: 'string', default: '10000' },
    events: { type: 'string', default: '1000' },
    seconds: { type: 'string', default: '5' },
    repetitions: { type: 'string', default: '3' },
    json: { type: 'boolean', default: false },
  },
});
const seconds = Number(values.seconds);
const eventsPerSecond = Number(values.events);

/** A task that ends at once has two events: assigned and succeeded. */
const EVENTS_A_TASK = 2;
const WORKERS = 64;
/** Some seconds more than are measured: the load continues until the pages have been observed. */
const LOAD_MARGIN_MS = 20_000;
const SETTLE_MS = 1_000;
const SMALL_JOBS_AT_ONCE = 16;

/** Measures frames and long tasks of the page during the next seconds. */
const WATCH = `(async (seconds) => {
  const long = [];
  const observer = new PerformanceObserver((list) => { for (const entry of list.getEntries()) long.push(entry.duration); });
  observer.observe({ entryTypes: ['longtask'] });
  const frames = [];
  const end = performance.now() + seconds * 1000;
  await new Promise((resolve) => {
    const frame = (now) => { frames.push(now); if (now < end) requestAnimationFrame(frame); else resolve(); };
    requestAnimationFrame(frame);
  });
  observer.disconnect();
  const gaps = frames.slice(1).map((at, index) => at - frames[index]).sort((a, b) => a - b);
  return {
    frames_per_second: (frames.length - 1) / ((frames.at(-1) - frames[0]) / 1000),
    worst_frame_ms: gaps.at(-1) ?? 0,
    long_tasks: long.length,
  };
})`;

interface Smoothness {
  readonly frames_per_second: number;
  readonly worst_frame_ms: number;
  readonly long_tasks: number;
}

const service = await startBenchService();
let browser: Browser | null = null;
try {
  const farm = await makeFarm(service.url);
  const job = await submitNoop(service.url, farm, Number(values.tasks));
  for (let made = 0; made < Number(values.jobs); made += SMALL_JOBS_AT_ONCE)
    await Promise.all(Array.from({ length: SMALL_JOBS_AT_ONCE }, () => submitNoop(service.url, farm, 10)));
  browser = await launchBrowser();

  const loads = { jobs: [] as Load[], job: [] as Load[] };
  for (let repetition = 0; repetition < Number(values.repetitions); repetition++) {
    loads.jobs.push(await loadOf(browser, `${service.url}/jobs`, '[role=row][aria-rowindex="2"]'));
    loads.job.push(await loadOf(browser, `${service.url}/jobs/${job.id}?tab=tasks`, 'canvas'));
  }
  const still = await smoothnessOf(browser, `${service.url}/jobs`, '[role=row]');
  const swarm = await startSwarm(service.busPort, WORKERS, 1);
  const load = swarm.measure(
    { kind: 'offered', perSecond: eventsPerSecond / EVENTS_A_TASK, reports: 'ride' }, // wording-ok: value of --reports
    { warmUpMs: SETTLE_MS, measureMs: 2 * seconds * 1000 + LOAD_MARGIN_MS },
  );
  await delay(SETTLE_MS);
  const list = await smoothnessOf(browser, `${service.url}/jobs`, '[role=row]');
  const grid = await smoothnessOf(browser, `${service.url}/jobs/${job.id}?tab=tasks`, 'canvas');
  const { leases, seconds: loaded } = await load;
  await swarm.stop();
  const figures = {
    jobs: Number(values.jobs),
    tasks: Number(values.tasks),
    events_per_second: Math.round((leases / loaded) * EVENTS_A_TASK),
    jobs_page: medians(loads.jobs),
    job_page: medians(loads.job),
    still,
    jobs_page_live: list,
    job_page_live: grid,
    live_to_still: round(list.frames_per_second / still.frames_per_second),
    grid_to_still: round(grid.frames_per_second / still.frames_per_second),
  };
  saveResult('web', figures);
  process.stdout.write(`${JSON.stringify(figures, null, values.json ? 0 : 2)}\n`);
} finally {
  await browser?.close();
  await service.stop();
}

interface Load {
  readonly first_paint_ms: number;
  readonly shown_ms: number;
  readonly script_kb: number;
}

/** Loads a page with an empty cache. `shown` exists when the page shows its main content. */
async function loadOf(by: Browser, url: string, shown: string): Promise<Load> {
  const page = await newPage(by);
  await page.goto(url);
  await page.locator(shown).first().waitFor();
  const load = await page.evaluate<Load>(`({
    first_paint_ms: performance.getEntriesByName('first-contentful-paint')[0]?.startTime ?? 0,
    shown_ms: performance.now(),
    script_kb: performance.getEntriesByType('resource').filter(({ name }) => name.endsWith('.js'))
      .reduce((sum, { encodedBodySize }) => sum + encodedBodySize, 0) / 1000,
  })`);
  await page.context().close();
  return load;
}

async function smoothnessOf(by: Browser, url: string, shown: string): Promise<Smoothness> {
  const page = await newPage(by);
  await page.goto(url);
  await page.locator(shown).first().waitFor();
  await delay(SETTLE_MS);
  const seen = await page.evaluate<Smoothness>(`${WATCH}(${seconds})`);
  await page.context().close();
  return {
    frames_per_second: round(seen.frames_per_second),
    worst_frame_ms: round(seen.worst_frame_ms),
    long_tasks: seen.long_tasks,
  };
}

async function newPage(by: Browser): Promise<Page> {
  return (await by.newContext({ viewport: { width: 1440, height: 900 } })).newPage();
}

function medians(loads: readonly Load[]): Load {
  const of = (value: (load: Load) => number): number => round(median(loads.map(value)));
  return {
    first_paint_ms: of((load) => load.first_paint_ms),
    shown_ms: of((load) => load.shown_ms),
    script_kb: of((load) => load.script_kb),
  };
}

function round(value: number): number {
  return Math.round(value * 100) / 100;
}
