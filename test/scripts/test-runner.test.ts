import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import tap, { test, type Test } from 'tap';

tap.setTimeout(180_000);

const ROOT = fileURLToPath(new URL('../../../', import.meta.url));
const RUNNER = join(ROOT, 'scripts/test-runner/run-tests.js');

const IMPORT = `import { test } from 'tap';\n`;
const PASSES = `${IMPORT}test('passes', async (t) => { t.ok(true); t.ok(true); });`;
const FAILS = `${IMPORT}test('outer', async (t) => {
  await t.test('inner', async (t) => { t.ok(true); t.equal(1, 2, 'one is two'); });
  t.comment('a detail');
});`;

interface Run {
  readonly folder: string;
  readonly status: number | null;
  readonly lines: readonly string[];
  /** Failed files by name, with their problems. */
  readonly failed: Readonly<Record<string, string>>;
}

/** Runs the test runner on files that are created for it. */
function run(
  t: Test,
  files: NonNullable<Parameters<Test['testdir']>[0]>,
  ...options: readonly string[]
): Run {
  const folder = t.testdir({ files, logs: {} });
  const tests = join(folder, 'files');
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    [RUNNER, ...options, '--group', join(tests, 'group'), '--logs', join(folder, 'logs'), tests],
    { cwd: ROOT, encoding: 'utf8' },
  );
  const failed = [...stdout.matchAll(/^FAILED (\S+): (.*)$/gm)].map(([, file = '', problem = '']) => [
    relative(tests, join(ROOT, file)),
    problem,
  ]);
  if (stderr !== '') t.comment(stderr);
  return {
    folder,
    status,
    lines: stdout.trimEnd().split('\n'),
    failed: Object.fromEntries(failed) as Record<string, string>,
  };
}

test('a passing run ends with its totals, and a skipped test counts as skipped', async (t) => {
  const skipped = `${IMPORT}test('skipped', { skip: "a reason" }, async (t) => { t.fail('runs'); });`;
  const { status, lines, failed } = run(t, { 'a.test.js': PASSES, 'b.test.js': skipped, 'c.js': 'throw 1' });
  t.equal(status, 0);
  t.same(failed, {});
  t.equal(lines.at(-1), '2 passed, 0 failed, 1 skipped');
});

test('a failed assertion fails the run and is printed with its file, tests and place', async (t) => {
  const { status, lines, failed } = run(t, { 'a.test.js': PASSES, 'b.test.js': FAILS });
  t.equal(status, 1);
  t.same(failed, { 'b.test.js': 'has failed assertions' });
  t.equal(lines.at(-1), '3 passed, 1 failed');
  t.ok(lines.some((line) => line.endsWith('not ok - outer > inner > one is two')));
  t.ok(lines.some((line) => /fileName: .*b\.test\.js$/.test(line)));
  t.ok(lines.some((line) => line.trim() === '# a detail'));
  t.equal(
    lines.filter((line) => line.includes('not ok')).length,
    1,
    'the subtests around it are not printed',
  );
});

test('a file that crashes before its plan fails', async (t) => {
  const { status, lines, failed } = run(t, { 'a.test.js': `throw new Error('an early end');` });
  t.equal(status, 1);
  t.same(failed, { 'a.test.js': 'exited with status 1' });
  t.ok(lines.some((line) => line.includes('an early end')));
  t.equal(lines.at(-1), '0 passed, 1 failed');
});

test('a file without tests fails', async (t) => {
  const { status, lines, failed } = run(t, { 'a.test.js': IMPORT, 'b.test.js': '', 'c.test.js': PASSES });
  t.equal(status, 1);
  t.same(failed, { 'a.test.js': 'printed no totals', 'b.test.js': 'printed no totals' });
  t.equal(lines.at(-1), '2 passed, 2 failed');
});

test('a file fails if its process fails after its assertions passed', async (t) => {
  const late = (statement: string) => `${PASSES}\nprocess.on('exit', () => { ${statement} });`;
  const { status, lines, failed } = run(t, {
    'a.test.js': late('process.exitCode = 3'),
    'b.test.js': late(`process.kill(process.pid, 'SIGKILL')`),
  });
  t.equal(status, 1);
  t.same(failed, { 'a.test.js': 'exited with status 3', 'b.test.js': 'was ended by SIGKILL' });
  t.equal(lines.at(-1), '4 passed, 2 failed');
});

const HANGS = `
import { spawn } from 'node:child_process';
import { writeFileSync } from 'node:fs';
${IMPORT}
test('waits', () => {
  const started = ['inherit', 'ignore'].map((stdio, index) =>
    spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)'], { stdio, detached: index === 1 }).pid);
  writeFileSync(new URL('started.json', import.meta.url), JSON.stringify(started));
  return new Promise(() => setInterval(() => {}, 1000));
});`;

test('a file that hangs fails by name, and its child processes are ended', async (t) => {
  const { folder, status, lines, failed } = run(t, { 'a.test.js': HANGS }, '--timeout', '10');
  t.equal(status, 1);
  t.same(failed, { 'a.test.js': 'exceeded its time limit and was ended' });
  t.ok(
    lines.some((line) => line.endsWith('not ok - waits > timeout!')),
    'the running test is printed',
  );
  const started = JSON.parse(readFileSync(join(folder, 'files/started.json'), 'utf8')) as number[];
  t.equal(started.length, 2);
  const isRunning = (pid: number) => {
    const stat = existsSync(`/proc/${pid}/stat`) ? readFileSync(`/proc/${pid}/stat`, 'utf8') : ') Z';
    return !/\) [ZX]/.test(stat);
  };
  t.same(started.filter(isRunning), [], 'with and without a process group of their own');
});

test('a file that blocks its process is ended as well', async (t) => {
  const { status, failed } = run(
    t,
    { 'a.test.js': `${IMPORT}test('blocks', () => { for (;;); });` },
    '--timeout',
    '3',
  );
  t.equal(status, 1);
  t.same(failed, { 'a.test.js': 'exceeded its time limit and was ended' });
});

test('a file can extend its own time limit', async (t) => {
  const slow = `import tap, { test } from 'tap';
tap.setTimeout(60_000);
test('slow', (t) => { setTimeout(() => { t.pass(); t.end(); }, 10_000); });`;
  const { status, lines } = run(t, { 'a.test.js': slow }, '--timeout', '8');
  t.equal(status, 0);
  t.equal(lines.at(-1), '1 passed, 0 failed');
});

test('files of a group run in one process, and a failure names its file', async (t) => {
  const recordsPid = `import { writeFileSync } from 'node:fs';
writeFileSync(new URL(import.meta.url + '.pid'), String(process.pid));\n`;
  const empty = `${IMPORT}test('has no assertions', async () => {});`;
  const { folder, status, lines, failed } = run(t, {
    group: {
      'a.test.js': recordsPid + PASSES,
      'b.test.js': FAILS,
      'c.test.js': empty,
      'd.test.js': recordsPid + PASSES,
      'e.test.js': `throw new Error('cannot start');`,
      'f.test.js': '',
    },
  });
  t.equal(status, 1);
  t.same(failed, {
    'group/b.test.js': 'has failed assertions',
    'group/e.test.js': 'has failed assertions',
    'group/f.test.js': 'has no assertions',
  });
  // The end of a test without assertions counts as one.
  t.equal(lines.at(-1), '6 passed, 3 failed');
  t.ok(lines.some((line) => /not ok - .*e\.test\.js cannot be loaded$/.test(line)));
  const pid = (name: string) => readFileSync(join(folder, 'files/group', `${name}.test.js.pid`), 'utf8');
  t.equal(pid('a'), pid('d'));
});

test('a group that ends early fails the file that ended it and those that did not run', async (t) => {
  const { status, lines, failed } = run(t, {
    group: {
      'a.test.js': PASSES,
      'b.test.js': `${IMPORT}test('ends', async () => { process.exit(0); });`,
      'c.test.js': PASSES,
    },
  });
  t.equal(status, 1);
  t.same(Object.keys(failed), ['group/b.test.js', 'group/c.test.js']);
  t.match(failed['group/c.test.js'], /^did not run: its group ended in .*b\.test\.js$/);
  t.equal(lines.at(-1), '2 passed, 2 failed');
});

test('a file of a group that hangs fails by name', async (t) => {
  const { status, failed } = run(
    t,
    { group: { 'a.test.js': PASSES, 'b.test.js': HANGS } },
    '--timeout',
    '10',
  );
  t.equal(status, 1);
  t.same(failed, { 'group/b.test.js': 'exceeded its time limit and was ended' });
});

test('the slowest files and the processes with most processor time are listed, the highest first', async (t) => {
  const waits = (ms: number) =>
    `${IMPORT}test('x', (t) => { setTimeout(() => { t.pass(); t.end(); }, ${ms}); });`;
  const files = Object.fromEntries(Array.from({ length: 11 }, (_, n) => [`f${n}.test.js`, PASSES]));
  const { lines } = run(t, { ...files, 'slow.test.js': waits(4000) });
  const costs = lines.findIndex((line) => line.startsWith('Processor time: '));
  const rows = (from: number, to?: number): readonly string[] =>
    lines.slice(from, to).filter((line) => / s {2}\S/.test(line));
  const slowest = rows(lines.indexOf('Slowest files:') + 1, costs);
  t.equal(slowest.length, 10);
  t.ok(slowest[0]?.endsWith('slow.test.js'));
  t.match(lines[costs], /^Processor time: \d+ s in 12 of 12 processes\. Most:$/);
  const seconds = rows(costs + 1).map((line) => Number.parseFloat(line));
  t.equal(seconds.length, 10);
  t.ok(
    seconds.every((value, index) => value > 0 && value <= (seconds[index - 1] ?? value)),
    'in descending order',
  );
});

test('an unknown file or option is refused', async (t) => {
  for (const args of [['dist/test/no-such.test.js'], ['--no-such'], ['--timeout', 'x']]) {
    const { status, stdout } = spawnSync(process.execPath, [RUNNER, ...args], {
      cwd: ROOT,
      encoding: 'utf8',
    });
    t.equal(status, 1, args.join(' '));
    t.notMatch(stdout, /passed/);
  }
});
