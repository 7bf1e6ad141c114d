import { spawn } from 'node:child_process';
import { accessSync, constants, existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as delay } from 'node:timers/promises';
import tap, { test } from 'tap';
import { Cgroup } from '../../../src/adapters/process/session-cgroup.ts';

tap.setTimeout(60_000);

/** Possible parents of groups of each kind on this machine. */
const PLACES: Readonly<Record<string, readonly string[]>> = {
  'version 2': ['/sys/fs/cgroup/unified', '/sys/fs/cgroup'],
  freezer: ['/sys/fs/cgroup/freezer'],
};

/** A parent of the kind in which this process may create groups, or null. */
function writable(kind: string): string | null {
  for (const place of PLACES[kind] ?? []) {
    try {
      accessSync(join(place, 'cgroup.procs'), constants.W_OK);
      return place;
    } catch {
      // Tries the next one.
    }
  }
  return null;
}

const isEmpty = (group: string): boolean => readFileSync(join(group, 'cgroup.procs'), 'utf8') === '';

for (const kind of Object.keys(PLACES)) {
  const place = writable(kind);
  void test(`ending a group ends all of its processes (${kind})`, { skip: place === null }, async (t) => {
    const group = Cgroup.make(join(place ?? '', `callsheet-test-${process.pid}`));
    const inner = group?.below('inner') ?? null;
    if (group === null || inner === null) throw new Error('no group could be created');
    t.same(group.kill(), [], 'an empty group has no processes to end');
    // Each process starts the next one and exits, so that a process list is outdated when it is read.
    const relay =
      'relay() { sleep 0.002; relay & }; for n in 1 2 3 4; do relay & done; echo up; wait; sleep 60';
    const child = spawn('bash', ['-c', `echo 0 >"$0/cgroup.procs"; ${relay}`, inner.path], {
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    for await (const line of createInterface({ input: child.stdout })) if (line === 'up') break;
    t.ok(group.kill().length > 0);
    for (let rounds = 0; !isEmpty(inner.path) && rounds < 500; rounds++) {
      group.kill();
      await delay(10);
    }
    t.ok(isEmpty(inner.path));
    group.remove();
    t.equal(existsSync(group.path), false);
    t.same(group.kill(), [], 'a removed group has no processes to end');
    t.equal(Cgroup.make(join(place ?? '', 'no-such-parent', 'group')), null);
  });
}
