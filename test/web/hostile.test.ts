import type { Page } from 'playwright-core';
import tap, { test } from 'tap';
import { openBrowserFixture, type BrowserFixture } from '../kit/browser/browser-fixture.ts';
import { DESKTOP, saveScreenshots } from '../kit/browser/browser.ts';
import { PLACES } from '../kit/browser/places.ts';
import { until } from '../kit/until.ts';

tap.setTimeout(240_000);

/** Hostile names from users and programs, which every page must show as text. */
const IMAGE = '<img src=x onerror=alert(1)>';
const SCRIPT = '"><script>alert(1)</script>';
const LINK = 'javascript:alert(1)//';
const REVERSED = 'shot\u202Egpj.exe';
const LONG = 'W'.repeat(128);
const EMOJI = '👩‍👩‍👧‍👦🏳️‍🌈'.repeat(6);
const NAMES = [IMAGE, SCRIPT, LINK, REVERSED, LONG, EMOJI];
/** The names as pages show them: bidirectional controls are visible. */
const SHOWN = [IMAGE, SCRIPT, LINK, 'shot\\u202egpj.exe', LONG, EMOJI];
/** Colors, a window title, a terminal link, and a sequence that clears the screen. */
const TERMINAL =
  '\u001b[31mred\u001b[0m \u001b]0;owned\u0007\u001b]8;;javascript:alert(1)\u0007press\u001b]8;;\u0007\u001b[2J';

/** Phones; also a window of 1280 pixels at 400 %, or of 640 pixels at 200 %. */
const PHONES = [390, 320] as const;

const template = (name: string): object => ({
  specificationVersion: 'jobtemplate-2023-09',
  name: '{{Param.JobName}}',
  description: `${IMAGE}\n${TERMINAL.replaceAll(/[\u0000-\u001f]/g, '')} ${LONG}`,
  parameterDefinitions: [
    { name: 'JobName', type: 'STRING', default: name },
    {
      name: 'Text',
      type: 'STRING',
      default: `${SCRIPT} ${REVERSED}`,
      description: `${IMAGE} ${LONG}`,
      userInterface: { control: 'LINE_EDIT', label: IMAGE, groupLabel: SCRIPT },
    },
  ],
  steps: [
    {
      name: IMAGE,
      parameterSpace: {
        taskParameterDefinitions: [{ name: 'Shot', type: 'STRING', range: [IMAGE, LONG, REVERSED, EMOJI] }],
      },
      script: {
        actions: { onRun: { command: 'sh', args: ['-c', 'cat "$0"; exit 3', '{{Task.File.Say}}'] } },
        embeddedFiles: [
          {
            name: 'Say',
            type: 'TEXT',
            data: `${TERMINAL} {{Task.Param.Shot}}\nopenjd_status: ${IMAGE}\nopenjd_fail: ${SCRIPT} ${LONG}\n`,
          },
        ],
      },
    },
  ],
});

const hostileReadme = (name: string): string =>
  `# ${name}\n\n${IMAGE} [${name}](javascript:alert(1)) ![x](x)\n\n- ${name}\n\n\`\`\`\n${SCRIPT}${LONG}${LONG}\n\`\`\`\n`;

/** Creates a farm in which every name is hostile. */
async function fill(fixture: BrowserFixture): Promise<{ jobs: string[]; task: string; worker: string }> {
  const { api } = fixture.service;
  const farm = await api.makeFarm(IMAGE);
  for (const name of NAMES) {
    await api.must('POST', '/api/v1/queues', { farm_id: farm.farmId, name });
    await api.must('POST', '/api/v1/storage-locations', {
      name,
      roots: { [LONG]: `/mnt/${'d'.repeat(200)}`, default: `/mnt/${IMAGE}` },
    });
  }
  fixture.worker('hostile', [`--worker-tags=site=${IMAGE},rack=${LONG}`]);
  for (const [at, name] of NAMES.entries()) {
    await api.must('POST', '/api/v1/products', {
      name: `studio/p${at}`,
      title: name,
      category: name,
      description: `${name} ${LONG}`,
      readme: hostileReadme(name),
      template: JSON.stringify(template(name)),
      format: 'json',
    });
  }
  const product = { title: SCRIPT, template: JSON.stringify(template(SCRIPT)), format: 'json' };
  await api.must('PUT', '/api/v1/products/studio/p0', { ...product, readme: hostileReadme(LONG) });
  const jobs: string[] = [];
  for (const name of NAMES) {
    const { body, status } = await farm.submit(template(name), { max_attempts: '1' });
    if (status !== 201) throw new Error(`${name}: ${JSON.stringify(body)}`);
    jobs.push(body.id);
  }
  const first = jobs[0] ?? '';
  await until('the first job has failed', async () => (await api.job(first)).status === 'failed');
  const [task] = await api.tasks(first);
  const { items } = await api.must<{ items: { id: string }[] }>('GET', '/api/v1/workers');
  return { jobs, task: task?.id ?? '', worker: items[0]?.id ?? '' };
}

/** Returns defects of a page: scripts that ran, elements from names, and overflowing elements. */
const FINDINGS = `(() => {
  const found = [];
  if (window.hasRun === true) found.push('a script ran');
  for (const image of document.images)
    if (!new URL(image.src).pathname.startsWith('/icon')) found.push('an image: ' + image.outerHTML);
  for (const script of document.scripts) if (script.src === '') found.push('a script: ' + script.outerHTML);
  for (const link of document.querySelectorAll('a[href]'))
    if (!['http:', 'https:', 'blob:'].includes(new URL(link.href).protocol)) found.push('a link: ' + link.outerHTML);
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  for (let node = walker.nextNode(); node !== null; node = walker.nextNode())
    if (/[\\u202a-\\u202e\\u2066-\\u2069]/.test(node.data) && node.parentElement.closest('textarea, pre') === null) found.push('a bidirectional control: ' + node.data);
    else if (node.data.includes('\\u001b') && node.parentElement.closest('textarea, pre') === null) found.push('an escape: ' + node.data);
  const wide = [document.documentElement, document.querySelector('main')];
  for (const box of wide) {
    if (box.scrollWidth <= box.clientWidth) continue;
    const edge = box.getBoundingClientRect().left + box.clientWidth;
    const over = [...box.querySelectorAll('*')].filter((element) => element.getBoundingClientRect().right > edge + 1);
    const isClipped = (element) => {
      for (let at = element.parentElement; at !== null && at !== box; at = at.parentElement)
        if (getComputedStyle(at).overflowX !== 'visible') return true;
      return false;
    };
    const names = over.filter((element) => !isClipped(element)).map((element) => element.tagName + '.' + element.className);
    found.push(innerWidth + ' px is too narrow by ' + (box.scrollWidth - box.clientWidth) + ': ' + names.slice(0, 6).join(', '));
  }
  return found;
})()`;

/** Waits until the page shows a heading and has finished loading. */
async function settled(page: Page): Promise<void> {
  await page.getByRole('heading', { level: 1 }).first().waitFor();
  await page.locator('[aria-busy=true], .skeleton').first().waitFor({ state: 'detached' });
}

await test('hostile names are shown as text and break no page', { timeout: 240_000 }, async (t) => {
  const fixture = await openBrowserFixture();
  t.teardown(() => fixture.close(!t.passing()));
  const { jobs, task, worker } = await fill(fixture);
  const { page, faults } = await fixture.open('/');
  const dialogs: string[] = [];
  page.on('dialog', (dialog) => {
    dialogs.push(dialog.message());
    void dialog.dismiss();
  });
  await page.addInitScript('window.alert = () => { window.hasRun = true; }');

  const pages = [
    ...PLACES,
    ...[IMAGE, LONG, EMOJI].map((name) => `/jobs/${jobs[NAMES.indexOf(name)]}`),
    ...['tasks', 'failures', 'parameters', 'dependencies', 'template'].map(
      (tab) => `/jobs/${jobs[0]}?tab=${tab}`,
    ),
    `/tasks/${encodeURIComponent(task)}`,
    `/workers/${worker}`,
    ...NAMES.map((_name, at) => `/products/studio/p${at}`),
    ...['parameters', 'template', 'versions'].map((tab) => `/products/studio/p0?tab=${tab}`),
    '/products/studio/p1?edit=1',
    '/new-product?copy=studio/p2',
    `/new-product?job=${jobs[0]}`,
    `/products/${encodeURIComponent(SCRIPT)}`,
    `/presets/${encodeURIComponent(IMAGE)}`,
    `/jobs?search=${encodeURIComponent(IMAGE)}`,
    `/jobs/${encodeURIComponent(SCRIPT)}`,
  ];
  for (const path of pages) {
    await page.goto(path);
    await settled(page);
    const findings: string[] = [];
    for (const width of PHONES) {
      await page.setViewportSize({ width, height: 844 });
      findings.push(...(await page.evaluate<string[]>(FINDINGS)));
    }
    t.strictSame(findings, [], path);
  }
  await page.setViewportSize(DESKTOP);
  t.strictSame(dialogs, [], 'no page opened a dialog');

  await page.goto('/jobs');
  for (const name of SHOWN) await page.getByRole('link', { name, exact: true }).first().waitFor();
  await saveScreenshots(page, 'hostile-jobs');
  await page.goto('/queues');
  for (const name of SHOWN) await page.getByText(name, { exact: true }).first().waitFor();
  await saveScreenshots(page, 'hostile-queues');
  await page.goto(`/jobs/${jobs[0]}`);
  await page.getByRole('heading', { level: 1, name: IMAGE, exact: true }).waitFor();
  await saveScreenshots(page, 'hostile-job');
  t.strictSame(
    faults.filter((fault) => !/\b(400|404)\b/.test(fault)),
    [],
  );
});
