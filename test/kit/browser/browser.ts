import { mkdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { packageRoot } from '../../../src/adapters/system/package-root.ts';

/** Folder of the screenshots, next to the test results. */
export const SCREENSHOTS = fileURLToPath(new URL('.tap/screenshots/', packageRoot));
const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

export type Scheme = 'light' | 'dark';

/** Viewport sizes: each page is tested at two widths. */
export const DESKTOP = { width: 1440, height: 900 };
export const PHONE = { width: 390, height: 844 };

/** A page of the application in a browser, with all errors that occurred in it. */
export interface OpenPage {
  readonly page: Page;
  /** Console errors, exceptions, and requests that failed or had a status of 500 or higher. */
  readonly faults: readonly string[];
  close(): Promise<void>;
}

/** Opens `path` of the service at `url`. */
export async function openPage(
  browser: Browser,
  url: string,
  path: string,
  { size = DESKTOP, scheme = 'light' }: { size?: typeof DESKTOP; scheme?: Scheme } = {},
): Promise<OpenPage> {
  const context = await browser.newContext({ viewport: size, colorScheme: scheme, baseURL: url });
  const page = await context.newPage();
  const faults = watch(page);
  await page.goto(path);
  return { page, faults, close: () => closeContext(context) };
}

function watch(page: Page): string[] {
  const faults: string[] = [];
  page.on('console', (message) => {
    if (message.type() === 'error') faults.push(`console: ${message.text()} (${message.location().url})`);
  });
  page.on('pageerror', (error) => faults.push(`exception: ${error.stack ?? error.message}`));
  page.on('response', (response) => {
    if (response.status() >= 500) faults.push(`${response.status()} ${response.url()}`);
  });
  page.on('requestfailed', (request) => {
    const why = request.failure()?.errorText ?? '';
    // Canceled requests are not errors: a page cancels requests that it no longer needs.
    if (why !== 'net::ERR_ABORTED') faults.push(`${why} ${request.url()}`);
  });
  return faults;
}

async function closeContext(context: BrowserContext): Promise<void> {
  await context.close();
}

/** Saves screenshots of the page at both widths and in both color schemes: `.tap/screenshots/NAME-WIDTH-SCHEME.png`. */
export async function saveScreenshots(page: Page, name: string): Promise<void> {
  mkdirSync(SCREENSHOTS, { recursive: true });
  const before = page.viewportSize() ?? DESKTOP;
  for (const size of [DESKTOP, PHONE]) {
    await page.setViewportSize(size);
    for (const scheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme: scheme });
      await page.screenshot({ path: join(SCREENSHOTS, `${name}-${size.width}-${scheme}.png`) });
    }
  }
  await page.setViewportSize(before);
  await page.emulateMedia({ colorScheme: 'light' });
}

/** An axe-core rule that the page violates, with the elements. */
export interface Violation {
  readonly rule: string;
  readonly impact: string;
  readonly where: readonly string[];
}

/** Returns the findings of axe-core in the page, in both color schemes. */
export async function violations(page: Page): Promise<readonly Violation[]> {
  const found: Violation[] = [];
  await page.evaluate(AXE);
  for (const scheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme: scheme });
    found.push(...(await page.evaluate<Violation[]>(RUN_AXE)));
  }
  await page.emulateMedia({ colorScheme: 'light' });
  return found;
}

const RUN_AXE = `axe.run(document, { resultTypes: ['violations'] }).then(({ violations }) =>
  violations.map(({ id, impact, nodes }) => ({
    rule: id,
    impact: impact ?? '',
    where: nodes.map((node) => node.target.join(' ') + ': ' + node.failureSummary),
  })))`;
