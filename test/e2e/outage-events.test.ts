import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import tap, { test } from 'tap';
import { freePort, startService, startWorker } from '../kit/daemons.ts';
import { until } from '../kit/until.ts';
import { WebSocketClient } from '../kit/web-socket.ts';
import { WebhookReceiver } from '../kit/webhook-receiver.ts';

tap.setTimeout(120_000);

/** A job of one task that fails with a message until a file exists. It requires a usage pool. */
const template = (name: string, file: string): object => ({
  specificationVersion: 'jobtemplate-2023-09',
  name,
  steps: [
    {
      name: 'S',
      hostRequirements: {
        amounts: [
          { name: 'amount.worker.vcpu', min: 1 },
          { name: 'amount.worker.usagepool.houdini', min: 1 },
        ],
      },
      script: {
        actions: { onRun: { command: 'bash', args: ['{{Task.File.Run}}'] } },
        embeddedFiles: [
          {
            name: 'Run',
            type: 'TEXT',
            data: `[ -e '${file}' ] && exit 0\necho 'ERROR: no license server answers' >&2\nexit 1\n`,
          },
        ],
      },
    },
  ],
});

await test('clients and webhooks learn that an outage began, and that work has resumed', async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'callsheet-outage-events-'));
  const service = await startService({
    folder,
    httpPort: await freePort(),
    busPort: await freePort(),
    flags: ['--webhooks-allow-private=127.0.0.0/8'],
  });
  const { api } = service;
  const farm = await api.makeFarm('north');
  const workers = ['one', 'two'].map((name) =>
    startWorker(service, name, [`--worker-farm=${farm.farmId}`, '--worker-cpus=1']),
  );
  const receiver = await WebhookReceiver.start();
  const client = await WebSocketClient.open(Number(new URL(api.url).port));
  try {
    await api.must('PUT', `/api/v1/farms/${farm.farmId}`, {
      name: 'north',
      outage_holds: true,
      outage_jobs: 2,
      outage_workers: 2,
      outage_hold_seconds: 1,
    });
    await api.must('POST', '/api/v1/usage-pools', { name: 'houdini', max_concurrent: 10 });
    const refused = await api.call('POST', '/api/v1/webhooks', {
      name: 'never',
      url: receiver.url(),
      events: ['outage.began'],
      owner: 'ann',
    });
    t.match(refused, { status: 400 }, 'an outage has no owner');
    await api.must('POST', '/api/v1/webhooks', {
      name: 'hook',
      url: receiver.url(),
      events: ['outage.began', 'outage.ended'],
      farm_id: farm.farmId,
    });
    client.subscribe('outages');
    const isPush = ({ type, subject }: { type: string; subject: string }): boolean =>
      type === 'push' && subject === 'outages';
    const file = join(folder, 'license');
    const jobs = await Promise.all(
      ['A', 'B'].map(async (name) => (await farm.submit(template(name, file), { max_attempts: '9' })).body),
    );
    const held = await client.nextWhere(isPush);
    t.match(held.payload, {
      farm_id: farm.farmId,
      status: 'held',
      kind: 'usage pool',
      name: 'houdini',
      place: 'usage pool houdini',
      message: /no license server answers/,
      times: 1,
      jobs: 2,
      workers: 2,
      policy_version: 1,
    });
    await writeFile(file, '');
    const ended = await client.nextWhere((each) => isPush(each) && each.payload['status'] === 'ended');
    t.match(ended.payload, { place: 'usage pool houdini', end_reason: 'task passed' });
    for (const { id } of jobs)
      await until('the job has completed', async () => (await api.job(id)).status === 'completed');
    await until('both webhooks', () => receiver.received.length >= 2);
    t.match(
      receiver.received.map(({ body }) => body),
      [
        {
          type: 'outage.began',
          farm: { name: 'north' },
          summary:
            /^Outage of usage pool houdini of farm north: no tasks start there, because \d+ attempts of 2 jobs on 2 workers failed with one message \(.*no license server answers\)$/,
          outage: { name: 'houdini', policy_version: 1, end_reason: null },
          job: null,
        },
        {
          type: 'outage.ended',
          summary:
            'Outage of usage pool houdini of farm north has ended (the task that was tried has passed): its tasks start again',
          outage: { end_reason: 'task passed' },
        },
      ],
    );
  } finally {
    client.destroy();
    await receiver.stop();
    for (const worker of workers) await worker.kill('SIGTERM');
    await service.daemon.kill('SIGTERM');
    await rm(folder, { recursive: true, force: true });
  }
});
