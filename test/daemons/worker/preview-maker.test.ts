import { mkdir, mkdtemp, readdir, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test, type Test } from 'tap';
import { PreviewMaker } from '../../../daemons/worker/preview-maker.ts';
import { NO_LIMITS } from '../../../src/adapters/process/limit-settings.ts';
import { PROCESS_LIMITS } from '../../../src/adapters/process/limits.ts';
import { LocalTaskProcesses } from '../../../src/adapters/process/local-task-processes.ts';
import { supervisorScript } from '../../../src/adapters/process/supervisor.ts';
import { DENIED_VARIABLES } from '../../../src/core/access/denied-variables.ts';
import { sessionId } from '../../../src/core/ids.ts';
import type { StoreOutcome } from '../../../src/core/ports/bus.ts';
import type { PreviewMessage } from '../../../src/core/wire/bus-messages.ts';
import { attemptOf, taskOf } from '../../kit/nats-members.ts';
import { isProcessAlive } from '../../adapters/process/process-alive.ts';
import { until } from '../../kit/until.ts';

const STORED: StoreOutcome = { type: 'stored', streamSequence: 1, isDuplicate: false };
const NOT_A_SESSION = {
  opened: () => undefined,
  started: () => undefined,
  output: () => undefined,
  ended: () => undefined,
  closed: () => undefined,
};

/** A maker with real processes. `program` is the text of the script that it starts in place of the decoder. */
async function makerOf(t: Test, program: string, { timeMs = 60_000, runner = '/bin/bash' } = {}) {
  const directory = await realpath(await mkdtemp(join(tmpdir(), 'callsheet-preview-maker-')));
  const sessionsDirectory = join(directory, 'sessions');
  await mkdir(sessionsDirectory);
  const script = join(directory, 'program');
  await writeFile(script, program);
  const published: PreviewMessage[] = [];
  let sessions = 0;
  const maker: PreviewMaker = new PreviewMaker({
    processes: () => processes,
    publish: (message) => {
      published.push(message);
      return Promise.resolve(STORED);
    },
    sessionsDirectory,
    program: [runner, script],
    timeMs,
    newSessionId: () => sessionId(`preview-${process.pid}-${++sessions}`),
    log: () => undefined,
  });
  const processes: LocalTaskProcesses = new LocalTaskProcesses({
    workerDirectory: directory,
    supervisorScript: supervisorScript(),
    beatTimeoutSeconds: PROCESS_LIMITS.beatTimeoutSeconds,
    tasksBeforeLauncher: Infinity,
    ownEnvironment: process.env,
    isolation: {
      isEnabled: true,
      environmentPassthrough: [],
      defaultUser: '',
      environmentDeny: DENIED_VARIABLES,
      limits: NO_LIMITS,
      network: 'open',
      diskQuotaBytes: 0,
      privateTmp: false,
      hideProcesses: false,
      noNewPrivileges: false,
    },
    warn: (text) => t.comment(text),
    inform: () => undefined,
    events: maker.ownEvents(NOT_A_SESSION),
  });
  t.teardown(async () => {
    await maker.stop();
    await processes.settled();
    await rm(directory, { recursive: true, force: true });
  });
  maker.serviceStores(true);
  const make = (index: number, ...paths: readonly string[]): void =>
    maker.make({
      taskId: taskOf(index),
      attemptId: attemptOf(index),
      outputs: paths.map((path) => ({ path, name: path })),
      searches: [],
      startedAt: 0,
      redact: (name) => name,
      runAs: null,
    });
  const search = (directory: string): void =>
    maker.make({
      taskId: taskOf(0),
      attemptId: attemptOf(0),
      outputs: [{ path: '/scene.abc', name: '/scene.abc' }],
      searches: [{ kind: 'directory', parameter: 'Output', directory, around: null, frames: [] }],
      startedAt: 0,
      redact: (name) => name.replace('secret', '********'),
      runAs: null,
    });
  return { maker, make, search, published, directory };
}

void test('a process that hangs is killed, and the next attempt gets its previews', async (t) => {
  const hangs = 'grep -q slow "$1" && sleep 10000; echo \'{"index":0,"missing":"seen"}\'';
  const { make, published } = await makerOf(t, hangs, { timeMs: 300 });
  make(0, '/slow.png');
  make(1, '/quick.png');
  await until('both are reported', () => published.length === 2);
  t.match(published, [
    { task_id: taskOf(0), path: '/slow.png', missing: 'it takes more than 0.3 s' },
    { task_id: taskOf(1), missing: 'seen' },
  ]);
});

void test('a process that crashes, floods its output or prints nonsense gives no preview', async (t) => {
  for (const [program, reason] of [
    ['kill -SEGV $$', /SIGSEGV/],
    ['exit 7', /exit code 7/],
    ['head -c 20000000 /dev/zero; yes junk | head -c 20000000', /SIGKILL/],
    ['echo \'{"index":0,"part":"AAAA"}\'', /could not be decoded/],
  ] as const) {
    const { make, published } = await makerOf(t, program);
    make(0, '/a.png');
    await until('it is reported', () => published.length === 1);
    t.match(published[0]?.missing, reason, program);
  }
});

void test('the process has no more memory than its limit', async (t) => {
  const program = `
    const kept = [];
    for (let count = 0; count < 64; count++) kept.push(Buffer.alloc(64 * 2 ** 20, 1));
    process.stdout.write('{"index":0,"missing":"4 GiB"}\\n');`;
  const { make, published } = await makerOf(t, program, { runner: process.execPath });
  make(0, '/a.png');
  await until('it is reported', () => published.length === 1);
  t.match(published[0]?.missing, /could not be decoded/);
});

void test('a stop ends the process, and drops what waits', async (t) => {
  // The process cannot write files: a directory has its id.
  const program = 'mkdir "$(dirname "$0")/pid-$$"; sleep 10000';
  const { maker, make, published, directory } = await makerOf(t, program);
  make(0, '/a.png');
  make(1, '/b.png');
  const pid = await until('the process runs', async () => {
    const name = (await readdir(directory)).find((each) => each.startsWith('pid-'));
    return name === undefined ? null : Number(name.slice('pid-'.length));
  });
  await maker.stop();
  t.notOk(isProcessAlive(pid));
  make(2, '/c.png');
  t.strictSame(published, []);
});

void test('without a service that stores previews, or without images, no process is started', async (t) => {
  const { maker, make, published } = await makerOf(t, 'echo \'{"index":0,"missing":"ran"}\'');
  make(0, '/scene.abc', 'C:\\a.png');
  maker.serviceStores(false);
  make(1, '/a.png');
  maker.serviceStores(true);
  make(2, '/b.png');
  await until('one is reported', () => published.length > 0);
  t.match(published, [{ task_id: taskOf(2) }]);
});

void test('files that were found are named with their parameter, and names that were not searched are dropped', async (t) => {
  const lines = [
    { index: 0, search: 0, path: '/out/secret.1.png' },
    { index: 1, search: 0, path: '/etc/shadow.png' },
    { index: 2, search: 5, path: '/out/b.png' },
    { index: 3, search: 0, path: '/out/c.png' },
    ...[0, 1, 2].map((index) => ({ index, missing: 'seen' })),
  ];
  const { search, published } = await makerOf(
    t,
    `cat <<'END'\n${lines.map((line) => JSON.stringify(line)).join('\n')}\nEND`,
  );
  search('/out');
  await until('both are reported', () => published.length === 2);
  t.match(published, [
    { number: 0, path: '/out/********.1.png', parameter: 'Output', missing: 'seen' },
    { number: 3, path: '/out/c.png', parameter: 'Output', missing: /could not be decoded/ },
  ]);
});
