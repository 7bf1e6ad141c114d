import { chromium, type Browser } from 'playwright-core';

/** Debian's Chromium, or that of `CHROMIUM_PATH`. Root needs it without a sandbox. */
export function launchBrowser(): Promise<Browser> {
  return chromium.launch({
    executablePath: process.env['CHROMIUM_PATH'] ?? '/usr/bin/chromium',
    args: ['--no-sandbox', '--disable-dev-shm-usage'],
  });
}
