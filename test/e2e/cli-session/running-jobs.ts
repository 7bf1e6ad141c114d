import { writeFile } from 'node:fs/promises';
import type { Case } from '../../kit/cases.ts';
import { until } from '../../kit/until.ts';
import type { CliSession } from './kit.ts';

/** Commands on jobs that a worker runs, and on the worker. */
export const runningJobCommands: readonly Case<CliSession>[] = [
  [
    'submits, shows and retries jobs that a worker runs',
    async (t, session) => {
      const { run, json } = session.commandsOf(t);
      const { submit, startWorker } = session;
      await startWorker();
      const shot = await run(0, ...submit, '--watch');
      t.match(shot.err, /shot: 3\/3, completed\n/);
      await run(5, 'job', 'shot', 'cancel');
      const failing = await run(
        1,
        ...submit,
        '-p',
        'Name=broken',
        '-p',
        'Exit=3',
        '--max-attempts',
        '1',
        '--watch',
      );
      t.match(failing.err, /\ntask \S+ Render[^\n]*: [^\n]+\n( {2}\| [^\n]+\n)*? {2}\| ends with 3\n/);
      const [broken = ''] = failing.out.split(' ');
      await Promise.all([
        run(0, 'logs', `${broken}/Render/0`, '--json'),
        run(0, 'logs', `${broken}/Render/1`, '--follow'),
        run(0, 'tasks', 'logs', `${broken}/Render/0`, '--tail', '1'),
        run(0, 'workers', 'show', 'w1'),
        run(0, 'workers', 'attempts', 'w1'),
        run(0, 'workers', 'timeline', '--farm', 'north'),
        run(0, 'task', `${broken}/Render/0`, '--json'),
        run(0, 'explain', `${broken}/Render/0`),
        run(0, 'workers', '--farm', 'north', '--status', 'online', '--sort-by', 'hostname'),
        run(5, 'workers', 'delete', 'w1'),
        // The bus of this service has no authentication.
        run(5, 'workers', 'revoke', 'w1'),
        run(5, 'workers', 'token', 'list'),
        run(5, 'workers', 'token', 'create', '--uses', '2', '--tags', 'a=b', '--expires', '1h'),
        run(5, 'workers', 'token', 'revoke', '01a2'),
      ]);
      t.match(
        (await run(0, 'logs', broken, '--failed')).out,
        /^==> Render\[Frame=1\] \(failed\) <==\nframe 1\n/,
      );
      await run(2, 'job', broken, '--range', '0');
      await run(2, 'job', broken, 'retry', '--step', 'Nothing');
      await run(4, 'job', broken, 'retry', '--worker', 'missing');
      await run(
        1,
        'job',
        broken,
        'retry',
        '--step',
        'Render',
        '--range',
        'Frame=1-2',
        '--worker',
        'w1',
        '--wait',
      );
      await run(1, 'job', broken, 'retry', '--wait');
      const separated = await run(0, 'logs', `${broken}/Render/0`);
      t.match(separated.out, /^frame 1\n--- attempt 2 ---\nframe 1\n--- attempt 3 ---\nframe 1\n$/);
      await run(1, 'jobs', 'wait', '--all', 'shot', broken);
      const cloned = await json(
        0,
        'jobs',
        'clone',
        broken,
        '-p',
        'Name=cloned',
        '-p',
        'Exit=0',
        '--priority',
        '60',
        '--paused',
      );
      t.match(cloned, { name: 'cloned', priority: 60, status: 'paused' });
      t.match(await json(0, 'jobs', 'show', 'cloned'), { parameters: { Name: 'cloned', Exit: '0' } });
      await run(0, 'jobs', 'delete', 'cloned', '--yes');
      await run(0, 'jobs', 'wait', '--any', 'shot', 'shot');
    },
  ],
  [
    'follows the log of a running task, and changes and deletes the worker',
    async (t, session) => {
      const { run } = session.commandsOf(t);
      const { service, proxy, submit, gate, stopWorker } = session;
      const { out: gated } = await run(0, ...submit, '-p', 'Name=gated', '-p', `Gate=${gate}`);
      const following = run(0, 'logs', `${gated.trim()}/Render/0`, '--follow');
      const watching = run(0, 'job', 'gated', 'watch');
      await until('the job runs', async () => {
        const { status } = await service.api.job(gated.trim());
        return status === 'running';
      });
      await run(0, 'workers', 'disable', 'w1', '--reason', 'new disk');
      t.match((await run(0, 'workers')).out, /new disk: disabled by anonymous [0-9]+s ago/);
      await run(0, 'workers', 'enable', 'w1', '--json');
      await run(5, 'workers', 'lift-quarantine', 'w1');
      await until('the job is requested again', () =>
        proxy.exchanges.some(({ target, status }) => target.endsWith(gated.trim()) && status === 304),
      );
      await writeFile(gate, '');
      t.match((await following).out, /^frame 1\n/);
      await watching;
      t.ok(proxy.exchanges.some(({ target }) => target.includes('tail=true')));
      await stopWorker();
      await run(0, 'workers', 'delete', 'w1');
      await run(0, 'workers');
    },
  ],
];
