import { spawn } from 'node:child_process';

/** Program that opens an address in the browser of the user, by platform. */
const OPENERS: Readonly<Record<string, readonly string[]>> = {
  darwin: ['open'],
  win32: ['rundll32', 'url.dll,FileProtocolHandler'],
  linux: ['xdg-open'],
};

/**
 * Opens an http or https address in the browser of the user. Returns false if this computer has no desktop or no program
 * for it; the caller prints the address anyway.
 */
export async function openBrowser(
  url: string,
  environment: Readonly<Record<string, string | undefined>> = process.env,
): Promise<boolean> {
  const [program, ...args] = OPENERS[process.platform] ?? [];
  if (program === undefined || !hasDesktop(environment)) return false;
  return await new Promise((resolve) => {
    const child = spawn(program, [...args, url], { stdio: 'ignore', detached: true });
    child.once('error', () => {
      resolve(false);
    });
    child.once('spawn', () => {
      child.unref();
      resolve(true);
    });
  });
}

const hasDesktop = (environment: Readonly<Record<string, string | undefined>>): boolean =>
  process.platform !== 'linux' || Boolean(environment['DISPLAY']) || Boolean(environment['WAYLAND_DISPLAY']);
