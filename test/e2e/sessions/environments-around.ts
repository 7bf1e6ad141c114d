import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Test } from 'tap';
import { runCallsheet } from '../../cli/run-callsheet.ts';
import type { FarmClient } from '../../kit/api-client.ts';

interface Place {
  readonly folder: string;
  readonly farm: FarmClient;
  readonly becomes: (job: string, status: string) => Promise<unknown>;
}

interface Named {
  readonly id: string;
  readonly name: string;
}

/** Environments of a queue with a real service, a worker and the command line. */
export async function environmentsAround(t: Test, { folder, farm, becomes }: Place): Promise<void> {
  const { api } = farm;
  const diary = join(folder, 'around');
  const write = (text: string): object => ({ command: 'bash', args: ['-c', `echo ${text} >> ${diary}`] });
  const script = (name: string, word = name): object => ({
    name,
    script: { actions: { onEnter: write(`enter ${word}`), onExit: write(`exit ${word}`) } },
  });
  const environment = (name: string, word: string, parameter = ''): string =>
    JSON.stringify({
      specificationVersion: 'environment-2023-09',
      ...(parameter !== '' && {
        parameterDefinitions: [{ name: parameter, type: 'STRING', default: 'standard', minLength: 3 }],
      }),
      environment: script(name, word),
    });
  const file = async (name: string, text: string): Promise<string> => {
    const path = join(folder, name);
    await writeFile(path, text);
    return path;
  };
  const run = async (code: number, ...args: readonly string[]): Promise<string> => {
    const ran = await runCallsheet(['--url', api.url, ...args]);
    t.equal(ran.code, code, `${args.join(' ')}: ${ran.err}`);
    return ran.out === '' ? ran.err : ran.out;
  };
  const newLines = async (): Promise<readonly string[]> => {
    const text = await readFile(diary, 'utf8');
    await writeFile(diary, '');
    return text.trimEnd().split('\n');
  };
  const template = await file(
    'around.json',
    JSON.stringify({
      specificationVersion: 'jobtemplate-2023-09',
      name: 'around',
      jobEnvironments: [script('Job')],
      steps: [
        {
          name: 'Step',
          stepEnvironments: [script('Step')],
          script: { actions: { onRun: write('task') } },
        },
      ],
    }),
  );
  const sent = await file('sent.json', environment('Sent', 'sent {{Param.Tool}}', 'Tool'));
  const first = await file('first.json', environment('First', 'first {{Param.Packages}}', 'Packages'));
  const second = await file('second.yaml', environment('Second', 'second'));

  await run(0, 'queues', 'environment', 'add', 'main', second);
  await run(0, 'queues', 'environment', 'add', 'main', first, '--priority', '1');
  t.match(await run(0, 'queues', 'environment', 'list', 'main'), /First[^]*Second/);
  t.match(await run(0, 'queues', 'environment', 'show', 'main', 'First'), /environment-2023-09/);

  const inside = ['enter Job', 'enter Step', 'task', 'exit Step', 'exit Job'];
  const job = (await run(0, 'submit', template, '--environment', sent, '-p', 'Packages=maya')).trim();
  await becomes(job, 'completed');
  t.same(await newLines(), [
    'enter first maya',
    'enter second',
    'enter sent standard',
    ...inside,
    'exit sent standard',
    'exit second',
    'exit first maya',
  ]);
  t.match(await api.job(job), { parameters: { Packages: 'maya', Tool: 'standard' } });

  // A conflict names both sides, a missing name is refused, and a dry run knows all of it.
  t.match(
    await run(2, 'submit', template, '-p', 'Packages=x', '--dry-run'),
    /"x" is shorter than minLength 3/,
  );
  t.match(await run(2, 'submit', template, '-p', 'Tool=abc', '--dry-run'), /there is no parameter Tool/);
  const conflicting = await farm.submit({
    specificationVersion: 'jobtemplate-2023-09',
    name: 'conflict',
    parameterDefinitions: [{ name: 'Packages', type: 'INT', default: 1 }],
    steps: [{ name: 'S', script: { actions: { onRun: write('never') } } }],
  });
  t.match(conflicting, {
    status: 422,
    body: {
      detail:
        '/parameterDefinitions/0: the parameter "Packages" has the type STRING in queue environment "First" and INT in the job template',
    },
  });

  // Later changes of the queue apply to new jobs only: a retry keeps the environments, a clone gets the new ones.
  await run(0, 'queues', 'environment', 'delete', 'main', 'Second', '--yes');
  await run(
    0,
    'queues',
    'environment',
    'set',
    'main',
    'First',
    '--file',
    await file('changed.json', environment('First', 'changed')),
  );
  const old = await api.must<readonly Named[]>('GET', `/api/v1/jobs/${job}/environments`);
  t.same(
    old.map(({ name }) => name),
    ['First', 'Second', 'Sent'],
  );
  const clone = (await run(0, 'jobs', 'clone', job)).trim();
  await becomes(clone, 'completed');
  t.same(await newLines(), [
    'enter changed',
    'enter sent standard',
    ...inside,
    'exit sent standard',
    'exit changed',
  ]);
  t.match(
    await api.job(clone),
    { parameters: { Tool: 'standard' } },
    'without the parameter that is no longer defined',
  );

  // A failing onEnter fails the task; the environments that were tried are exited.
  const failing = JSON.stringify({
    specificationVersion: 'environment-2023-09',
    environment: {
      name: 'Failing',
      script: {
        actions: {
          onEnter: { command: 'bash', args: ['-c', `echo fails >> ${diary}; exit 3`] },
          onExit: write('exit failing'),
        },
      },
    },
  });
  await run(0, 'queues', 'environment', 'add', 'main', await file('failing.json', failing));
  const failed = (await run(0, 'submit', template, '--max-attempts', '1')).trim();
  await becomes(failed, 'failed');
  t.same(await newLines(), ['enter changed', 'fails', 'exit failing', 'exit changed']);
  const [task] = await api.tasks(failed);
  t.match(task, { failure_reason: /environment Failing, onEnter: failed \(exit 3\)/ });

  // The retry runs with the environments of the submission, although the queue has none now.
  for (const name of ['Failing', 'First'])
    await run(0, 'queues', 'environment', 'delete', 'main', name, '--yes');
  await api.must('POST', `/api/v1/jobs/${failed}/retry`);
  await becomes(failed, 'failed');
  t.same(await newLines(), ['enter changed', 'fails', 'exit failing', 'exit changed']);

  // A move to another queue keeps them, too.
  const other = await api.must<Named>('POST', '/api/v1/queues', { farm_id: farm.farmId, name: 'other' });
  await api.must('POST', `/api/v1/queues/${other.id}/environments`, {
    template: environment('Other', 'other'),
  });
  const moved = (
    await farm.submit(JSON.parse(await readFile(template, 'utf8')) as object, { paused: 'true' })
  ).body.id;
  await api.must('PATCH', `/api/v1/jobs/${moved}`, { queue_id: other.id });
  await api.must('PATCH', `/api/v1/jobs/${moved}`, { action: 'resume' });
  await becomes(moved, 'completed');
  t.same(await newLines(), inside);
}
