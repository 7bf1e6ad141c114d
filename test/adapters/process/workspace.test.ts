import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  realpathSync,
  rmSync,
  symlinkSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import tap, { test } from 'tap';
import { removeWorkspace } from '../../../src/adapters/process/workspace.ts';

tap.setTimeout(60_000);

const NOBODY = 65_534;
/** Longer than the maximum length of a path. */
const LEVELS = 500;
const LONG_NAME = 'directory-'.repeat(10);
const isRoot = process.platform === 'linux' && process.geteuid?.() === 0;

/** Creates a tree with an innermost directory whose path is too long for the operating system. */
function makeDeep(directory: string): void {
  const script = `for ((n = 0; n < ${LEVELS}; n++)); do mkdir ${LONG_NAME} && cd ${LONG_NAME} || exit 1; done`;
  execFileSync('bash', ['-p', '-c', `cd "$0" && ${script}`, directory]);
}

/** Runs `work` as an account that is not root. */
async function asNobody(work: () => Promise<void>): Promise<void> {
  process.seteuid?.(NOBODY);
  try {
    await work();
  } finally {
    process.seteuid?.(0);
  }
}

for (const account of ['root', 'another account']) {
  void test(
    `files of a task are removed at any depth and with any permissions (${account})`,
    {
      skip: isRoot ? false : 'only root can take another account',
    },
    async (t) => {
      const base = realpathSync(mkdtempSync(join(tmpdir(), 'callsheet-workspace-')));
      t.teardown(() => rmSync(base, { recursive: true, force: true }));
      if (account !== 'root') chownSync(base, NOBODY, NOBODY);
      const session = join(base, 'session');
      const work = async (): Promise<void> => {
        for (const name of ['session', 'session/deep', 'session/closed', 'session/closed/inner']) {
          mkdirSync(join(base, name));
        }
        makeDeep(join(session, 'deep'));
        mkdirSync(join(base, 'kept'), { mode: 0o500 });
        symlinkSync('../../kept', join(session, 'closed', 'link'));
        chmodSync(join(session, 'closed', 'inner'), 0);
        chmodSync(join(session, 'closed'), 0o500);
        chmodSync(session, 0o500);
        await removeWorkspace(session);
      };
      await (account === 'root' ? work() : asNobody(work));
      t.equal(existsSync(session), false);
      t.equal(existsSync(join(base, 'kept')), true, 'links are not followed');
    },
  );
}
