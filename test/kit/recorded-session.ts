import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { tapBus, type TappedMessage } from './bus-tap.ts';
import { freePort, startService, startWorker } from './daemons.ts';
import { protocolMessages, type ShownMessage } from './protocol-page.ts';
import { until } from './until.ts';

const template = (name: string, line: string): object => ({
  specificationVersion: 'jobtemplate-2023-09',
  name,
  steps: [
    {
      name: 'Step',
      parameterSpace: { taskParameterDefinitions: [{ name: 'Frame', type: 'INT', range: '7' }] },
      script: { actions: { onRun: { command: 'bash', args: ['-c', line] } } },
    },
  ],
});

const closedIn = ({ subject, body }: TappedMessage): readonly unknown[] =>
  subject.startsWith('_INBOX') && Array.isArray(body?.['closed']) ? body['closed'] : [];

/**
 * Records the bus messages of a service and a worker, from a rejected registration to the departure. One task succeeds
 * and one is canceled while the worker drains.
 */
export async function recordSession(): Promise<readonly ShownMessage[]> {
  const folder = await mkdtemp(join(tmpdir(), 'callsheet-record-'));
  const service = await startService({
    folder,
    httpPort: await freePort(),
    busPort: await freePort(),
  });
  const bus = await tapBus({ folder, busPort: service.busPort });
  const worker = startWorker(service, 'node-7', ['--worker-cpus=1', '--worker-tags=gpu=none']);
  try {
    await bus.next('the worker is rejected', ({ body }) => body?.['type'] === 'refused');
    const farm = await service.api.makeFarm('show');
    await bus.next('the worker is registered', ({ body }) => body?.['type'] === 'registered');
    const run = async (name: string, line: string): Promise<string> => {
      const { status, body } = await farm.submit(template(name, line));
      if (status !== 201) throw new Error(`the job was rejected: ${JSON.stringify(body)}`);
      return body.id;
    };
    const confirmed = (job: string): Promise<TappedMessage> =>
      bus.next('the end is confirmed', (message) => closedIn(message).includes(`${job}-0-0-1`));
    await run('Hello', 'echo hello {{Task.Param.Frame}}; sleep 1');
    const endless = await run('Endless', 'while :; do sleep 1; done');
    await until('the task runs', async () => (await service.api.job(endless)).task_counts.running === 1);
    const hasLeft = worker.kill('SIGTERM');
    await bus.next('it drains', ({ body }) => body?.['draining'] === true);
    await service.api.must('POST', `/api/v1/jobs/${endless}/cancel`);
    await confirmed(endless);
    await hasLeft;
    await bus.next('it departs', ({ body }) => body?.['type'] === 'departed');
    return protocolMessages(bus.all);
  } finally {
    await bus.close();
    await worker.kill('SIGKILL');
    await service.daemon.kill('SIGTERM');
    await rm(folder, { recursive: true, force: true });
  }
}
