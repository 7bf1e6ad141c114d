import type { Page } from 'playwright-core';
import type { Test } from 'tap';
import type { BrowserFixture } from '../../kit/browser/browser-fixture.ts';
import { saveScreenshots, violations } from '../../kit/browser/browser.ts';
import type { Daemon } from '../../kit/daemons.ts';
import { until } from '../../kit/until.ts';
import type { KeyClient } from '../kit/accounts.ts';

interface JoinedWorker {
  readonly name: string;
  readonly status: string;
  readonly credential: { readonly revoked: boolean } | null;
}

/** Returns the workers by name. */
async function workersOf(admin: KeyClient): Promise<ReadonlyMap<string, JoinedWorker>> {
  const { body } = await admin.send('GET', '/api/v1/workers');
  const { items } = body as { readonly items: readonly JoinedWorker[] };
  return new Map(items.map((worker) => [worker.name, worker]));
}

/**
 * Cases of join tokens and credentials on a service with authentication of its bus and its users, without workers. `page` is
 * of an administrator.
 */
export async function joinTokenCases(
  t: Test,
  { fixture, page, admin }: { fixture: BrowserFixture; page: Page; admin: KeyClient },
): Promise<void> {
  const dialog = page.getByRole('dialog');
  const clipboard = (): Promise<string> => page.evaluate<string>('navigator.clipboard.readText()');
  let token = '';
  let joined: Daemon | null = null;

  await t.test('a new farm offers a join token in place of an address', async (t) => {
    await page.goto('/worker-tokens');
    await page.getByRole('heading', { name: 'No join tokens' }).waitFor();
    t.strictSame(await violations(page), []);
    await page.goto('/');
    await page.getByText('callsheet worker --join TOKEN').waitFor();
    await page.getByRole('button', { name: 'Create join token' }).click();
    await dialog.getByRole('button', { name: 'Create token' }).waitFor();
    await page.keyboard.press('Escape');
    await page.goto('/workers');
    await page.getByText('callsheet worker --join TOKEN').waitFor();
    t.notOk((await page.content()).includes('--bus-url'), 'the bus would refuse it');
    await saveScreenshots(page, 'workers-join');
    t.strictSame(await violations(page), []);
  });

  await t.test('a form creates a token, with its problems at the inputs', async (t) => {
    await page.getByRole('button', { name: 'Add worker' }).click();
    t.equal(await dialog.getByLabel('Farm').locator('option:checked').innerText(), 'north');
    await dialog.getByLabel('Number of workers').fill('0');
    await dialog.getByRole('button', { name: 'Add row' }).click();
    await dialog.getByLabel('Number of workers').press('Enter');
    await dialog.getByText('Must be at least 1.').waitFor();
    await dialog.getByText('Each row needs a tag and a value.').waitFor();
    await dialog.getByLabel('Number of workers').fill('2');
    await dialog.getByLabel('Tag 1').fill('a rack');
    await dialog.getByLabel('Value 1').fill('a7');
    await dialog.getByLabel('Value 1').press('Enter');
    // The service refuses it.
    await dialog.getByText('"a rack" is not a name of a tag').waitFor();
    await saveScreenshots(page, 'join-token-new');
    t.strictSame(await violations(page), []);
    await dialog.getByLabel('Tag 1').fill('rack');
    await dialog.getByLabel('Expires').selectOption('1h');
    await dialog.getByLabel('Tag 1').press('Enter');
    await dialog.getByText('The token is not shown again.').waitFor();
  });

  await t.test('a token is shown once, and can be copied by keyboard', async (t) => {
    await saveScreenshots(page, 'join-token-created');
    t.strictSame(await violations(page), []);
    await page.keyboard.press('Enter');
    await dialog.getByText('Copied').waitFor();
    const command = await clipboard();
    t.match(command, /^callsheet worker --join csj1_[\w-]+$/);
    t.equal(await dialog.getByRole('group', { name: 'Command with the token' }).innerText(), command);
    token = command.slice('callsheet worker --join '.length);
    await dialog.getByRole('button', { name: 'Copy token' }).click();
    await until('the token is copied', async () => (await clipboard()) === token);
    await dialog.getByRole('button', { name: 'Done' }).click();
    await dialog.waitFor({ state: 'detached' });
    t.notOk((await page.content()).includes('csj1_'), 'it is not shown again');
    const stored = await page.evaluate<string>(
      'JSON.stringify([{ ...localStorage }, { ...sessionStorage }])',
    );
    t.notOk(stored.includes('csj1_'));
  });

  await t.test('a worker joins with the token, and the list counts its use', async (t) => {
    await page.getByRole('link', { name: 'Join tokens' }).click();
    const row = page.getByRole('row', { name: /…/ });
    await row.getByText('2 of 2').waitFor();
    await row.getByText('never').waitFor();
    joined = fixture.worker('join-01', [`--join=${token}`]);
    await row.getByText('1 of 2').waitFor();
    for (const text of ['Active', 'north', 'rack=a7', 'root']) await row.getByText(text).waitFor();
    t.equal(await row.getByText('never').count(), 0, 'the last use is known');
    await saveScreenshots(page, 'join-tokens');
    t.strictSame(await violations(page), []);
    t.notOk((await page.content()).includes('csj1_'));
  });

  await t.test('a revoked token admits no worker', async (t) => {
    const row = page.getByRole('row', { name: /…/ });
    await row.getByRole('button', { name: 'Revoke' }).click();
    await dialog.getByText(/1 of 2 uses is left/).waitFor();
    t.strictSame(await violations(page), []);
    await dialog.getByRole('button', { name: 'Revoke token' }).click();
    await row.getByText('Revoked').waitFor();
    const revoke = row.getByRole('button', { name: 'Revoke' });
    t.equal(await revoke.getAttribute('title'), 'The token is already revoked.');
    const refused = fixture.worker('join-02', [`--join=${token}`]);
    t.not((await refused.ended).code, 0);
    t.match(refused.log(), /cannot join the service/);
    t.strictSame([...(await workersOf(admin)).keys()], ['join-01']);
  });

  await t.test('a worker page shows and revokes the credential', async (t) => {
    await page.goto('/workers');
    await page.getByRole('link', { name: 'join-01' }).click();
    const panel = page.getByRole('region', { name: 'Credential' });
    await panel.getByText('Valid').waitFor();
    await page.getByText('rack=a7').waitFor();
    await saveScreenshots(page, 'worker-credential');
    t.strictSame(await violations(page), []);
    await panel.getByRole('button', { name: 'Revoke…' }).click();
    await dialog.getByText(/disconnected at once/).waitFor();
    t.strictSame(await violations(page), []);
    await dialog.getByRole('button', { name: 'Keep' }).click();
    t.equal((await workersOf(admin)).get('join-01')?.credential?.revoked, false);
    await panel.getByRole('button', { name: 'Revoke…' }).click();
    await dialog.getByRole('button', { name: 'Revoke credential' }).click();
    await panel.getByText('Revoked', { exact: true }).waitFor();
    t.equal((await workersOf(admin)).get('join-01')?.credential?.revoked, true);
    t.equal(
      await panel.getByRole('button', { name: 'Revoke…' }).getAttribute('title'),
      'The credential is already revoked.',
    );
    await panel.getByText('The bus refuses this worker.').waitFor();
    await until('the worker is disconnected', () =>
      Promise.resolve(joined?.log().includes('the bus refuses the credential of this worker') === true),
    );
    await panel.getByRole('link').click();
    await page.getByRole('heading', { name: 'Join tokens', level: 1 }).waitFor();
  });
}
