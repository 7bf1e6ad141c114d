import tap, { test } from 'tap';
import { openBrowserFixture } from '../../kit/browser/browser-fixture.ts';
import { saveScreenshots, violations } from '../../kit/browser/browser.ts';
import { until } from '../../kit/until.ts';
import { isSigned, WebhookReceiver } from '../../kit/webhook-receiver.ts';

tap.setTimeout(240_000);

/** Tests the pages of webhooks in a browser, with a server and receivers. */
await test('webhooks are created, tested, changed and deleted', { timeout: 240_000 }, async (t) => {
  const fixture = await openBrowserFixture(['--webhooks-allow-private=127.0.0.0/8']);
  t.teardown(() => fixture.close(!t.passing()));
  const receiver = await WebhookReceiver.start();
  t.teardown(() => receiver.stop());
  const { page } = await fixture.open('/webhooks');
  const dialog = page.getByRole('dialog');
  const row = page.getByRole('row', { name: /render chat/ });

  await page.getByRole('heading', { name: 'No webhooks' }).waitFor();
  t.strictSame(await violations(page), []);
  await page.getByRole('button', { name: 'New webhook' }).click();
  await dialog.getByRole('button', { name: 'Create webhook' }).click();
  await dialog.getByText('URL is required.').waitFor();
  await dialog.getByLabel('Name').fill('render chat');
  await dialog.getByLabel('URL').fill('https://10.0.0.1/hook');
  await dialog.getByRole('button', { name: 'Create webhook' }).click();
  await dialog.getByText('the address 10.0.0.1 is not public').waitFor();
  await saveScreenshots(page, 'webhook-form');
  t.strictSame(await violations(page), []);
  await dialog.getByLabel('URL').fill(receiver.url('/secret-path'));
  await dialog.getByRole('button', { name: 'Create webhook' }).click();
  const key = (await dialog.getByRole('group', { name: 'Signing key' }).textContent()) ?? '';
  await saveScreenshots(page, 'webhook-key');
  t.strictSame(await violations(page), []);
  await dialog.getByRole('button', { name: 'Done' }).click();

  await row.getByRole('button', { name: 'Test' }).click();
  await page.getByText('Test of render chat delivered with status 204').waitFor();
  const [sent] = receiver.received;
  t.ok(sent !== undefined && isSigned(sent, key));
  receiver.answer = () => ({ status: 500 });
  await row.getByRole('button', { name: 'Test' }).click();
  await page.getByText('answered with status 500').first().waitFor();
  await row.getByRole('button', { name: /Show deliveries/ }).click();
  await dialog.getByRole('row', { name: /Delivered/ }).waitFor();
  await dialog.getByRole('row', { name: /Failed.*status 500/ }).waitFor();
  await saveScreenshots(page, 'webhook-deliveries');
  t.strictSame(await violations(page), []);
  await page.keyboard.press('Escape');
  await saveScreenshots(page, 'webhooks');
  t.notOk((await page.content()).includes('secret-path'), 'the path of the URL is not shown');

  await row.getByRole('button', { name: /Edit/ }).click();
  t.equal(await dialog.getByLabel('URL').inputValue(), '');
  await dialog.getByLabel('Usage pool exhausted').check();
  await dialog.getByLabel('Format').selectOption({ label: 'Slack' });
  await dialog.getByRole('button', { name: 'Save webhook' }).click();
  await row.getByText('slack').waitFor();
  receiver.answer = () => ({ status: 200 });
  await row.getByRole('button', { name: 'Test' }).click();
  await until(
    'the body has the new format',
    () => receiver.received.at(-1)?.text.startsWith('{"text":":wave: This is a test') === true,
  );
  t.equal(receiver.received.at(-1)?.path, '/secret-path', 'the stored URL is used');

  await row.getByRole('button', { name: /Replace the signing key/ }).click();
  await dialog.getByRole('button', { name: 'Replace key' }).click();
  await dialog.getByRole('group', { name: 'Signing key' }).waitFor();
  t.not(await dialog.getByRole('group', { name: 'Signing key' }).textContent(), key);
  await dialog.getByRole('button', { name: 'Done' }).click();
  await row.getByRole('button', { name: /Delete/ }).click();
  await dialog.getByRole('button', { name: 'Delete webhook' }).click();
  await page.getByRole('heading', { name: 'No webhooks' }).waitFor();
});
