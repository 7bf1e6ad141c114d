import { test } from 'tap';
import {
  SimulatedTaskProcesses,
  type SimulationSettings,
} from '../../../src/adapters/process/simulated-task-processes.ts';
import { sessionId } from '../../../src/core/ids.ts';
import type { ActionStart, TaskProcessEvents } from '../../../src/core/ports/task-processes.ts';

const SESSION = sessionId('s1');
const OPENING = { directory: '/simulated/s1', runAs: null };
const AT_ONCE: SimulationSettings = { taskMs: 0, failPercent: 0, logLines: 0 };
/** Longer than any test takes. */
const NEVER: SimulationSettings = { ...AT_ONCE, taskMs: 3_600_000 };

const action = (run: number, isEnvironment = false): ActionStart => ({
  run,
  command: 'render',
  args: [],
  variables: {},
  keepsChildren: isEnvironment,
  files: [],
});

/** Simulated processes with recorded events; `next` resolves with the next end. */
function simulated(settings: SimulationSettings, seed = 0) {
  const told: string[] = [];
  let lines = 0;
  let bytes = 0;
  let ended: (text: string) => void = () => undefined;
  const events: TaskProcessEvents = {
    opened: (_id, failure) => told.push(`opened ${failure ?? 'well'}`),
    started: (_id, run) => told.push(`started ${run}`),
    output: (_id, _run, batch) => {
      lines += batch.lines.length;
      bytes += batch.bytes;
      outputs();
    },
    ended: (_id, run, end) => {
      const text = `ended ${run} ${end.kind === 'exited' ? end.code : JSON.stringify(end)}`;
      told.push(text);
      ended(text);
    },
    closed: () => told.push('closed'),
  };
  let outputs: () => void = () => undefined;
  const processes = new SimulatedTaskProcesses(settings, seed, events);
  processes.open(SESSION, OPENING);
  return {
    processes,
    told,
    written: () => ({ lines, bytes }),
    onOutput: (listener: () => void) => {
      outputs = listener;
    },
    run: (start: ActionStart): Promise<string> =>
      new Promise((resolve) => {
        ended = resolve;
        processes.start(SESSION, start);
      }),
  };
}

test('tasks succeed, one after another in a session', async (t) => {
  const { processes, told, run } = simulated(AT_ONCE);
  await run(action(1));
  await run(action(2));
  processes.close(SESSION, { keepDirectory: false });
  t.strictSame(told, ['opened well', 'started 1', 'ended 1 0', 'started 2', 'ended 2 0', 'closed']);
});

test('the configured percentage of tasks fails, the same ones each time, and environments never fail', async (t) => {
  const ends = async (failPercent: number, seed: number): Promise<string[]> => {
    const { run } = simulated({ ...AT_ONCE, failPercent }, seed);
    const all: string[] = [];
    for (let each = 1; each <= 200; each++) all.push(await run(action(each)));
    return all;
  };
  const failing = (all: readonly string[]): number => all.filter((end) => end.endsWith(' 1')).length;
  const some = await ends(25, 3);
  t.ok(failing(some) > 25 && failing(some) < 75, String(failing(some)));
  t.strictSame(await ends(25, 3), some);
  t.notSame(await ends(25, 4), some, 'another worker fails other tasks');
  t.equal(failing(await ends(100, 3)), 200);
  t.equal(failing(await ends(0, 3)), 0);
  const { run } = simulated({ ...AT_ONCE, failPercent: 100 });
  t.equal(await run(action(1, true)), 'ended 1 0');
});

test('actions of environments take no time', async (t) => {
  const { run } = simulated(NEVER);
  t.equal(await run(action(1, true)), 'ended 1 0');
});

test('a stopped task ends immediately, once, and without affecting others', async (t) => {
  const { processes, told } = simulated(NEVER);
  processes.start(SESSION, action(1));
  processes.kill(SESSION, 7);
  t.strictSame(told, ['opened well', 'started 1']);
  processes.notify(SESSION, 1);
  processes.kill(SESSION, 1);
  processes.start(SESSION, action(2));
  processes.askToEnd(SESSION, 2);
  processes.start(SESSION, action(3));
  processes.kill(SESSION, 3);
  processes.start(SESSION, action(4));
  processes.close(SESSION, { keepDirectory: true });
  t.strictSame(told.slice(1), [
    'started 1',
    'ended 1 {"kind":"signaled","signal":"SIGTERM"}',
    'started 2',
    'ended 2 {"kind":"signaled","signal":"SIGTERM"}',
    'started 3',
    'ended 3 {"kind":"signaled","signal":"SIGKILL"}',
    'started 4',
    'ended 4 {"kind":"signaled","signal":"SIGKILL"}',
    'closed',
  ]);
});

test('a task prints its lines before it ends, and no more than are consumed', async (t) => {
  const { processes, told, written, onOutput, run } = simulated({ ...AT_ONCE, logLines: 12_345 });
  let held = 0;
  let release: () => void = () => undefined;
  const isHeld = new Promise<void>((resolve) => {
    release = resolve;
  });
  onOutput(() => {
    held = written().bytes;
    if (held > 64 * 1024) release();
  });
  const end = run(action(1));
  await isHeld;
  t.ok(held < 70 * 1024, String(held));
  t.notOk(told.some((line) => line.startsWith('ended')));
  let consumed = held;
  processes.consumed(SESSION, consumed);
  onOutput(() => {
    const more = written().bytes - consumed;
    consumed += more;
    processes.consumed(SESSION, more);
  });
  t.equal(await end, 'ended 1 0');
  t.equal(written().lines, 12_345);
});
