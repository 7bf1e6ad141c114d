import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import tap, { test } from 'tap';
import { runCallsheet } from '../cli/run-callsheet.ts';
import { freePort, startService, startWorker } from '../kit/daemons.ts';
import { until } from '../kit/until.ts';

tap.setTimeout(120_000);

/** A job whose task fails with a line far above its last ones until a file exists, which its first run creates. */
const template = (folder: string): object => ({
  specificationVersion: 'jobtemplate-2023-09',
  name: 'Licensed',
  steps: [
    {
      name: 'S',
      hostRequirements: {
        amounts: [
          { name: 'amount.worker.vcpu', min: 1 },
          { name: 'amount.worker.usagepool.seats', min: 1 },
        ],
      },
      script: {
        actions: { onRun: { command: 'bash', args: ['{{Task.File.Run}}'] } },
        embeddedFiles: [
          {
            name: 'Run',
            type: 'TEXT',
            data: [
              `if [ -e '${folder}/free' ]; then exit 0; fi`,
              `touch '${folder}/free'`,
              'echo seat server says busy',
              'for line in $(seq 20); do echo "line $line"; done',
              'exit 70',
              '',
            ].join('\n'),
          },
        ],
      },
    },
  ],
});

const RULES = [
  '# A seat that is not free',
  '- name: busy',
  "  match: { exit_codes: [70], log: 'server says b[aeiou]sy' }",
  '  action: requeue',
  '  backoff_seconds: 1',
  '',
].join('\n');

await test('a license shortage costs no attempt and holds the pool back', async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'callsheet-rules-'));
  const service = await startService({ folder, httpPort: await freePort(), busPort: await freePort() });
  const farm = await service.api.makeFarm('north');
  const worker = startWorker(service, 'one', [`--worker-farm=${farm.farmId}`]);
  try {
    await service.api.must('POST', '/api/v1/usage-pools', { name: 'seats', max_concurrent: 2 });
    const file = join(folder, 'rules.yaml');
    await writeFile(file, RULES);
    const cli = (...args: string[]) => runCallsheet([...args, '--url', service.api.url]);
    const checked = await runCallsheet([
      'retry-rules',
      'check',
      file,
      '--exit-code',
      '70',
      '--message',
      'server says busy',
    ]);
    t.match(
      checked.out,
      /1 rules, version [0-9a-f]{8}: busy \(requeue\)\nRetry rule busy of the job applied/,
    );
    const set = await cli('pools', 'set', 'seats', '--retry-rules', file);
    t.equal(set.code, 0, set.err);
    const { body } = await farm.submit(template(folder), { max_attempts: '1' });
    await until('the job has completed', async () => (await service.api.job(body.id)).status === 'completed');
    const [task] = await service.api.tasks(body.id);
    t.match(await service.api.attempts(task?.id ?? ''), [
      {
        status: 'failed',
        exit_code: 70,
        retry_rule: { rule: 'busy', because: 'exit code 70, log matches "server says b[aeiou]sy"' },
      },
      { status: 'succeeded' },
    ]);
    t.equal((await service.api.job(body.id)).failed_attempts, 0);
    const shown = await cli('tasks', 'show', task?.id ?? '');
    t.match(shown.out, /Attempt 1: Retry rule busy of usage pool seats applied/);
    const removed = await cli('pools', 'set', 'seats', '--retry-rules', 'none');
    t.equal(removed.code, 0, removed.err);
    const [pool] = await service.api.must<{ retry_rules?: unknown }[]>('GET', '/api/v1/usage-pools');
    t.equal(pool?.retry_rules, undefined);
  } finally {
    await worker.kill('SIGTERM');
    await service.daemon.kill('SIGTERM');
    await rm(folder, { recursive: true, force: true });
  }
});
