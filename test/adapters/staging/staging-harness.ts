import { mkdir, readdir, readFile, lstat, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { LocalStaging } from '../../../src/adapters/staging/local-staging.ts';
import { sessionId } from '../../../src/core/ids.ts';
import type { StagingTransfer } from '../../../src/core/delivery/staging-plan.ts';
import type { FileOwner, StagingDirection } from '../../../src/core/ports/staging.ts';

export const SESSION = sessionId('session');

interface Test {
  testdir(): string;
  teardown(done: () => void): void;
}

/** A storage location and a session directory below the test directory, and copies between them. */
export class StagingHarness {
  readonly storage: string;
  readonly session: string;
  readonly staging: LocalStaging;
  /** Existing accounts by name. */
  readonly accounts = new Map<string, FileOwner>();
  private run = 0;
  private readonly waiting = new Map<number, (failure: string | null) => void>();

  constructor(t: Test) {
    const directory = t.testdir();
    this.storage = join(directory, 'storage');
    this.session = join(directory, 'session');
    this.staging = new LocalStaging({
      events: { ended: (_session, run, failure) => this.waiting.get(run)?.(failure) },
      ownerOf: (runAs) => {
        if (runAs === null) return Promise.resolve(null);
        const { user } = runAs;
        const owner = this.accounts.get(user);
        return owner === undefined
          ? Promise.reject(new Error(`there is no account ${user}`))
          : Promise.resolve(owner);
      },
      platform: process.platform,
      environment: process.env,
    });
  }

  static async open(t: Test): Promise<StagingHarness> {
    const bench = new StagingHarness(t);
    await mkdir(bench.storage);
    await mkdir(bench.session, { mode: 0o700 });
    return bench;
  }

  transfer(parts: Partial<StagingTransfer> & { readonly below: readonly string[] }): StagingTransfer {
    const localBelow = parts.localBelow ?? ['staged', 'P', parts.below.at(-1) ?? 'root'];
    return {
      parameter: 'P',
      objectType: 'DIRECTORY',
      flow: 'INOUT',
      root: this.storage,
      directory: this.session,
      localBelow,
      local: `${this.session}/${localBelow.join('/')}`,
      ...parts,
    };
  }

  /** Why the copy failed, without the paths of the test, or null. */
  copy(
    direction: StagingDirection,
    transfers: readonly StagingTransfer[],
    user: string | null = null,
    begun: () => void = () => undefined,
  ): Promise<string | null> {
    const run = ++this.run;
    return new Promise((resolve) => {
      this.waiting.set(run, (failure) => {
        resolve(failure?.replaceAll(this.storage, '$STORAGE').replaceAll(this.session, '$SESSION') ?? null);
      });
      this.staging.begin(SESSION, {
        run,
        direction,
        transfers,
        runAs: user === null ? null : { user, group: null },
      });
      begun();
    });
  }
}

/** Writes files by their paths below a directory. */
export async function writeTree(directory: string, files: Readonly<Record<string, string>>): Promise<void> {
  for (const [name, content] of Object.entries(files)) {
    const path = join(directory, name);
    await mkdir(dirname(path), { recursive: true });
    await writeFile(path, content);
  }
}

/**
 * Returns everything below a directory: the contents of files, and the types of other entries. Links are not followed.
 */
export async function readTree(directory: string, below = ''): Promise<Record<string, string>> {
  const found: Record<string, string> = {};
  for (const name of (await readdir(join(directory, below))).sort()) {
    const way = join(below, name);
    const path = join(directory, way);
    const stat = await lstat(path);
    if (stat.isFile()) found[way] = await readFile(path, 'utf8');
    else if (stat.isSymbolicLink()) found[way] = '(link)';
    else if (stat.isDirectory()) {
      const inside = await readTree(directory, way);
      if (Object.keys(inside).length === 0) found[way] = '(empty)';
      else Object.assign(found, inside);
    }
  }
  return found;
}
