import { execFile } from 'node:child_process';
import {
  accessSync,
  constants,
  existsSync,
  mkdirSync,
  readFileSync,
  rmdirSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import tap, { test, type Test } from 'tap';
import { DAEMON_GROUP, findControllers } from '../../../src/adapters/host/cgroup-controllers.ts';

/**
 * Version 2 with the files of the kernel. A machine whose version 1 hierarchies have the controllers for memory, processes and CPU
 * offers others, such as hugetlb: the rules for enabling a controller are the same for all.
 */
tap.setTimeout(60_000);

const words = (text: string): readonly string[] => text.split(/\s+/).filter((word) => word !== '');

interface Unified {
  readonly root: string;
  /** A controller that groups may enable, and that the kernel refuses below a group with processes. */
  readonly controller: string;
}

/** Controllers that the kernel allows below a group with processes. */
const THREADED = new Set(['cpu', 'cpuset', 'perf_event', 'pids']);

const offeredBy = (root: string): readonly string[] =>
  words(readFileSync(join(root, 'cgroup.controllers'), 'utf8'));

/** Returns the hierarchy of version 2, if this process may create groups with a controller in it. */
function unified(): Unified | null {
  for (const root of ['/sys/fs/cgroup/unified', '/sys/fs/cgroup']) {
    try {
      accessSync(join(root, 'cgroup.subtree_control'), constants.W_OK);
      const controller = offeredBy(root).find((name) => !THREADED.has(name));
      if (controller !== undefined) return { root, controller };
    } catch {
      // Not mounted, or not writable: the next one.
    }
  }
  return null;
}

const place = unified();
const skip = place === null ? 'no writable hierarchy of version 2 with a controller' : false;

/** Creates a group as of the unit of a worker, whose parents have delegated the controller to it. */
function makeUnit(t: Test, { root, controller }: Unified): string {
  const file = join(root, 'cgroup.subtree_control');
  if (!words(readFileSync(file, 'utf8')).includes(controller)) {
    writeFileSync(file, `+${controller}`);
    t.teardown(() => {
      // Groups of another test may use it.
      try {
        writeFileSync(file, `-${controller}`);
      } catch (error) {
        t.comment(`${controller} stays enabled: ${String(error)}`);
      }
    });
  }
  const unit = join(root, `callsheet-test-${process.pid}`);
  for (const group of [unit, join(unit, 'worker'), join(unit, 'worker/session')]) mkdirSync(group);
  t.teardown(() => {
    for (const group of ['worker/session', 'worker', DAEMON_GROUP, ''])
      if (existsSync(join(unit, group))) rmdirSync(join(unit, group));
  });
  return unit;
}

const modules = ['process/controller-delegation', 'host/cgroup-controllers'].map(
  (name) => new URL(`../../../src/adapters/${name}.js`, import.meta.url).href,
);

/** Runs the text of a function body in a process that is alone in the group. Returns what it returns. */
async function runIn(group: string, body: string): Promise<unknown> {
  const program = `
    require('node:fs').writeFileSync(${JSON.stringify(join(group, 'cgroup.procs'))}, String(process.pid));
    Promise.all(${JSON.stringify(modules)}.map((name) => import(name))).then(([{ enableControllers }, { findControllers }]) => {
      const own = ${JSON.stringify(group)};
      return (() => { ${body} })();
    }).then((result) => console.log(JSON.stringify(result)));`;
  const { stdout } = await promisify(execFile)(process.execPath, ['-e', program]);
  return JSON.parse(stdout);
}

void test('a worker alone in its group leaves it, and enables a controller below it', { skip }, async (t) => {
  if (place === null) return;
  const { controller } = place;
  const unit = makeUnit(t, place);
  const worker = join(unit, 'worker');
  const names = JSON.stringify([controller, 'no-such-controller']);
  const result = await runIn(
    unit,
    `const { readFileSync, writeFileSync } = require('node:fs');
     let refusal = null;
     try { writeFileSync(own + '/cgroup.subtree_control', '+${controller}'); } catch (error) { refusal = error.code; }
     const isEnabled = enableControllers(own, own + '/worker', ${names});
     const again = enableControllers(own, own + '/worker', ${names});
     const group = readFileSync('/proc/self/cgroup', 'utf8').split('\\n').find((line) => line.startsWith('0::'));
     writeFileSync(own + '/worker/session/cgroup.procs', String(process.pid));
     return { refusal, isEnabled, again, group };`,
  );
  t.match(result, { refusal: 'EBUSY', isEnabled: true, again: true });
  t.match(result, { group: new RegExp(`/${DAEMON_GROUP}$`) }, 'it has moved');
  t.same(words(readFileSync(join(unit, 'cgroup.subtree_control'), 'utf8')), [controller]);
  t.same(words(readFileSync(join(worker, 'cgroup.subtree_control'), 'utf8')), [controller]);
  t.same(words(readFileSync(join(worker, 'session/cgroup.controllers'), 'utf8')), [controller]);
});

/** Where version 2 has one. */
const threaded = place === null ? undefined : offeredBy(place.root).find((name) => THREADED.has(name));
const noThreads = threaded === undefined ? 'version 2 offers no controller of threads' : false;

for (const controller of [place?.controller, threaded]) {
  const isThreaded = controller === threaded;
  const title = `a group with other processes does not get controllers${isThreaded ? ' of threads' : ''}`;
  void test(title, { skip: skip || (isThreaded && noThreads) }, async (t) => {
    if (place === null || controller === undefined) return;
    const unit = makeUnit(t, { ...place, controller });
    const result = await runIn(
      unit,
      `const { spawn } = require('node:child_process');
       const other = spawn('sleep', ['60']);
       const isEnabled = enableControllers(own, own + '/worker', ['${controller}']);
       other.kill('SIGKILL');
       return new Promise((resolve) => other.once('exit', () => resolve(isEnabled)));`,
    );
    t.equal(result, false);
    t.same(words(readFileSync(join(unit, 'cgroup.subtree_control'), 'utf8')), []);
  });
}

void test(
  'processes enter groups with controllers of threads only',
  { skip: skip || noThreads },
  async (t) => {
    if (place === null || threaded === undefined) return;
    const unit = makeUnit(t, { ...place, controller: threaded });
    const result = await runIn(
      unit,
      `const { readFileSync, writeFileSync } = require('node:fs');
     const isEnabled = enableControllers(own, own + '/worker', ['${threaded}']);
     writeFileSync(own + '/worker/session/cgroup.procs', String(process.pid));
     return { isEnabled, type: readFileSync(own + '/worker/session/cgroup.type', 'utf8').trim() };`,
    );
    t.same(result, { isEnabled: true, type: 'domain' });
  },
);

void test('a controller that version 2 does not offer is reported with its reason', { skip }, async (t) => {
  if (place === null) return;
  const unit = makeUnit(t, place);
  const offered = words(readFileSync(join(unit, 'cgroup.controllers'), 'utf8'));
  // A root in which only version 2 is mounted; its files are those of the kernel.
  const folder = t.testdir({ proc: { self: {} }, sys: { fs: {} } });
  symlinkSync('/sys/fs/cgroup', join(folder, 'sys/fs/cgroup'));
  writeFileSync(join(folder, 'proc/self/cgroup'), `0::/${unit.slice(place.root.length + 1)}\n`);
  writeFileSync(
    join(folder, 'proc/self/mountinfo'),
    `25 30 0:23 / ${place.root} rw shared:4 - cgroup2 cgroup2 rw,nsdelegate\n`,
  );
  const { memory, pids } = findControllers(folder);
  for (const [name, found] of Object.entries({ memory, pids })) {
    if (offered.includes(name)) t.match(found, { isUsable: true, version: 2 });
    else t.match(found, { isUsable: false, reason: `the controller ${name} is not available in` });
  }
});
