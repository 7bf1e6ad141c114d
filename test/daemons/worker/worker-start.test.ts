import { mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test, type Test } from 'tap';
import { lockWorkerDirectory } from '../../../src/adapters/host/worker-directory.ts';
import { runCallsheet } from '../../cli/run-callsheet.ts';

function scratch(t: Test): string {
  const path = realpathSync(mkdtempSync(join(tmpdir(), 'callsheet-worker-start-')));
  t.teardown(() => {
    rmSync(path, { recursive: true, force: true });
  });
  return path;
}

const ALLOWED = { SVC_WORKER_ALLOW_ROOT: 'true' };

test('a worker that cannot start prints the reason in one line', async (t) => {
  const directory = scratch(t);
  if (process.getuid?.() === 0) {
    t.same(await runCallsheet(['worker', '--worker-dir', directory]), {
      code: 1,
      out: '',
      err: 'callsheet worker: the worker does not run as root, since tasks would; start it as another user, or set worker.allow_root (SVC_WORKER_ALLOW_ROOT=true)\n',
    });
  }
  const lock = await lockWorkerDirectory(directory);
  t.same(await runCallsheet(['worker', '--worker-dir', directory], { environment: ALLOWED }), {
    code: 1,
    out: '',
    err: `callsheet worker: worker.dir: ${directory} is in use by another worker (process ${process.pid})\n`,
  });
  lock.release();
  writeFileSync(join(directory, 'identity.json'), 'x');
  t.same(await runCallsheet(['worker', '--worker-dir', directory], { environment: ALLOWED }), {
    code: 1,
    out: '',
    err: `callsheet worker: ${directory}/identity.json is broken; remove it to start as a new worker\n`,
  });
});
