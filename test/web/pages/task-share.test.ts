import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import tap, { test } from 'tap';
import { openBrowserFixture } from '../../kit/browser/browser-fixture.ts';
import { saveScreenshots, violations } from '../../kit/browser/browser.ts';
import { until } from '../../kit/until.ts';

tap.setTimeout(240_000);

/** A job of two tasks of one core that run until a file exists. */
const template = (name: string, file: string): object => ({
  specificationVersion: 'jobtemplate-2023-09',
  name,
  steps: [
    {
      name: 'Render',
      parameterSpace: { taskParameterDefinitions: [{ name: 'Frame', type: 'INT', range: '1-2' }] },
      hostRequirements: { amounts: [{ name: 'amount.worker.vcpu', min: 1 }] },
      script: {
        actions: { onRun: { command: 'bash', args: ['{{Task.File.Run}}'] } },
        embeddedFiles: [{ name: 'Run', type: 'TEXT', data: `until [ -e '${file}' ]; do sleep 0.05; done\n` }],
      },
    },
  ],
});

interface Explanation {
  readonly share?: {
    readonly sentence: string;
    readonly sharer: string;
    readonly share_ratio?: number;
    readonly queue_policy_version: number;
  };
}

/** Tests the fact "Share" of a waiting task in a browser, with a server and a worker. */
await test(
  'the page of a waiting task shows how much of its share the owner has used',
  { timeout: 240_000 },
  async (t) => {
    const fixture = await openBrowserFixture();
    t.teardown(() => fixture.close(!t.passing()));
    const { api, folder } = fixture.service;
    const file = join(folder, 'done');
    t.teardown(() => writeFile(file, ''));
    const farm = await api.makeFarm('show');
    const submit = async (name: string, owner: string): Promise<string> =>
      (await farm.submit(template(name, file), { owner })).body.id;
    const explain = (task: string): Promise<Explanation> => api.must('GET', `/api/v1/tasks/${task}/explain`);
    const setPolicy = (queuePolicy: string): Promise<unknown> =>
      api.must('PUT', `/api/v1/farms/${farm.farmId}`, {
        name: 'show',
        queue_policy: queuePolicy,
        shared_by: 'owner',
      });
    const first = await submit('Shot 010', 'ana');
    fixture.worker('render-01', ['--worker-cpus=1']);
    const waiting = await until('a task of ana waits while the other runs', async () => {
      const tasks = await api.tasks(first);
      const ready = tasks.find(({ status }) => status === 'ready');
      return tasks.some(({ status }) => status === 'running') && ready !== undefined && ready;
    });
    const { page, faults } = await fixture.open(`/tasks/${waiting.id}`);
    page.setDefaultTimeout(15_000);
    const why = page.getByRole('region', { name: 'Why is it waiting?' });
    const fact = why.locator('dt', { hasText: /^Share$/ }).locator('xpath=following-sibling::dd[1]');

    await t.test('the order of the contract has no share', async (t) => {
      await why.getByText('Position').waitFor();
      t.equal(await fact.count(), 0);
    });

    await t.test('weighted: the use of the owner, and whose tasks come first', async (t) => {
      await setPolicy('weighted');
      await submit('Shot 020', 'tomas');
      const share = await until('ana has used something', async () => {
        const { share: found } = await explain(waiting.id);
        return (found?.share_ratio ?? 0) > 1 && found;
      });
      t.match(share, { sharer: 'ana', queue_policy_version: 1 });
      await page.reload();
      await fact.waitFor();
      t.equal(
        await fact.innerText(),
        'Owner ana has used 2 times a fair share; 1 job of owner tomas comes first.',
        'ana has used all, and there are two owners of equal weight',
      );
      await saveScreenshots(page, 'task-share');
      t.strictSame(await violations(page), []);
    });

    await t.test('weights count', async (t) => {
      await api.must('PUT', `/api/v1/farms/${farm.farmId}`, { name: 'show', share_weights: { ana: 3 } });
      await page.reload();
      await fact.waitFor();
      t.equal(await fact.innerText(), (await explain(waiting.id)).share?.sentence);
      t.match(await fact.innerText(), /^Owner ana has used 1\.3 times a fair share; /);
    });

    await t.test('balanced: the cores in use', async (t) => {
      await setPolicy('balanced');
      await page.reload();
      await fact.waitFor();
      t.equal(
        await fact.innerText(),
        'Owner ana has 1 core in use, 2 times an equal share; 1 job of owner tomas comes first.',
      );
      t.strictSame(faults, []);
    });
  },
);
