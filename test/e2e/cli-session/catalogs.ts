import type { Case } from '../../kit/cases.ts';
import type { CliSession } from './kit.ts';

/** Commands on farms, queues, pools, locations and storage. */
export const catalogCommands: readonly Case<CliSession>[] = [
  [
    'creates, changes, lists and deletes catalog entries',
    async (t, session) => {
      const { run, json } = session.commandsOf(t);
      // The farm.
      await run(0, 'farms', 'create', 'north', '--description', 'the first');
      await run(5, 'farms', 'create', 'north');
      await run(4, 'queues', 'create', 'nowhere', 'render');
      await Promise.all([
        run(0, 'farms', 'create', 'spare'),
        run(2, 'farms', 'create', ' '),
        run(0, 'queues', 'create', 'north', 'render', '--priority', '5'),
        run(0, 'queues', 'create', 'north', 'night', '--description', 'cheap'),
        run(0, 'pools', 'create', 'nuke', '4', '--server-hint', 'license-1'),
        run(2, 'pools', 'create', 'none', '0'),
        run(0, 'locations', 'create', 'berlin', '--description', 'first floor'),
        run(2, 'locations', 'create', 'a b'),
        run(
          0,
          'storage',
          'create',
          'projects',
          '--root',
          'default=/mnt/projects',
          '--root',
          'berlin=s3://bucket/p',
        ),
        run(2, 'storage', 'create', 'relative', '--root', 'default=relative'),
      ]);
      await Promise.all([
        run(0, 'farms', 'set', 'spare', '--max-concurrent-tasks', '9', '--failure-limit', '3'),
        run(
          0,
          'queues',
          'set',
          'night',
          '--paused',
          'true',
          '--max-attempts',
          '2',
          '--preemptible',
          'true',
          '--farm',
          'north',
        ),
        run(0, 'pools', 'set', 'nuke', '--max-concurrent', '2', '--retry-rules', session.retryRules),
        run(0, 'retry-rules', 'check', session.retryRules, '--exit-code', '70'),
        run(2, 'retry-rules', 'check', session.invalidTemplate),
        run(0, 'locations', 'set', 'berlin', '--name', 'potsdam'),
        run(0, 'storage', 'set', 'projects', '--drop-root', 'berlin', '--root', 'rome=/r'),
      ]);
      t.match(await json(0, 'farms'), [
        { name: 'north', description: 'the first' },
        { name: 'spare', max_concurrent_tasks: 9, failure_limit: 3 },
      ]);
      await run(0, 'queues', 'resume', 'night', '--farm', 'north');
      await run(0, 'queues', 'pause', 'night');
      const environment = (verb: string, ...rest: readonly string[]): Promise<unknown> =>
        run(0, 'queues', 'environment', verb, 'night', ...rest);
      await environment('add', session.environmentTemplate);
      await environment('set', 'Licence', '--priority', '3');
      await Promise.all([environment('list'), environment('show', 'Licence')]);
      await environment('delete', 'Licence', '--yes');
      const queues = (await json(0, 'queues', '--farm', 'north')) as { readonly name: string }[];
      t.match(Object.fromEntries(queues.map((queue) => [queue.name, queue])), {
        render: { priority: 5 },
        night: { paused: true, max_attempts: 2, preemptible: true, description: 'cheap' },
      });
      await Promise.all([
        run(2, 'status'),
        run(0, 'queues', 'list', '--sort', '-prio', '-o', 'wide'),
        run(0, 'queues', 'show', 'night'),
        run(0, 'farms', 'show', 'north'),
        run(0, 'pools', 'show', 'nuke'),
        run(0, 'locations', 'show', 'potsdam', '-o', 'jsonl'),
        run(0, 'storage', 'show', 'projects'),
        run(0, 'status', '--farm', 'north'),
        run(0, 'version'),
        run(0, 'pools'),
        run(0, 'locations'),
        run(0, 'storage'),
      ]);
      await Promise.all([
        run(0, 'pools', 'delete', 'nuke'),
        run(0, 'locations', 'delete', 'potsdam', '--json'),
        run(0, 'storage', 'delete', 'projects'),
        run(0, 'farms', 'delete', 'spare'),
        run(4, 'pools', 'delete', 'maya'),
      ]);
    },
  ],
  [
    'creates, tests, changes and deletes webhooks',
    async (t, session) => {
      const { run, json } = session.commandsOf(t);
      const hook = ['--events', 'job.failed,worker.offline'];
      await run(2, 'webhooks', 'create', 'chat', '--receiver', 'http://10.0.0.1/', ...hook);
      await run(2, 'webhooks', 'create', 'chat', '--receiver', 'http://127.0.0.1:1/', '--events', 'job.gone');
      await run(2, 'webhooks', 'create', 'chat', ...hook);
      const made = await json(0, 'webhooks', 'create', 'chat', '--receiver', 'http://127.0.0.1:1/x', ...hook);
      t.match(made, { name: 'chat', endpoint: 'http://127.0.0.1:1', secret: /^[A-Za-z0-9_-]{43}$/ });
      await run(2, 'webhooks', 'set', 'chat', '--queue', 'render');
      await run(0, 'webhooks', 'set', 'chat', '--format', 'slack', '--disabled');
      t.match(await json(0, 'webhooks', 'show', 'chat'), {
        format: 'slack',
        enabled: false,
        secret: undefined,
      });
      await Promise.all([run(0, 'webhooks'), run(0, 'webhooks', 'list'), run(0, 'webhooks', 'show', 'chat')]);
      await run(1, 'webhooks', 'test', 'chat');
      t.match(await json(0, 'webhooks', 'deliveries', 'chat'), [{ type: 'webhook.test', status: 'failed' }]);
      await run(0, 'webhooks', 'deliveries', 'chat');
      await run(0, 'webhooks', 'rotate-secret', 'chat');
      await run(0, 'webhooks', 'formats');
      await run(0, 'webhooks', 'delete', 'chat', '--yes');
      await run(4, 'webhooks', 'show', 'chat');
    },
  ],
];
