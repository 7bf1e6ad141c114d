import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Browser } from 'playwright-core';
import { launchBrowser } from '../../../bench/kit/browser.ts';
import {
  freePort,
  startService,
  startWorker,
  type Daemon,
  type RunningService,
  type ServiceOptions,
} from '../daemons.ts';
import { openPage, type OpenPage } from './browser.ts';

/** The service, its workers and a browser for tests of web pages. */
export interface BrowserFixture {
  readonly service: RunningService;
  readonly browser: Browser;
  readonly url: string;
  worker(name: string, flags?: readonly string[]): Daemon;
  open(path: string, options?: Parameters<typeof openPage>[3]): Promise<OpenPage>;
  /** Stops all processes. Keeps the folder with the logs if `keep` is set. */
  close(keep: boolean): Promise<void>;
}

/** Starts a service and a browser. `layOut` can write the initial state into the state folder. */
export async function openBrowserFixture(
  flags: readonly string[] = [],
  layOut: (state: string) => Promise<unknown> = () => Promise.resolve(),
  { isRateLimited = false }: Pick<ServiceOptions, 'isRateLimited'> = {},
): Promise<BrowserFixture> {
  const folder = await mkdtemp(join(tmpdir(), 'callsheet-browser-'));
  await layOut(join(folder, 'data', 'state'));
  const service = await startService({
    folder,
    httpPort: await freePort(),
    busPort: await freePort(),
    flags,
    isRateLimited,
  });
  const url = `http://127.0.0.1:${service.httpPort}`;
  const workers: Daemon[] = [];
  let browser: Browser;
  try {
    browser = await launchBrowser();
  } catch (error) {
    await service.daemon.kill('SIGTERM');
    throw error;
  }
  return {
    service,
    browser,
    url,
    worker: (name, more = []) => {
      const daemon = startWorker(service, name, more);
      workers.push(daemon);
      return daemon;
    },
    open: (path, options) => openPage(browser, url, path, options),
    close: async (keep) => {
      await browser.close();
      await Promise.all(workers.map((worker) => worker.kill('SIGTERM')));
      await service.daemon.kill('SIGTERM');
      if (!keep) await rm(folder, { recursive: true, force: true });
    },
  };
}
