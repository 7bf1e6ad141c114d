import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import tap, { test } from 'tap';
import { openBrowserFixture } from '../../kit/browser/browser-fixture.ts';
import { saveScreenshots, violations } from '../../kit/browser/browser.ts';

tap.setTimeout(240_000);

/** A job of one task. `GO` waits for the file of that name. */
const template = (name: string, script: string, cores = 1): object => ({
  specificationVersion: 'jobtemplate-2023-09',
  name,
  steps: [
    {
      name: 'Render',
      parameterSpace: { taskParameterDefinitions: [{ name: 'Frame', type: 'INT', range: [1010] }] },
      hostRequirements: { amounts: [{ name: 'amount.worker.vcpu', min: cores }] },
      script: {
        embeddedFiles: [
          {
            name: 'Run',
            type: 'TEXT',
            data: `GO() { while [ ! -e "$1" ]; do sleep 0.02; done; }\n${script}`,
          },
        ],
        actions: { onRun: { command: 'bash', args: ['{{Task.File.Run}}'] } },
      },
    },
  ],
});

/** The output and the exit code of a renderer. */
const rendering = (go: string): string => String.raw`
printf '\033[1mScene\033[0m /mnt/projects/show/shot_010.usd, \033]8;;https://example.org/shot_010\033\\shot 010\033]8;;\033\\\n'
printf '\033[32mloaded\033[0m 812 objects, \033[38;5;208m14 lights\033[0m, \033[38;2;120;90;220mvolumes\033[0m\n'
for tile in 1 2 3 4; do printf 'tile %s of 4\r' $tile; done; echo
echo 'openjd_progress: 25'
echo 'openjd_status: tile 1 of 4'
head -c 5000 /dev/zero | tr '\0' x; echo
GO ${go}
printf '\033[33mwarning\033[0m: texture is missing\n' >&2
echo 'ERROR: out of memory in tile 3' >&2
echo 'the last line'
exit 3
`;

/** Tests the page of a task in a browser, with a server and a worker. */
await test(
  'the task page shows the state, the log and the reasons of a task',
  { timeout: 240_000 },
  async (t) => {
    const fixture = await openBrowserFixture();
    t.teardown(() => fixture.close(!t.passing()));
    const { api, folder } = fixture.service;
    const farm = await api.makeFarm('show');
    const file = (name: string): string => join(folder, name);
    const submit = async (
      name: string,
      script: string,
      cores = 1,
    ): Promise<{ job: string; task: string }> => {
      const { status, body } = await farm.submit(template(name, script, cores), { max_attempts: '1' });
      if (status >= 400) throw new Error(JSON.stringify(body));
      const [task] = await api.tasks(body.id);
      if (task === undefined) throw new Error('a job without a task');
      return { job: body.id, task: task.id };
    };

    const first = await submit('Shot 010', rendering(file('go')));
    const { page, faults } = await fixture.open(`/tasks/${first.task}`);
    const log = page.getByRole('log');
    page.setDefaultTimeout(15_000);
    const foot = page.locator('.log-view__foot');

    await t.test('a waiting task has a reason with a link', async (t) => {
      const why = page.getByRole('region', { name: 'Why is it waiting?' });
      await why
        .getByText(/no worker/i)
        .first()
        .waitFor();
      await page.getByText('No log yet').waitFor();
      await why.getByRole('link', { name: 'Workers' }).waitFor();
      await page
        .getByRole('navigation', { name: 'Breadcrumbs' })
        .getByRole('link', { name: 'Render' })
        .waitFor();
      await saveScreenshots(page, 'task-waiting');
      t.strictSame(await violations(page), []);
    });

    await t.test('the job, its steps, its tasks and the list of jobs show the same reason', async (t) => {
      const explain = `/api/v1/tasks/${first.task}/explain`;
      const { summary: reason } = (await api.call<{ summary: string }>('GET', explain)).body;
      t.match(reason, /no worker/i);
      await page.goto(`/jobs/${first.job}`);
      await page.locator('.notice').getByText(reason).waitFor();
      await page.locator('.steps-tab__list').getByText(reason).waitFor();
      await saveScreenshots(page, 'job-waiting');
      t.strictSame(await violations(page), []);
      await page.goto(`/jobs/${first.job}?tab=tasks&view=table`);
      await page
        .getByRole('row', { name: /Frame=1010/ })
        .getByText(reason)
        .waitFor();
      await page.goto('/jobs');
      const row = page.getByRole('row', { name: /Shot 010/ });
      await row.getByText(reason).waitFor();
      t.equal(await row.locator('.task-progress__part').count(), 0, 'nothing is done yet: the bar is empty');
      await saveScreenshots(page, 'jobs-waiting');
      t.strictSame(await violations(page), []);
      await page.goto(`/tasks/${first.task}`);
    });

    await t.test('the log of a running task is live', async (t) => {
      fixture.worker('render-01');
      await log.getByText('loaded').waitFor();
      await page.getByText('live, following').waitFor();
      await page.getByRole('progressbar', { name: 'Task progress' }).waitFor();
      t.equal(await log.getByText('loaded').getAttribute('class'), 'ansi--front ansi--front-2');
      await log.getByRole('link', { name: 'shot 010' }).waitFor();
      await log.getByText('tile 4 of 4').waitFor();
      t.equal(await log.getByText('tile 3 of 4').count(), 0, 'folded');
      await log.getByRole('button', { name: '3 earlier' }).click();
      await log.getByText('tile 3 of 4').waitFor();
      await saveScreenshots(page, 'task-running');
      t.strictSame(await violations(page), []);
      await writeFile(file('go'), '');
      await log.getByText('the last line').waitFor();
      await page.getByText('ended', { exact: true }).waitFor();
      await page.getByRole('alert').filter({ hasText: 'Failure reason' }).waitFor();
      await page
        .getByRole('region', { name: 'Attempts' })
        .getByRole('cell', { name: '3', exact: true })
        .waitFor();
    });

    await t.test('the log view finds errors, streams, long lines and search matches', async (t) => {
      await page.getByRole('button', { name: 'First error' }).click();
      await page.locator('.log-row--goal').getByText('warning').waitFor();
      await page.getByRole('button', { name: 'Next error' }).click();
      await page.locator('.log-row--goal').getByText('ERROR: out of memory').waitFor();
      await saveScreenshots(page, 'task-failed');
      t.strictSame(await violations(page), []);

      await page.getByLabel('Streams').selectOption('stderr');
      await log.getByText('loaded').waitFor({ state: 'detached' });
      t.equal(await log.locator('.log-row').count(), 2);
      await page.getByLabel('Streams').selectOption('all');
      await log.getByRole('button', { name: /show all: 3,000 more/ }).click();
      await log.getByRole('button', { name: 'show less' }).waitFor();

      const find = page.getByLabel('Find in the log');
      await log.press('Home');
      await find.fill('TILE');
      await page.locator('.log-tools__count', { hasText: /^1\/\d+$/ }).waitFor();
      await find.press('Enter');
      await page.locator('.log-tools__count', { hasText: /^2\/\d+$/ }).waitFor();
      await page.getByRole('button', { name: 'Match case' }).click();
      await page.locator('.log-tools__count', { hasText: /^0$/ }).waitFor();
      await page.getByRole('button', { name: 'Match case' }).click();
      await page.getByRole('button', { name: 'Regular expression' }).click();
      await find.fill('(x+x+)+y');
      await page.getByRole('alert').filter({ hasText: 'takes too long' }).waitFor();
      await find.fill('(');
      await page.getByRole('alert').filter({ hasText: 'Unterminated group' }).waitFor();
      await find.fill('tile \\d of 4$');
      await page.locator('.log-mark--current').waitFor();
      t.match(page.url(), /find=tile/);
      await saveScreenshots(page, 'task-search');
      t.strictSame(await violations(page), []);
      await find.fill('');
      await page.locator('.log-mark').first().waitFor({ state: 'detached' });
    });

    await t.test('selected lines are in the address', async (t) => {
      await log.press('Home');
      await log.getByRole('link', { name: 'Line 2', exact: true }).click();
      await log.getByRole('link', { name: 'Line 3', exact: true }).click({ modifiers: ['Shift'] });
      await page.waitForURL(/attempt=1.*#L2-L3$/);
      await page.getByRole('button', { name: 'Copy', exact: true }).waitFor();
      await page.reload();
      await page.locator('.log-row--selected').nth(1).waitFor();
      t.equal(await page.locator('.log-row--selected').count(), 2);
      const [saved] = await Promise.all([
        page.waitForEvent('download'),
        page.getByRole('link', { name: 'Download the log' }).click(),
      ]);
      t.match(saved.suggestedFilename(), /\.(log|txt)$/);
    });

    await t.test('a failed task is retried', async (t) => {
      await page.goto(`/tasks/${first.task}`);
      const attempts = page.getByRole('region', { name: 'Attempts' });
      await attempts.getByText('ERROR: out of memory in tile 3').waitFor();
      await page.getByRole('button', { name: 'Retry' }).click();
      await page
        .getByRole('region', { name: 'Attempts' })
        .getByRole('link', { name: '2', exact: true })
        .waitFor();
      await page.getByText('ended', { exact: true }).waitFor();
      await page
        .getByRole('region', { name: 'Attempts' })
        .getByRole('link', { name: '1', exact: true })
        .click();
      await page.waitForURL(/attempt=1/);
      t.equal((await api.attempts(first.task)).length, 2);
    });

    await t.test('the logs of all attempts are separated', async (t) => {
      await page.getByRole('link', { name: 'All attempts' }).click();
      await page.waitForURL(/log=all/);
      await log.press('Home');
      await log.getByRole('heading', { name: /^Attempt 1 on render-01, failed, exit code 3/ }).waitFor();
      const second = log.getByRole('heading', { name: /^Attempt 2 on render-01, failed, exit code 3/ });
      await page.getByLabel('Find in the log').fill('Attempt 2');
      await second.waitFor();
      await page.getByLabel('Find in the log').fill('');
      await log.getByText('the last line').last().waitFor();
      await saveScreenshots(page, 'task-all-attempts');
      t.strictSame(await violations(page), []);
    });

    await t.test('the logs of two attempts are compared', async (t) => {
      await page.getByRole('link', { name: 'Compare attempts' }).click();
      await page.getByRole('region', { name: 'Comparison of attempts' }).getByLabel('Left').waitFor();
      const { task } = await submit(
        'Shot 015',
        `date +%T
for i in $(seq 500); do echo "line $i"; done
if [ -e ${file('second')} ]; then echo 'texture is there'; else touch ${file('second')}; echo 'texture is missing'; fi
for i in $(seq 500 900); do echo "line $i"; done; exit 1`,
      );
      await page.goto(`/tasks/${task}`);
      await page.getByText('ended', { exact: true }).waitFor();
      await page.getByRole('button', { name: 'Retry' }).click();
      await page.getByRole('link', { name: 'Compare attempts' }).click();
      const summary = page.locator('.compare__summary');
      await summary.getByText('Difference 1 of 1.').waitFor();
      const rows = page.getByRole('group', { name: /Lines side by side/ });
      await rows.getByText('texture is missing').waitFor();
      await rows.getByText('texture is there').waitFor();
      await rows.getByText('equal lines').first().waitFor();
      await saveScreenshots(page, 'task-compare');
      t.strictSame(await violations(page), []);
      await rows.press('n');
      const detail = page.getByRole('group', { name: 'Selected lines' });
      await detail.getByText('texture is missing').waitFor();
      await rows.press('ArrowUp');
      await detail.getByText('line 500').first().waitFor();
      await page.getByLabel('As text').check();
      const text = page.getByRole('group', { name: 'Lines that differ from attempt 1 to attempt 2' });
      await text.getByText('texture is there').waitFor();
      await saveScreenshots(page, 'task-compare-text');
      t.strictSame(await violations(page), []);
      await page.getByLabel('As text').uncheck();
      await page.getByLabel('Hide equal lines').uncheck();
      await rows.press('End');
      await rows.getByText('line 900').first().waitFor();
      t.ok((await rows.locator('.compare__row').count()) < 200, 'only visible rows are rendered');
      await page.getByLabel('Hide equal lines').check();
    });

    await t.test('a running task is canceled after a confirmation', async () => {
      const { task } = await submit('Shot 020', `echo up; GO ${file('never')}`);
      await page.goto(`/tasks/${task}`);
      await log.getByText('up').waitFor();
      await page.getByRole('button', { name: 'Cancel' }).click();
      await page.getByRole('dialog').getByRole('button', { name: 'Cancel task' }).click();
      await page.getByRole('heading', { level: 1 }).locator('..').getByText('Canceled').waitFor();
    });

    await t.test('a task that no worker can run names the nearest worker', async (t) => {
      const { task } = await submit('Shot 025', 'true', 4_096);
      await page.goto(`/tasks/${task}`);
      const why = page.getByRole('region', { name: 'Why is it waiting?' });
      await why.getByRole('link', { name: 'render-01' }).waitFor();
      await why.getByText('0 of 1 online workers can run it').waitFor();
      await saveScreenshots(page, 'task-no-worker');
      t.strictSame(await violations(page), []);
      await why.getByRole('link', { name: 'render-01' }).click();
      await page.waitForURL(/\/workers\//);
    });

    await t.test('a log of 200,000 lines is shown to its end', async (t) => {
      const { task } = await submit(
        'Shot 030',
        `seq -f 'frame %.0f of the cache is written to /mnt/cache/shot_030' 200000; echo 'error: the very end'`,
      );
      await page.goto(`/tasks/${task}`);
      await foot.getByText(/^200,001 lines/).waitFor();
      await page.getByText('ended', { exact: true }).waitFor();
      await page
        .getByRole('button', { name: 'Jump to end' })
        .or(log.getByText('the very end'))
        .first()
        .waitFor();
      await log.press('f');
      await log.getByText('error: the very end').waitFor();
      await page.getByLabel('Find in the log').fill('frame 123456 ');
      await page.locator('.log-mark--current').waitFor();
      await page.locator('.log-tools__count', { hasText: /^1\/1$/ }).waitFor();
      await page.goto(`/tasks/${task}#L150000`);
      await log.getByText('frame 150000 of').waitFor();
      const part = page.getByRole('note').filter({ hasText: /Loaded from line 14[0-9],/ });
      await part.waitFor();
      await log.press('l');
      const field = page.getByLabel('Go to line');
      await field.fill('90001');
      await field.press('Enter');
      await page.waitForURL(/#L90001$/);
      await log.getByText('frame 90001 of').waitFor();
      await page
        .getByRole('note')
        .filter({ hasText: /Loaded from line 8[0-9],/ })
        .waitFor();
      await saveScreenshots(page, 'task-part');
      t.strictSame(await violations(page), []);
      await page.getByRole('button', { name: 'Load from the beginning' }).click();
      await foot.getByText(/^200,001 lines/).waitFor();
      await log.press('Home');
      await log.getByText('frame 1 of').waitFor();
      t.equal(await page.getByRole('note').filter({ hasText: 'Loaded from line' }).count(), 0);
      t.ok((await log.locator('.log-row').count()) < 200, 'only visible lines are rendered');
      await saveScreenshots(page, 'task-long');
      t.strictSame(await violations(page), []);
    });

    await t.test('an unknown task has an empty state', async (t) => {
      await page.goto('/tasks/01890a5d-ac96-774b-bcce-b302099a8059-0-0');
      await page.getByText('Task not found').waitFor();
      t.strictSame(await violations(page), []);
    });

    t.strictSame(
      faults.filter((fault) => !fault.includes('404')),
      [],
    );
  },
);
