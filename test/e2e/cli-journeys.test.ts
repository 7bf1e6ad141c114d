import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import tap, { test } from 'tap';
import type { TaskView } from '../kit/api-client.ts';
import { freePort, startService, startWorker, type Daemon } from '../kit/daemons.ts';
import { runCallsheet } from '../cli/run-callsheet.ts';
import { runOnTerminal, type Reply } from '../cli/run-on-terminal.ts';

tap.setTimeout(240_000);

const TEMPLATE = `specificationVersion: jobtemplate-2023-09
name: turntable
parameterDefinitions:
  - { name: Frames, type: STRING, default: 1-2 }
steps:
  - name: Render
    parameterSpace: { taskParameterDefinitions: [{ name: Frame, type: INT, range: '{{Param.Frames}}' }] }
    script: { actions: { onRun: { command: echo, args: ['frame {{Task.Param.Frame}} is done'] } } }
`;

interface Job {
  readonly id: string;
  readonly status: string;
  readonly start_after?: string;
  readonly parameters?: Readonly<Record<string, string>>;
}

/** A user with a terminal and nothing else. */
await test('a first farm with the command line only, and a clone at a set time', async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'callsheet-journeys-'));
  const httpPort = await freePort();
  const url = `http://127.0.0.1:${httpPort}`;
  const daemons: Daemon[] = [];
  t.teardown(async () => {
    for (const daemon of daemons) await daemon.kill('SIGTERM');
    if (t.passing()) await rm(folder, { recursive: true, force: true });
  });
  /** Runs a command on a terminal, which must end with the status. Returns what the terminal shows, in lines. */
  const shown = async (status: number, args: readonly string[], replies: readonly Reply[] = []) => {
    const { code, out } = await runOnTerminal(['--url', url, ...args], replies);
    t.equal(code, status, `${args.join(' ')}: ${out}`);
    return out.replaceAll('\r\n', '\n');
  };
  const read = async <Answer>(...args: readonly string[]): Promise<Answer> => {
    const { code, out, err } = await runCallsheet(['--url', url, ...args, '-o', 'json']);
    t.equal(code, 0, err);
    return JSON.parse(out) as Answer;
  };

  t.match(await shown(6, ['status']), /cannot be reached[^]*start one with callsheet server/);
  const service = await startService({ folder, httpPort, busPort: await freePort() });
  daemons.push(service.daemon);
  t.match(await shown(0, ['status']), /callsheet farms create NAME/, 'the next step');
  t.match(await shown(0, ['farms', 'create', 'show']), /^[0-9a-f-]{36}\n$/);
  t.match(await shown(0, ['queues', 'create', 'show', 'light']), /^[0-9a-f-]{36}\n$/);
  const template = join(folder, 'turntable.yaml');
  await writeFile(template, TEMPLATE);
  const id = (await shown(0, ['submit', template])).trim();
  t.match(await shown(0, ['explain', `${id}/Render/0`]), /no worker/i);
  daemons.push(startWorker(service, 'w1'));
  const watched = await shown(0, ['jobs', 'watch', id]);
  t.match(watched, /turntable/);
  t.match(watched, /completed/);
  t.match(await shown(0, ['logs', `${id}/Render/1`]), /^frame 2 is done\n$/);
  const status = await shown(0, ['status']);
  t.match(status, /show/);
  t.ok(status.trimEnd().split('\n').length <= 10, status);
  t.match(await shown(0, ['jobs']), /turntable.*completed/);

  const clone = ['jobs', 'clone', 'turntable', '-p', 'Frames=1-3'];
  t.match(await shown(2, [...clone.slice(0, -1), 'Frame=1']), /-p Frame=1: there is no parameter Frame/);
  const late = (await shown(0, [...clone, '--start-after', '1d'])).trim();
  t.match(await shown(0, ['jobs', 'show', late]), /start/);
  t.match(await shown(0, ['jobs', 'set', late, '--start-after', '2s']), /./);
  const { start_after: release } = await read<Job>('jobs', 'show', late);
  await shown(0, ['jobs', 'wait', late]);
  t.match(await read<Job>('jobs', 'show', late), { status: 'completed', parameters: { Frames: '1-3' } });
  const { items } = await service.api.must<{ items: (TaskView & { started_at: string })[] }>(
    'GET',
    `/api/v1/jobs/${late}/tasks`,
  );
  t.equal(items.length, 3);
  // The job had a start time when it was read, unless the machine was slower than that.
  for (const { started_at: started } of items)
    t.ok(
      release === undefined || Date.parse(started) >= Date.parse(release),
      'no task started before its time',
    );
  t.match(await shown(0, ['jobs', 'delete', late], [['Enter y', 'y']]), /deleted/);
});
