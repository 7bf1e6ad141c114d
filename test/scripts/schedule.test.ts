import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { test } from 'tap';

const ROOT = new URL('../../../', import.meta.url);
const SCHEDULE = new URL('scripts/test-runner/schedule.js', ROOT).href;
const NIGHTLY = new URL('scripts/test-runner/nightly.js', ROOT).href;

interface Process {
  readonly files: readonly string[];
  readonly seconds: number;
  readonly isCpuBound: boolean;
}

/** Evaluates an expression with the functions of schedule.js and nightly.js, which are plain JavaScript without types. */
function evaluate(expression: string): unknown {
  const program = `import { planForBusAuthentication, planForNodeEngine, planProcesses, takeNext, takeNextWaiting, GROUPED } from ${JSON.stringify(SCHEDULE)};
    import { NIGHTLY } from ${JSON.stringify(NIGHTLY)};
    console.log(JSON.stringify(${expression}));`;
  const { stdout, stderr } = spawnSync(process.execPath, ['--input-type=module', '-e', program], {
    encoding: 'utf8',
  });
  if (stdout === '') throw new Error(stderr);
  return JSON.parse(stdout);
}

const FILES = [
  'dist/test/core/a.test.js',
  'dist/test/core-x/a.test.js',
  'dist/test/core/lease/b.test.js',
  'dist/test/actors/c.test.js',
  'dist/test/e2e/long.test.js',
  'dist/test/e2e/short.test.js',
  'dist/test/sim/d.test.js',
];

test('every file is planned once, in groups by folder, longest first', async (t) => {
  const durations = {
    'dist/test/e2e/long.test.js': 300,
    'dist/test/e2e/short.test.js': 8,
    'dist/test/core/lease/b.test.js': 30,
  };
  const plan = evaluate(
    `planProcesses(${JSON.stringify(FILES)}, { groups: GROUPED, durations: ${JSON.stringify(durations)} })`,
  ) as readonly Process[];
  t.same(
    plan.map(({ files }) => files),
    [
      ['dist/test/e2e/long.test.js'],
      ['dist/test/sim/d.test.js'],
      ['dist/test/core/a.test.js', 'dist/test/core/lease/b.test.js'],
      ['dist/test/e2e/short.test.js'],
      ['dist/test/core-x/a.test.js'],
      ['dist/test/actors/c.test.js'],
    ],
  );
  t.same(
    plan.map(({ isCpuBound }) => isCpuBound),
    [false, true, true, false, false, true],
  );
});

test('one process that computes runs at a time, unless no other process waits', async (t) => {
  const [computes, waits] = [{ isCpuBound: true }, { isCpuBound: false }];
  const next = (waiting: readonly object[], running: readonly object[]) =>
    evaluate(
      `(() => { const waiting = ${JSON.stringify(waiting)}; return [takeNext(waiting, ${JSON.stringify(running)}), waiting]; })()`,
    );
  t.same(next([computes, waits], [waits]), [computes, [waits]], 'the first one');
  t.same(next([computes, waits], [computes]), [waits, [computes]], 'the first one that does not compute');
  t.same(next([computes], [computes]), [computes, []], 'no process is left out');
});

test('tests in a browser do not run at the same time as tests that change the network, unless no other process waits', async (t) => {
  const [changes, browses, other] = [{ network: 'changes' }, { network: 'browses' }, { isCpuBound: true }];
  const next = (waiting: readonly object[], running: readonly object[]) =>
    evaluate(`takeNext(${JSON.stringify(waiting)}, ${JSON.stringify(running)})`);
  t.same(next([browses, other], [changes]), other);
  t.same(next([changes, other], [browses]), other);
  t.same(next([browses, other], [browses]), browses);
  t.same(next([browses, other], [changes, other]), other, 'a second one that computes disturbs less');
  t.same(next([browses], [changes]), browses, 'no process is left out');
  const plan = evaluate(
    "planProcesses(['dist/test/e2e/faults.test.js', 'dist/test/web/frame.test.js', 'dist/test/e2e/x.test.js'], { groups: [], durations: {} })",
  ) as readonly { readonly files: readonly string[]; readonly network?: string }[];
  const networkOf = (file: string) => plan.find(({ files }) => files.includes(file))?.network;
  t.equal(networkOf('dist/test/e2e/faults.test.js'), 'changes');
  t.equal(networkOf('dist/test/web/frame.test.js'), 'browses');
  t.equal(networkOf('dist/test/e2e/x.test.js'), undefined);
});

test('a test that waits runs in addition to the others, which do not take it before the end', async (t) => {
  const [waits, other] = [{ waits: true }, { waits: false }];
  const left = (take: string, among: readonly object[]) =>
    evaluate(`(() => { const left = ${JSON.stringify(among)}; return [${take} ?? null, left]; })()`);
  t.same(left('takeNext(left, [])', [waits, other]), [other, [waits]]);
  t.same(left('takeNext(left, [])', [waits]), [waits, []], 'no process is left out');
  t.same(left('takeNextWaiting(left)', [other, waits, waits]), [waits, [other, waits]]);
  t.same(left('takeNextWaiting(left)', [other]), [null, [other]]);
  const plan = evaluate(
    "planProcesses(['dist/test/e2e/survival/outage.test.js', 'dist/test/e2e/x.test.js'], { groups: [], durations: {} })",
  );
  t.match(plan, [
    { files: ['dist/test/e2e/survival/outage.test.js'], waits: true },
    { files: ['dist/test/e2e/x.test.js'], waits: false },
  ]);
});

test('a test of the HTTP layer is repeated with node:http if it loads the choice of the engine, directly or not', async (t) => {
  const files = [
    'dist/test/http/server/engine.test.js',
    'dist/test/http/routes/jobs.test.js',
    'dist/test/http/openapi/contract.test.js',
    'dist/test/e2e/events.test.js',
  ];
  const planned = (isNightly: boolean): unknown =>
    evaluate(
      `planForNodeEngine(${JSON.stringify(files)}, { groups: GROUPED, durations: {}, isNightly: ${isNightly} })`,
    );
  const variant = { name: 'node' };
  t.match(planned(true), [{ files: files.slice(0, 2), variant }]);
  t.match(planned(true), { length: 1 });
  t.match(planned(false), [{ files: files.slice(0, 1), variant }], 'by day only tests of the engine itself');
  t.match(planned(false), { length: 1 });
});

test('some tests of workers are repeated on a bus with authentication', (t) => {
  const files = ['dist/test/e2e/sessions.test.js', 'dist/test/e2e/http.test.js', 'dist/test/core/a.test.js'];
  const plan = evaluate(
    `planForBusAuthentication(${JSON.stringify(files)}, { groups: GROUPED, durations: {} })`,
  );
  const variant = { name: 'bus-auth', env: { CALLSHEET_TEST_BUS_AUTH: 'true' } };
  t.match(plan, [{ files: files.slice(0, 1), variant }]);
  t.match(plan, { length: 1 });
  t.end();
});

test('the page about testing lists every file of the nightly run', (t) => {
  const files = evaluate('NIGHTLY') as readonly string[];
  t.ok(files.length > 0);
  t.equal(new Set(files).size, files.length, 'no file is listed twice');
  const page = readFileSync(new URL('docs/testing.md', ROOT), 'utf8');
  const [section = ''] = /^## Nightly$.*?^## /ms.exec(page) ?? [];
  for (const file of files) {
    t.ok(existsSync(new URL(file, ROOT)), `${file} exists`);
    const name = basename(file, '.test.js');
    t.match(section, new RegExp(`[\`/]${name}\``), `${file} is on the page`);
  }
  t.end();
});
