import { readFile } from 'node:fs/promises';
import type { Page } from 'playwright-core';
import tap, { test } from 'tap';
import { saveScreenshots, violations } from '../../kit/browser/browser.ts';
import {
  ADMIN,
  createKey,
  fillSignIn,
  keyClient,
  openAccountsFixture,
  type KeyClient,
} from '../kit/accounts.ts';
import { joinTokenCases } from './join-token-cases.ts';

tap.setTimeout(300_000);

const TEMPLATE = `specificationVersion: jobtemplate-2023-09
name: '{{Param.JobName}}'
parameterDefinitions:
  - { name: JobName, type: STRING, default: Small }
steps:
  - name: Render
    script: { actions: { onRun: { command: echo } } }
`;

/** Browsers log every response of 400 and more as an error, and a rejected upgrade of the event channel. */
const unexpected = (faults: readonly string[]): string[] =>
  faults.filter((fault) => !/status of 4(00|01|03|09)|WebSocket connection/.test(fault));

const ROW_ACTIONS = /^Actions/;

/** Opens the menu of a row. */
async function openMenu(page: Page, name: string): Promise<void> {
  const row = page.getByRole('row', { name: new RegExp(`^(Select )?.*\\b${name}\\b`) });
  await row.getByRole('button', { name: new RegExp(`${ROW_ACTIONS.source}|${name}`, 'i') }).click();
}

/** Everything that scripts of the page can read and that outlives the page. */
const READABLE = `JSON.stringify([document.cookie, { ...localStorage }, { ...sessionStorage }])`;

await test('people sign in, and the pages show what their role allows', { timeout: 300_000 }, async (t) => {
  const fixture = await openAccountsFixture();
  t.teardown(() => fixture.close(!t.passing()));
  const { url } = fixture;
  const opened = await fixture.open('/jobs?search=shot');
  const { page, faults } = opened;
  page.setDefaultTimeout(15_000);
  const dialog = page.getByRole('dialog');
  const account = page.getByRole('button', { name: /^Account of / });
  let admin: KeyClient = keyClient(url, '');

  await t.test('a page leads to the sign-in page, and back to itself', async (t) => {
    await page.waitForURL('**/sign-in?return_to=*');
    await page.locator('input[autocomplete=username]:focus').waitFor();
    t.equal(await page.getByLabel('Password').getAttribute('autocomplete'), 'current-password');
    await saveScreenshots(page, 'sign-in');
    t.strictSame(await violations(page), []);
    await page.keyboard.press('Enter');
    await page.getByText('Enter your name.').waitFor();
    await page.keyboard.type('Root');
    await page.keyboard.press('Tab');
    await page.keyboard.type('wrong');
    await page.keyboard.press('Enter');
    await page.getByText('The name or the password is wrong.').waitFor();
    t.equal(await page.getByLabel('User name').inputValue(), 'Root', 'the name is kept');
    t.equal(await page.getByLabel('Password').inputValue(), '', 'the password is not');
    await saveScreenshots(page, 'sign-in-wrong');
    t.strictSame(await violations(page), []);
    await page.getByLabel('Password').fill(ADMIN.password);
    await page.keyboard.press('Enter');
    await page.waitForURL(`${url}/jobs?search=shot`);
    await page.getByRole('heading', { name: 'Jobs', level: 1 }).waitFor();
    await page.getByRole('button', { name: 'Live' }).waitFor();
    await page.getByRole('button', { name: 'Account of root admin' }).waitFor();
    admin = await createKey(url, ADMIN.username, ADMIN.password);
  });

  await t.test('scripts cannot read the session', async (t) => {
    const cookies = await page.context().cookies();
    const session = cookies.find(({ name }) => name === 'svc_session');
    t.match(session, { httpOnly: true, sameSite: 'Lax', path: '/' });
    const readable = await page.evaluate<string>(READABLE);
    for (const secret of [session?.value ?? 'missing', 'svc_', ADMIN.password, 'password'])
      t.notOk(readable.includes(secret), `${readable} must not contain it`);
    t.notMatch(await page.evaluate<string>('document.cookie'), /./);
  });

  await t.test('an administrator creates users with generated and typed passwords', async (t) => {
    await page.goto('/users');
    await page.getByRole('row', { name: /root/ }).waitFor();
    const made = new Map<string, string>();
    const users = [
      ['ada', 'user'],
      ['olga', 'operator'],
      ['wall', 'read-only'],
    ] as const;
    for (const [name, role] of users) {
      await page.getByRole('button', { name: 'New user' }).click();
      await dialog.getByLabel('User name').fill(name);
      await dialog.getByLabel('Role').selectOption(role);
      if (name === 'ada') {
        await dialog.getByLabel('Password').fill('short');
        await dialog.getByRole('button', { name: 'Create user' }).click();
        await dialog.getByText('Enter at least 8 characters.').waitFor();
      }
      await dialog.getByRole('button', { name: 'Generate password' }).click();
      made.set(name, await dialog.getByLabel('Password').inputValue());
      if (name === 'ada') {
        await saveScreenshots(page, 'user-new');
        t.strictSame(await violations(page), []);
      }
      await dialog.getByRole('button', { name: 'Create user' }).click();
      await dialog.waitFor({ state: 'detached' });
      await page.getByRole('row', { name: new RegExp(name) }).waitFor();
    }
    t.equal(new Set(made.values()).size, 3);
    t.match((await createKey(url, 'ada', made.get('ada') ?? '')).key, /^svc_/, 'the password works');

    await page.getByRole('button', { name: 'New user' }).click();
    await dialog.getByLabel('User name').fill('ADA');
    await dialog.getByLabel('Password').fill('long enough');
    await dialog.getByRole('button', { name: 'Create user' }).click();
    await dialog.getByText(/a user named "ADA" already exists/).waitFor();
    t.equal(await dialog.getByLabel('Password').inputValue(), 'long enough', 'the inputs are kept');
    await page.keyboard.press('Escape');
    await saveScreenshots(page, 'users');
    t.strictSame(await violations(page), []);
    for (const name of made.keys())
      await admin.must('PUT', `/api/v1/users/${await idOf(admin, name)}/password`, {
        password: `${name}-pass`,
      });
  });

  await t.test('the last enabled administrator is kept, with the reason', async (t) => {
    const reason = /This is the last enabled administrator/;
    await openMenu(page, 'root');
    await page
      .getByRole('menuitem', { name: /^Disable/ })
      .filter({ hasText: reason })
      .waitFor();
    t.equal(await page.getByRole('menuitem', { name: /^Delete/ }).getAttribute('aria-disabled'), 'true');
    await saveScreenshots(page, 'users-last-admin');
    t.strictSame(await violations(page), []);
    await page.getByRole('menuitem', { name: 'Edit…' }).click();
    await dialog.getByText(reason).waitFor();
    t.ok(await dialog.getByLabel('Role').isDisabled());
    await dialog.getByLabel('Display name').fill('The root');
    await dialog.getByRole('button', { name: 'Save user' }).click();
    await page.getByRole('button', { name: 'Account of The root admin' }).waitFor();

    // Known to the page only after the request: another administrator was demoted meanwhile.
    const olga = `/api/v1/users/${await idOf(admin, 'olga')}`;
    await admin.must('PATCH', olga, { role: 'admin' });
    await page.reload();
    await openMenu(page, 'root');
    await page.getByRole('menuitem', { name: 'Disable…' }).click();
    await admin.must('PATCH', olga, { role: 'operator' });
    await dialog.getByRole('button', { name: 'Disable user' }).click();
    await dialog.getByText(/this is the last enabled administrator: make another account/).waitFor();
    t.strictSame(await violations(page), []);
    await dialog.getByRole('button', { name: 'Keep' }).click();
  });

  await t.test('an API key is shown once, works, and is revoked', async (t) => {
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
    await account.click();
    await page.getByRole('menuitem', { name: 'Account and API keys' }).click();
    await page.getByRole('heading', { name: 'Account', level: 1 }).waitFor();
    await page.getByRole('button', { name: 'New key' }).click();
    await dialog.getByRole('button', { name: 'Create key' }).click();
    await dialog.getByText('Enter a name.').waitFor();
    await dialog.getByLabel('Name').fill('nightly');
    await dialog.getByLabel('Expires').selectOption('date');
    await dialog.getByLabel('Last day').fill('2020-01-01');
    await dialog.getByRole('button', { name: 'Create key' }).click();
    await dialog.getByText('Choose today or a later day.').waitFor();
    t.strictSame(await violations(page), []);
    await dialog.getByLabel('Expires').selectOption('90');
    await dialog.getByRole('button', { name: 'Create key' }).click();
    await dialog.getByText('Copy the key now').waitFor();
    await saveScreenshots(page, 'account-key');
    t.strictSame(await violations(page), []);
    await dialog.getByRole('button', { name: 'Copy key' }).click();
    await dialog.getByText('Copied').waitFor();
    const secret = await page.evaluate<string>('navigator.clipboard.readText()');
    t.match(secret, /^svc_[\w-]{43}$/);
    t.equal((await keyClient(url, secret).send('GET', '/api/v1/auth/me')).status, 200);
    await dialog.getByRole('button', { name: 'Done' }).click();
    await dialog.waitFor({ state: 'detached' });
    const row = page.getByRole('row', { name: /nightly/ });
    await row.getByText(`${secret.slice(0, 12)}…`).waitFor();
    t.notOk((await page.content()).includes(secret), 'it is not shown again');
    t.notOk((await page.evaluate<string>(READABLE)).includes(secret));
    await page.reload();
    await row.waitFor();
    await saveScreenshots(page, 'account');
    t.strictSame(await violations(page), []);
    t.notOk((await page.content()).includes(secret));
    await row.getByRole('button', { name: 'Revoke' }).click();
    await dialog.getByRole('button', { name: 'Revoke key' }).click();
    await row.waitFor({ state: 'detached' });
    t.equal((await keyClient(url, secret).send('GET', '/api/v1/auth/me')).status, 401);
  });

  await t.test('a key can be copied without a secure connection', async (t) => {
    const other = await page.context().newPage();
    await other.addInitScript('Object.defineProperty(window, "isSecureContext", { value: false })');
    await other.goto('/account');
    await other.getByRole('button', { name: 'New key' }).click();
    await other.getByRole('dialog').getByLabel('Name').fill('plain');
    await other.keyboard.press('Enter');
    // The button has the focus.
    await other.locator('button:focus').getByText('Copy key').waitFor();
    await other.keyboard.press('Enter');
    await other.getByRole('dialog').getByText('Copied').waitFor();
    const shown = await other.locator('.account__secret').innerText();
    t.equal(await other.evaluate<string>('navigator.clipboard.readText()'), shown);
    await other.close();
  });

  await t.test('an administrator revokes the key of a user', async (t) => {
    const ada = await createKey(url, 'ada', 'ada-pass');
    await page.goto('/users');
    await openMenu(page, 'ada');
    await page.getByRole('menuitem', { name: 'API keys…' }).click();
    await dialog.getByRole('row', { name: new RegExp(ada.key.slice(0, 12)) }).waitFor();
    t.strictSame(await violations(page), []);
    await saveScreenshots(page, 'user-keys');
    await dialog
      .getByRole('row', { name: new RegExp(ada.key.slice(0, 12)) })
      .getByRole('button', { name: 'Revoke' })
      .click();
    await page.getByRole('button', { name: 'Revoke key' }).click();
    await page.getByText('Key test of ada revoked').waitFor();
    t.equal((await ada.send('GET', '/api/v1/auth/me')).status, 401);
    await page.keyboard.press('Escape');
  });

  await t.test('the user changes the password', async (t) => {
    const other = await fixture.open('/account');
    t.teardown(() => other.close());
    await fillSignIn(other.page, 'ada', 'ada-pass');
    const form = other.page.getByRole('region', { name: 'Password' });
    await form.getByLabel('Current password').fill('wrong');
    await form.getByLabel('New password', { exact: true }).fill('a better one');
    await form.getByLabel('New password again').fill('a better on');
    await form.getByRole('button', { name: 'Change password' }).click();
    await form.getByText('The passwords differ.').waitFor();
    await form.getByLabel('New password again').fill('a better one');
    await form.getByRole('button', { name: 'Change password' }).click();
    await form.getByText('The current password is wrong.').waitFor();
    t.strictSame(await violations(other.page), []);
    await form.getByLabel('Current password').fill('ada-pass');
    await form.getByRole('button', { name: 'Change password' }).click();
    await other.page.getByText('Password changed').waitFor();
    t.equal(await form.getByLabel('Current password').inputValue(), '');
    await other.page.getByLabel('Display name').fill('Ada Lovelace');
    await other.page.getByRole('button', { name: 'Save name' }).click();
    await other.page.getByRole('button', { name: 'Account of Ada Lovelace user' }).waitFor();
    t.match((await createKey(url, 'ada', 'a better one')).key, /^svc_/);
    t.strictSame(unexpected(other.faults), []);
  });

  const farm = await admin.must('POST', '/api/v1/farms', { name: 'north' });
  const queue = await admin.must('POST', '/api/v1/queues', {
    name: 'lighting',
    farm_id: farm,
    run_as_user: 'render',
  });

  await t.test('a form survives the end of the session', async (t) => {
    const other = await fixture.open('/submit');
    t.teardown(() => other.close());
    const { page: form } = other;
    form.setDefaultTimeout(15_000);
    const asked = form.getByRole('dialog', { name: 'Your session has ended' });
    await fillSignIn(form, 'ada', 'a better one');
    await form.getByLabel('Template file').setInputFiles({
      name: 'small.yaml',
      mimeType: 'application/yaml',
      buffer: Buffer.from(TEMPLATE),
    });
    await form.getByLabel(/^JobName/).fill('Half filled');
    await form.getByText('Checked: 1 task in 1 step').waitFor();
    t.equal(await form.getByLabel('Owner').count(), 0, 'a user cannot submit for others');
    await admin.must('PUT', `/api/v1/users/${await idOf(admin, 'ada')}/password`, { password: 'third one' });
    await form.getByLabel(/^Project/).fill('shot-020');
    await asked.waitFor();
    await form.locator('input[autocomplete=current-password]:focus').waitFor();
    t.equal(await asked.getByLabel('User name').inputValue(), 'ada');
    await saveScreenshots(form, 'session-ended');
    t.strictSame(await violations(form), []);
    await form.keyboard.press('Escape');
    await form.getByText('Your session has ended. The data on this page are not updated.').waitFor();
    t.strictSame(await violations(form), []);
    await form.getByRole('button', { name: 'Submit job', exact: true }).click();
    await asked.waitFor();
    await form.keyboard.type('a better one');
    await form.keyboard.press('Enter');
    await asked.getByText('The name or the password is wrong.').waitFor();
    await asked.getByLabel('Password').fill('third one');
    await form.keyboard.press('Enter');
    // The request that was refused is repeated with all that was entered.
    await form.waitForURL(/\/jobs\/[0-9a-f-]{36}$/);
    await form.getByRole('heading', { name: 'Half filled', level: 1 }).waitFor();
    await form.getByRole('button', { name: 'Live' }).waitFor();
    const job = form.url().split('/').at(-1) ?? '';
    t.equal(await admin.must('GET', `/api/v1/jobs/${job}`, undefined, 'project'), 'shot-020');
    t.equal(await admin.must('GET', `/api/v1/jobs/${job}`, undefined, 'owner'), 'ada');

    await t.test('a sign-in in one tab is noticed by the others', async (t) => {
      const second = await form.context().newPage();
      await second.goto('/farms');
      await second.getByRole('row', { name: /north/ }).waitFor();
      await admin.must('PUT', `/api/v1/users/${await idOf(admin, 'ada')}/password`, {
        password: 'fourth one',
      });
      await form.keyboard.press('r');
      await asked.waitFor();
      await second.goto('/sign-in');
      await fillSignIn(second, 'ada', 'fourth one');
      await asked.waitFor({ state: 'detached' });
      // Another user gets a page without the data of the first.
      await second.goto('/sign-in');
      await fillSignIn(second, 'wall', 'wall-pass');
      await form.getByRole('button', { name: 'Account of wall read-only' }).waitFor();
      t.equal(new URL(form.url()).pathname, `/jobs/${job}`);
      await second.close();
    });
    t.strictSame(unexpected(other.faults), []);
  });

  await t.test('each role sees what it may do, and why not', async (t) => {
    const shown = async (name: string, check: (page: Page) => Promise<void>): Promise<void> => {
      const other = await fixture.open('/farms');
      other.page.setDefaultTimeout(15_000);
      await fillSignIn(other.page, name, `${name}-pass`);
      await other.page.getByRole('row', { name: /north/ }).waitFor();
      await check(other.page);
      await other.close();
      t.strictSame(unexpected(other.faults), [], name);
    };
    const links = (page: Page): Promise<string[]> =>
      page.getByRole('navigation', { name: 'Main' }).getByRole('listitem').allInnerTexts();

    await shown('wall', async (page) => {
      const names = await links(page);
      for (const name of ['Submit a job', 'Diagnostics', 'Users']) t.notOk(names.includes(name), name);
      await page.locator('button[title="You lack the permission infra.manage."]').first().waitFor();
      await page.goto('/diagnostics');
      await page.getByText('It needs the permission diagnostics.read, which your role (read-only)').waitFor();
      await saveScreenshots(page, 'not-permitted');
      t.strictSame(await violations(page), []);
      await page.goto('/users');
      await page.getByText('It needs the permission users.read').waitFor();
      await page.goto('/worker-tokens');
      await page.getByText('It needs the permission infra.manage').waitFor();
      await page.goto('/workers');
      const reason = 'You lack the permission infra.manage.';
      await page.getByRole('button', { name: 'Create join token' }).and(page.getByTitle(reason)).waitFor();
      await page.getByRole('button', { name: 'Add worker' }).and(page.getByTitle(reason)).waitFor();
      t.equal(await page.getByRole('link', { name: 'Join tokens' }).count(), 0);
      await page.goto('/submit');
      await page.getByText('You lack the permission jobs.write.').first().waitFor();
      await page.goto('/jobs');
      await page.getByRole('row', { name: /Half filled/ }).waitFor();
      await openMenu(page, 'Half filled');
      for (const item of await page.getByRole('menuitem', { name: /Cancel|Delete|Retry|Pause/ }).all())
        t.equal(await item.getAttribute('aria-disabled'), 'true', await item.innerText());
      t.strictSame(await violations(page), []);
    });

    await shown('olga', async (page) => {
      const names = await links(page);
      t.ok(names.includes('Submit a job') && names.includes('Diagnostics'));
      t.notOk(names.includes('Users'));
      await page.goto('/submit');
      await page.getByLabel('Owner').waitFor();
      await page.goto(`/queues?edit=${queue}`);
      await page.getByRole('dialog').getByLabel('Name').waitFor();
      t.equal(await page.getByLabel('Run tasks as user').count(), 0, 'needs isolation.manage');
      await page.goto('/queues');
      await openMenu(page, 'lighting');
      await page.getByRole('menuitem', { name: 'Pause' }).click();
      await page.getByText('lighting paused').waitFor();
      const path = `/api/v1/queues/${queue}`;
      t.equal(await admin.must('GET', path, undefined, 'run_as_user'), 'render', 'pausing keeps it');
    });

    await page.goto(`/queues?edit=${queue}`);
    t.equal(await dialog.getByLabel('Run tasks as user').inputValue(), 'render');
  });

  await joinTokenCases(t, { fixture, page, admin });

  await t.test('the audit log is filtered, paged and exported', async (t) => {
    const wall = await createKey(url, 'wall', 'wall-pass');
    const denied = Array.from({ length: 120 }, () => wall.send('GET', '/api/v1/users'));
    for (const { status } of await Promise.all(denied)) t.equal(status, 403);
    // Denials are stored a moment after the response.
    const stored = async (): Promise<number> => {
      const { body } = await admin.send('GET', '/api/v1/audit?actor=wall&outcome=denied&limit=1000');
      return (body as { readonly items: readonly object[] }).items.length;
    };
    while ((await stored()) < 120) t.comment('waits for the audit log');
    await page.goto('/audit');
    await page
      .getByRole('row', { name: /wall GET \/api\/v1\/users .*denied \(403\)/ })
      .first()
      .waitFor();
    await saveScreenshots(page, 'audit');
    t.strictSame(await violations(page), []);
    const rows = page.getByRole('table', { name: 'Audit log' }).getByRole('row');
    await page.getByRole('searchbox', { name: 'User name' }).fill('WALL');
    await page.getByLabel('Outcome').selectOption('denied');
    await page.waitForURL(/outcome=denied/);
    await page.waitForURL(/actor=WALL/);
    await rows.nth(100).waitFor();
    t.equal(await rows.count(), 101, 'one page and the head');
    await page.getByRole('button', { name: 'Show older entries' }).click();
    await rows.nth(120).waitFor();
    const [file] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('link', { name: 'Export as NDJSON' }).click(),
    ]);
    const lines = (await readFile(await file.path(), 'utf8')).trimEnd().split('\n');
    const entries = lines.map((line) => JSON.parse(line) as { readonly actor: string });
    t.ok(entries.length >= 120);
    t.ok(entries.every(({ actor }) => actor === 'wall'));
    await page.goto('/audit?actor=root&path=/api/v1/queues&outcome=changed');
    await page.getByRole('row', { name: /root POST \/api\/v1\/queues changed \(201\)/ }).waitFor();
    await page.getByLabel('To').fill('2020-01-01');
    await page.getByText('No matching entries').waitFor();
    t.strictSame(await violations(page), []);
  });

  await t.test('the user signs out by keyboard', async (t) => {
    await page.goto('/farms');
    await account.focus();
    await page.keyboard.press('Enter');
    await page.getByRole('menuitem', { name: 'Sign out' }).waitFor();
    await saveScreenshots(page, 'user-menu');
    t.strictSame(await violations(page), []);
    await page.keyboard.press('End');
    await page.keyboard.press('Enter');
    await page.waitForURL(`${url}/sign-in`);
    t.notOk((await page.context().cookies()).some(({ name }) => name === 'svc_session'));
    await page.goto('/farms');
    await page.waitForURL('**/sign-in?return_to=%2Ffarms');
  });

  await t.test('the sign-in page leads to no other site and shows no text of its address', async (t) => {
    await page.goto('/sign-in?error=<img src=x>&return_to=/jobs');
    await page.getByText('The sign-in at the provider failed. Try again.').waitFor();
    await page.goto('/sign-in?error=no-role');
    await page.getByText('Your account at the provider has no role in Callsheet.').waitFor();
    // The ways to sign in are those of a service with a provider; its own test signs in there.
    await page.route('**/api/v1/auth/providers', async (route) => {
      const response = await route.fetch();
      await route.fulfill({ response, json: { ...((await response.json()) as object), oidc: true } });
    });
    await page.goto('/sign-in?return_to=%2Fjobs%3Fsearch%3Da');
    const sso = page.getByRole('link', { name: 'Sign in with SSO' });
    t.equal(await sso.getAttribute('href'), '/api/v1/auth/oidc/login?return_to=%2Fjobs%3Fsearch%3Da');
    await saveScreenshots(page, 'sign-in-sso');
    t.strictSame(await violations(page), []);
    await page.unrouteAll();
    await page.goto('/sign-in?done=1');
    await page.getByRole('heading', { name: 'Signed in' }).waitFor();
    t.strictSame(await violations(page), []);
    await page.goto('/sign-in?return_to=//evil.example/jobs');
    await fillSignIn(page, ADMIN.username, ADMIN.password);
    await page.getByRole('button', { name: 'Account of The root admin' }).waitFor();
    t.equal(page.url(), `${url}/`);
  });

  t.strictSame(unexpected(faults), []);
});

/** Returns the id of an account. */
async function idOf(admin: KeyClient, username: string): Promise<string> {
  const { body } = await admin.send('GET', '/api/v1/users');
  const users = body as readonly { readonly id: string; readonly username: string }[];
  return users.find((user) => user.username === username)?.id ?? '';
}
