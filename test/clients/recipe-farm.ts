import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Test } from 'tap';
import { freePort, startService, startWorker } from '../kit/daemons.ts';
import { until } from '../kit/until.ts';
import { RECIPE_FILES } from './recipes.ts';

/** Output of a recipe, and the folder in which it ran. */
interface Outcome {
  readonly output: string;
  readonly cwd: string;
}

/** A service with a worker, a farm and a queue for the recipes of the client libraries. */
export interface RecipeFarm {
  readonly folder: string;
  readonly url: string;
  /** Creates what a recipe expects of the farm. */
  readonly prepare: (title: string) => Promise<void>;
  /** Asserts what a recipe prints and writes. */
  readonly check: (t: Test, title: string, outcome: Outcome) => void;
}

/** Checks of the output of each recipe; the same in each language. */
const EXPECTED: Readonly<Record<string, (t: Test, outcome: Outcome) => void>> = {
  'Submit a shot list': (t, { output }) => t.match(output, /^shot010 http:\/\/\S+\/jobs\/\S+\nshot020 http/),
  'Wait and fetch failed frames': (t, { output }) =>
    t.equal(
      output.split('\n').sort().join('\n'),
      '\nframe 2 failed: error: no license for frame 2\nframe 3 failed: error: no license for frame 3\nshot failed',
    ),
  'Nightly report': (t, { cwd }) => {
    const report = readFileSync(join(cwd, 'report.csv'), 'utf8').replaceAll('\r', '');
    t.match(report, /^project,status,jobs,tasks\n/);
    t.match(report, /^film,completed,[1-9]\d*,[1-9]\d*$/m);
    t.match(report, /^,failed,[1-9]\d*,[1-9]\d*$/m);
  },
  'Requeue by rule': (t, { output }) => t.match(output, /^(retried unlucky \S.*\n)+$/),
  'Submit from a hook in an application': (t, { output }) =>
    t.match(output, /^submitted: http:\/\/\S+\/jobs\/\S+\n$/),
  'Jobs that wait for others': (t, { output }) => t.equal(output, 'blocked\ncompleted\n'),
  'Submit a product': (t, { output }) =>
    t.match(output, /^Command STRING required\n422 .*Comand.*\none script\n$/),
  'Follow a log': (t, { output }) => t.equal(output, 'frame 7\n'),
  'Show the progress of a job': (t, { output }) => t.match(output, /5 of 5\ncompleted\n$/),
  'Many jobs at once': (t, { output }) => t.equal(output, '16 frames\n'),
};

/** Starts the farm, and stops it when the test ends. */
export async function startFarm(t: Test): Promise<RecipeFarm> {
  const folder = t.testdir({});
  const service = await startService({
    folder,
    httpPort: await freePort(),
    busPort: await freePort(),
    flags: ['--scheduler-retry-delay-seconds=0'],
  });
  const { api } = service;
  const farm = await api.must<{ id: string }>('POST', '/api/v1/farms', { name: 'studio' });
  const queue = await api.must<{ id: string }>('POST', '/api/v1/queues', { name: 'main', farm_id: farm.id });
  const worker = startWorker(service, 'w1', ['--worker-cpus=4']);
  t.teardown(async () => {
    await worker.kill('SIGTERM');
    await service.daemon.kill('SIGTERM');
    if (!t.passing()) t.comment(service.daemon.log().slice(-4000));
  });
  const url = `http://127.0.0.1:${service.httpPort}`;
  const untilShotsEnded = (): Promise<boolean> =>
    until('the shots are complete', async () => {
      const path = '/api/v1/jobs?project=film&status=completed';
      return (await api.must<{ total: number }>('GET', path)).total >= 2;
    });
  const prepare = async (title: string): Promise<void> => {
    if (title === 'Nightly report') await untilShotsEnded();
    if (title !== 'Requeue by rule') return;
    const query = new URLSearchParams({
      farm_id: farm.id,
      queue_id: queue.id,
      project: 'film',
      max_attempts: '1',
      'param.Shot': 'unlucky',
      'param.Fail': '1 2 3',
    });
    const response = await fetch(`${url}/api/v1/jobs?${query.toString()}`, {
      method: 'POST',
      headers: { 'content-type': 'application/x-yaml' },
      body: RECIPE_FILES['render.yaml'],
    });
    const { id } = (await response.json()) as { readonly id: string };
    await until('the job has failed', async () => {
      const { status } = await api.must<{ status: string }>('GET', `/api/v1/jobs/${id}`);
      return status === 'failed';
    });
  };
  const check = (t: Test, title: string, outcome: Outcome): void => {
    const expected = EXPECTED[title];
    if (expected === undefined) throw new Error(`nothing is expected of the recipe ${title}`);
    expected(t, outcome);
  };
  return { folder, url, prepare, check };
}
