import type { Case } from '../../kit/cases.ts';
import { until } from '../../kit/until.ts';
import type { CliSession } from './kit.ts';

/** Commands on jobs and tasks while no worker is online. */
export const waitingJobCommands: readonly Case<CliSession>[] = [
  [
    'submits, shows, changes and cancels jobs that no worker runs',
    async (t, session) => {
      const { run, json } = session.commandsOf(t);
      const { proxy, submit, invalidTemplate, totalOf } = session;
      const preview = await run(0, ...submit, '-p', 'Name=tried', '--dry-run');
      t.match(preview.out, /^.* tasks; nothing was stored\n/);
      t.match(preview.out, /0\/0/, 'no worker is online or eligible');
      t.match(await json(0, ...submit, '-p', 'Name=tried', '--dry-run'), { steps: Array });
      await run(2, ...submit, '-p', 'Missing=1', '--dry-run');
      t.match(await json(0, 'jobs'), { total: 0 }, 'nothing was stored');
      proxy.loseNextAnswer('POST', '/api/v1/jobs');
      const held = await run(
        0,
        ...submit,
        '-p',
        'Name=held',
        '--priority',
        '70',
        '--project',
        'film',
        '--owner',
        'ann',
      );
      t.match(held.err, /^waiting for the server at /);
      t.match(
        await json(0, 'jobs', '--search', 'held'),
        { total: 1 },
        'a lost response does not create a second job',
      );
      await Promise.all([
        run(0, 'job', 'held'),
        run(0, 'jobs', 'show', 'held', '--template', '{name} {status}'),
        run(0, 'tasks', 'explain', 'held/Join'),
        run(0, 'jobs', 'list', '--all', '-o', 'wide'),
        run(0, 'tasks', 'list', 'held', '--step', 'Join', '--all', '--sort', '-name'),
        run(0, 'job', 'held', 'outputs', '--location', 'annex'),
        run(2, 'job', 'held', '--location', 'annex'),
        run(0, 'job', 'held', 'previews'),
        run(0, 'bundle', 'export', 'held', '--output', `${session.gate}-bundle`),
        run(4, 'bundle', 'export', 'nothing'),
        run(0, 'job', 'held', 'graph', '-o', 'wide'),
        run(4, 'job', 'nothing', 'graph'),
        run(0, 'tasks', 'held', '--status', 'ready', '--sort-by', 'name', '--sort-dir', 'desc'),
        run(0, 'task', 'held/Render/1'),
        run(0, 'explain', 'held/Join'),
        run(0, 'logs', 'held/Render/0'),
        run(0, 'jobs', 'logs', 'held'),
        run(2, 'task', 'held/Render'),
        run(4, 'explain', 'no-such-task'),
        run(4, 'logs', 'no-such-task'),
        run(4, 'task', 'no-such-task'),
        run(4, 'job', 'nothing like it'),
        run(4, 'job', '0198a1c2-1111-7111-8111-111111111111', 'cancel'),
        run(
          0,
          'jobs',
          '--farm',
          'north',
          '--queue',
          'render',
          '--status',
          'pending',
          '--owner',
          'ann',
          '--project',
          'film',
        ),
        run(0, 'jobs', '--sort-by', 'priority', '--sort-dir', 'asc', '--limit', '1', '--offset', '0'),
        run(2, 'jobs', '--limit', '5000'),
        run(2, 'tasks', 'held', '--limit', '0'),
        run(2, 'jobs', 'submit', invalidTemplate, '--farm', 'north', '--queue', 'render'),
        run(2, ...submit, '-p', 'Unknown=1'),
        run(2, ...submit, '--max-attempts', '0'),
        run(4, ...submit, '--depends-on', 'missing'),
        run(2, ...submit, '--depends-on', '0198a1c2-1111-7111-8111-111111111111'),
      ]);
      const queues = await run(0, 'queues', 'list', '--farm', 'north');
      t.match(queues.out, /^FARM +NAME +PRIO +STATUS +JOBS +READY +TASKS +CREATED$/m);
      t.match(queues.out, /^north +render +5 +open +1 +[1-9][0-9]* +0 /m, 'one job waits with its tasks');
      const wrong = await run(2, ...submit, '-p', 'Exit=many');
      t.match(wrong.err, /^-p Exit=many: /);
      await run(0, 'job', 'held', 'pause');
      await run(0, 'job', 'held', 'set', '--priority', '10', '--queue', 'night', '--max-attempts', '1');
      t.match(await json(0, 'job', 'held', 'resume'), { priority: 10, effective_retry: { max_attempts: 1 } });
      await run(2, 'job', 'held', 'set', '--max-attempts', '0');
      await run(0, 'task', 'held/Render/0', 'cancel');
      await run(5, 'task', 'held/Render/0', 'cancel');
      await run(0, 'task', 'held/Render/0', 'retry');
      await run(5, 'task', 'held/Render/0', 'retry');
      await run(0, 'task', 'held/Render/0', 'skip', '--reason', 'not needed');
      await run(5, 'task', 'held/Render/0', 'skip');
      t.match(await json(0, 'task', 'held/Render/0'), {
        status: 'succeeded',
        skipped: { reason: 'not needed' },
      });
      await run(0, 'task', 'held/Render/0', 'retry');
      await run(2, 'job', 'held', 'hold');
      await run(4, 'job', 'held', 'hold', '--step', 'Nothing');
      await run(0, 'job', 'held', 'hold', '--step', 'Render', '--reason', 'wait for plates');
      t.match(await json(0, 'job', 'held'), { steps: [{ hold: { reason: 'wait for plates' } }] });
      await run(0, 'job', 'held', 'release', '--step', 'Render');
      t.notMatch(await json(0, 'job', 'held'), { steps: [{ hold: {} }] });
      await run(2, 'job', 'held', 'set', '--preview');
      await run(2, 'job', 'held', 'set', '--top', '--priority', '3');
      t.match(
        (await run(0, 'job', 'held', 'set', '--priority', '3', '--preview')).out,
        /priority 10 to 3: place 1 to 1/,
      );
      t.match(await json(0, 'job', 'held', 'set', '--top', '--preview'), { top_priority: 10 });
      t.match(await json(0, 'job', 'held', 'set', '--top'), { priority: 10 });
      await run(2, 'job', 'held', 'set', '--start-after', 'tomorrow');
      await run(0, 'job', 'held', 'set', '--start-after', '2h');
      t.match(await json(0, 'job', 'held'), {
        start_after: String,
        waiting_reason: /^No task of the job starts before .*, in (1 h 59 min|2 h)/,
      });
      t.match((await run(0, 'explain', 'held/Render/0')).out, /No task of the job starts before/);
      await run(0, 'job', 'held', 'set', '--start-after', 'none');
      t.notMatch(await json(0, 'job', 'held'), { start_after: String });
      await run(2, 'job', 'held', 'skip');
      await run(2, 'job', 'held', 'pause', '--reason', 'x');
      await run(0, 'job', 'held', 'skip', '--step', 'Render', '--index-range', '0', '--dry-run');
      await run(0, 'job', 'held', 'skip', '--step', 'Render', '--index-range', '0', '--reason', 'test');
      await run(5, 'job', 'held', 'skip', '--step', 'Render', '--index-range', '0');
      await run(5, 'job', 'held', 'skip', '--failed');
      await run(0, 'job', 'held', 'retry', '--skipped');
      await run(5, 'job', 'held', 'retry', '--skipped');
      await run(5, 'farms', 'delete', 'north');
      const canceled = run(7, 'job', 'held', 'wait');
      const behind = run(7, ...submit, '-p', 'Name=behind', '--depends-on', 'held', '--wait');
      await until('both commands wait', async () => {
        const requests = proxy.exchanges.filter(({ target }) => /^\/api\/v1\/jobs\/[^/]+$/.test(target));
        const waits = requests.some(({ requestHeaders }) =>
          requestHeaders.some(([name]) => name === 'if-none-match'),
        );
        return waits && (await totalOf('/api/v1/jobs?status=blocked')) === 1;
      });
      const graph = await run(0, 'jobs', 'graph', 'held');
      t.match(graph.out, /^behind +blocked +0\/[0-9]+ +held$/m, 'a job and what it waits for');
      t.equal(graph.err, '2 jobs\n');
      await run(0, 'job', 'held', 'cancel');
      await Promise.all([canceled, behind]);
      await run(0, 'job', 'held', 'delete');
      await run(0, 'queues', 'delete', 'night');
    },
  ],
];
