/**
 * Loading of parts of the application, which are files of their own. A part cannot be loaded while the server is
 * unreachable, and never again after the server got another build, which has other file names.
 */

/** Why a part could not be loaded. */
export type PartFault = 'unreachable' | 'new-build' | 'broken';

export class PartUnavailable extends Error {
  readonly fault: PartFault;

  constructor(fault: PartFault, cause: unknown) {
    super(PART_SENTENCES[fault], { cause });
    this.fault = fault;
  }
}

const PART_SENTENCES: Readonly<Record<PartFault, string>> = {
  unreachable:
    'The server cannot be reached, so this page could not be loaded. It is loaded when the server is back.',
  'new-build': 'The server has a new version, and this page could not be loaded from it. Reload the page.',
  broken: 'The server answers, but this page could not be loaded from it. Try again, or reload the page.',
};

/** Effects of a page that loads parts. */
export interface PartEffects {
  readonly delay: (ms: number) => Promise<void>;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  /** Path of the script of this page. */
  readonly ownScript: () => string;
  /** HTML of the application that the server has now; null if the server is unreachable. */
  readonly index: () => Promise<string | null>;
  readonly reload: () => void;
  /** Survives a reload. */
  readonly lastReload: { get(): string | null; set(text: string): void };
}

/** Waits before another attempt, in milliseconds. */
const WAITS_MS = [500, 2_000];
/** Minimum time between two reloads, so that servers with different builds behind one address cause no loop. */
const RELOAD_EVERY_MS = 60_000;

/**
 * Loads a part, with two retries. Reloads the page if the server has another build; then the promise never settles.
 * Throws PartUnavailable.
 */
export async function loadPart<T>(load: () => Promise<T>, effects: PartEffects): Promise<T> {
  for (let attempt = 0; ; attempt += 1) {
    try {
      return await load();
    } catch (error) {
      const fault = await faultOf(effects);
      if (fault === 'new-build' && mayReload(effects)) {
        effects.lastReload.set(String(effects.now()));
        effects.reload();
        return await new Promise<never>(() => undefined);
      }
      const wait = WAITS_MS[attempt];
      if (wait === undefined || fault === 'new-build') throw new PartUnavailable(fault, error);
      await effects.delay(wait);
    }
  }
}

async function faultOf({ index, ownScript }: PartEffects): Promise<PartFault> {
  const html = await index();
  if (html === null) return 'unreachable';
  return html.includes(`"${ownScript()}"`) ? 'broken' : 'new-build';
}

function mayReload({ lastReload, now }: PartEffects): boolean {
  const last = Number(lastReload.get() ?? 0);
  return Math.abs(now() - last) >= RELOAD_EVERY_MS;
}
