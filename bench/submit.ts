/**
 * What does a submission cost as jobs grow? Time from request to answer (committed), and growth of the store, for jobs
 * of a thousand, a hundred thousand and a million tasks, beside a plain read of the service in the same run.
 *
 *   npm run bench -- submit [--repeat 5] [--json]
 */
import { statSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { keepResult, median } from './kit/results.ts';
import { call, makeFarm, startBenchService, submitNoop } from './kit/service.ts';

const { values } = parseArgs({
  options: { repeat: { type: 'string', default: '5' }, json: { type: 'boolean', default: false } },
});
const repeat = Number(values.repeat);
const SIZES = [1_000, 100_000, 1_000_000];

const service = await startBenchService();
try {
  const farm = await makeFarm(service.url);
  await submitNoop(service.url, farm, 10);
  const read = await timed(() => call(`${service.url}/api/v1/farms`));
  const rows = [];
  for (const tasks of SIZES) {
    const before = storeBytes();
    const milliseconds = await timed(() => submitNoop(service.url, farm, tasks));
    const bytes = (storeBytes() - before) / repeat;
    rows.push({
      tasks,
      submit_ms: round(milliseconds),
      to_read: round(milliseconds / read),
      store_bytes_per_job: Math.round(bytes),
    });
  }
  const figures = { read_ms: round(read), jobs: rows };
  keepResult('submit', figures);
  if (values.json) process.stdout.write(`${JSON.stringify(figures)}\n`);
  else {
    process.stdout.write(`a plain read: ${figures.read_ms} ms\n`);
    for (const row of rows) {
      process.stdout.write(
        `${String(row.tasks).padStart(9)} tasks: ${row.submit_ms} ms (${row.to_read} reads), ${row.store_bytes_per_job} bytes of store\n`,
      );
    }
  }
} finally {
  await service.stop();
}

async function timed(action: () => Promise<unknown>): Promise<number> {
  const times: number[] = [];
  for (let each = 0; each < repeat; each++) {
    const startedAt = performance.now();
    await action();
    times.push(performance.now() - startedAt);
  }
  return median(times);
}

/** Blocks in use: the file itself has room reserved ahead. */
function storeBytes(): number {
  return statSync(join(service.dataDirectory, 'state', 'data.mdb')).size;
}

function round(value: number): number {
  return Math.round(value * 1000) / 1000;
}
