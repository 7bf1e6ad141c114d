import { existsSync } from 'node:fs';
import { join } from 'node:path';
import tap, { test } from 'tap';
import { mountFault, mountSmallDisk } from '../../kit/small-disk.ts';
import { RecordedProcesses } from './recorded-processes.ts';

tap.setTimeout(60_000);

const real = { skip: mountFault() };

test(
  'a task that fills the disk fails with its own error, and the next session has disk space again',
  real,
  async (t) => {
    const sessionsDirectory = mountSmallDisk(t, 4 * 2 ** 20).path;
    const it = new RecordedProcesses('full', { sessionsDirectory });
    await it.open();
    const fill = it.bash(
      'LC_ALL=C dd if=/dev/zero of=big bs=64k 2>&1 | grep -o "No space left on device"; exit 3',
    );
    t.same(await it.ended(fill), { kind: 'exited', code: 3 });
    t.same(it.lines(fill), ['No space left on device']);
    const files = [{ path: join(it.directory, 'script'), data: 'x'.repeat(100_000), runnable: true }];
    t.match(await it.ended(it.start('true', [], { files })), {
      kind: 'not-started',
      reason: /^an embedded file could not be written: ENOSPC/,
    });
    const run = it.bash('trap "exit 0" TERM; echo ready; sleep 600 & wait');
    await it.line(run, 'ready');
    it.processes.notify(it.sessionId, run, 0);
    t.same(
      await it.ended(run),
      { kind: 'exited', code: 0 },
      'a notice that cannot be written does not delay the signal',
    );
    await it.close();
    t.equal(existsSync(it.directory), false);
    const next = new RecordedProcesses('next', { sessionsDirectory });
    await next.open();
    t.same(await next.ended(next.bash('dd if=/dev/zero of=small bs=64k count=8 2>/dev/null')), {
      kind: 'exited',
      code: 0,
    });
    await next.close();
  },
);
