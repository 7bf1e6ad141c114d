import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readdirSync, realpathSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { test } from 'tap';
import { runCallsheet, type Ran } from '../run-callsheet.ts';

/** An action that runs a shell script. */
const sh = (script: string, parts: object = {}): object => ({
  command: 'sh',
  args: ['-c', script],
  ...parts,
});

const job = (parts: object): string =>
  JSON.stringify({ specificationVersion: 'jobtemplate-2023-09', name: 'Job', ...parts });

const oneStep = (onRun: object, parts: object = {}): string =>
  job({ steps: [{ name: 'S', script: { actions: { onRun } }, ...parts }] });

/** Runs a template with its own temporary directory, and asserts that the directory is empty afterwards. */
async function run(directory: string, template: string, ...args: string[]): Promise<Ran> {
  const temporary = join(directory, 'tmp');
  mkdirSync(temporary, { recursive: true });
  const ran = await runCallsheet(['openjd', 'run', '-', ...args], {
    input: template,
    environment: { TMPDIR: temporary },
  });
  const left = readdirSync(temporary);
  if (left.length > 0) throw new Error(`left behind: ${left.join(', ')}`);
  return ran;
}

/** Returns the summary of a run without its times. */
const summaryOf = (ran: Ran): string[] =>
  ran.err
    .slice(ran.err.indexOf('\nSTEP') + 1)
    .trimEnd()
    .split('\n')
    .slice(1)
    .map((line) => line.replace(/ +[0-9.]+$/, '').replaceAll(/ {2,}/g, ' '));

test('steps run in dependency order, with environments around each task', async (t) => {
  const environment = (name: string, parts: object = {}): object => ({
    name,
    ...parts,
    script: {
      actions: {
        onEnter: sh(`echo enter ${name}; echo "openjd_env: FROM_${name}=$WORD"`),
        onExit: sh(`echo exit ${name}`),
      },
    },
  });
  const template = job({
    name: 'Job of {{Param.Who}}',
    parameterDefinitions: [{ name: 'Who', type: 'STRING' }],
    jobEnvironments: [environment('Outer', { variables: { WORD: 'for {{Param.Who}}' } })],
    steps: [
      {
        name: 'Last',
        dependencies: [{ dependsOn: 'First' }],
        script: { actions: { onRun: sh('echo last; echo aside >&2') } },
      },
      {
        name: 'First',
        stepEnvironments: [environment('Inner')],
        parameterSpace: { taskParameterDefinitions: [{ name: 'N', type: 'INT', range: '1-2' }] },
        script: {
          actions: { onRun: { command: '{{Task.File.Run}}', args: ['{{Task.Param.N}}'] } },
          embeddedFiles: [
            {
              name: 'Run',
              type: 'TEXT',
              runnable: true,
              data: '#!/bin/sh\necho "file {{Task.Param.N}} $1, $FROM_Outer, $FROM_Inner"\n',
            },
          ],
        },
      },
    ],
  });
  const ran = await run(t.testdir(), template, '-p', 'Who=you');
  t.same(
    ran.out.trimEnd().split('\n'),
    [
      'First[N=1] | enter Outer',
      'First[N=1] | openjd_env: FROM_Outer=for you',
      'First[N=1] | enter Inner',
      'First[N=1] | openjd_env: FROM_Inner=for you',
      'First[N=1] | file 1 1, for you, for you',
      'First[N=2] | file 2 2, for you, for you',
      'First[N=2] | exit Inner',
      'First[N=2] | exit Outer',
      'Last | enter Outer',
      'Last | openjd_env: FROM_Outer=for you',
      'Last | last',
      'Last | exit Outer',
    ],
    'once around the tasks of a step, which share a session',
  );
  t.match(ran.err, /^Job: Job of you\nLast \| aside\n\nSTEP +STATUS +TASKS +SECONDS\n/);
  t.same(summaryOf(ran), ['First succeeded 2/2', 'Last succeeded 1/1']);
  t.equal(ran.code, 0);
});

test('environment templates are entered in the order given, outside those of the job', async (t) => {
  const template = (name: string, parts: object = {}): string =>
    JSON.stringify({
      specificationVersion: 'environment-2023-09',
      environment: {
        name,
        script: { actions: { onEnter: sh(`echo enter ${name}`), onExit: sh(`echo exit ${name}`) } },
        ...parts,
      },
    });
  const directory = t.testdir({
    a: {
      'first.json': JSON.stringify({
        ...(JSON.parse(template('First', { variables: { SCENE: '{{Param.Scene}}' } })) as object),
        parameterDefinitions: [
          { name: 'Scene', type: 'PATH', default: 'scene.blend' },
          { name: 'N', type: 'INT', default: 4, maxValue: 9 },
        ],
      }),
    },
    'second.yaml': template('Second'),
    'wrong.yaml': 'specificationVersion: environment-2023-09\nenvironment: {name: W}\n',
  });
  const [first, second, wrong] = ['a/first.json', 'second.yaml', 'wrong.yaml'].map((name) =>
    join(directory, name),
  );
  const source = job({
    parameterDefinitions: [{ name: 'N', type: 'INT', default: 5 }],
    jobEnvironments: [
      { name: 'Own', script: { actions: { onEnter: sh('echo enter Own'), onExit: sh('echo exit Own') } } },
    ],
    steps: [{ name: 'S', script: { actions: { onRun: sh('echo task {{Param.N}} $SCENE') } } }],
  });
  const given = ['--environment', first ?? '', '--environment', second ?? ''];
  const ran = await run(directory, source, ...given);
  t.equal(ran.code, 0, ran.err);
  t.same(ran.out.trimEnd().split('\n'), [
    'S | enter First',
    'S | enter Second',
    'S | enter Own',
    `S | task 5 ${join(directory, 'a/scene.blend')}`,
    'S | exit Own',
    'S | exit Second',
    'S | exit First',
  ]);
  const tooLarge = await run(directory, source, ...given, '-p', 'N=10');
  t.equal(tooLarge.code, 1);
  t.match(tooLarge.err, /the value of "N": 10 is greater than maxValue 9/);
  const invalid = await run(directory, source, '--environment', wrong ?? '');
  t.equal(invalid.code, 1);
  t.match(
    invalid.err,
    /wrong\.yaml:2:14: \/environment: must have "variables" or "script"\n  2 \| environment/,
  );

  const check = (...args: readonly string[]): Promise<Ran> => runCallsheet(['openjd', 'check', ...args]);
  t.match(await check(second ?? ''), { code: 0, out: /second\.yaml: valid\nenvironment Second\n/ });
  t.match(await check(wrong ?? ''), { code: 1, err: /\/environment: must have/ });
  t.match(await check(second ?? '', '-p', 'A=b'), {
    code: 2,
    err: /give it with --environment for a job template/,
  });
});

test('the first task that fails ends the run, and its environments are exited', async (t) => {
  const template = job({
    jobEnvironments: [
      { name: 'E', script: { actions: { onEnter: sh('echo in'), onExit: sh('echo out; exit 4') } } },
    ],
    steps: [
      {
        name: 'A',
        parameterSpace: { taskParameterDefinitions: [{ name: 'N', type: 'INT', range: '1-3' }] },
        script: { actions: { onRun: sh('echo task {{Task.Param.N}}; test {{Task.Param.N}} != 2') } },
      },
      { name: 'B', script: { actions: { onRun: sh('echo never') } } },
    ],
  });
  const ran = await run(t.testdir(), template);
  t.equal(ran.code, 1);
  t.same(ran.out.trimEnd().split('\n'), [
    'A[N=1] | in',
    'A[N=1] | task 1',
    'A[N=2] | task 2',
    'A[N=2] | out',
  ]);
  t.match(ran.err, 'A[N=2] failed: failed (exit 1); environment E, onExit: failed (exit 4)\n');
  t.same(summaryOf(ran), ['A failed 1/3', 'B not run 0/1']);
});

test('the cause of a failed action is printed: a timeout, a directive, or a missing command', async (t) => {
  const cases: readonly (readonly [template: string, why: string])[] = [
    [oneStep(sh('echo begun; sleep 60', { timeout: 1 })), 'S failed: timed out after 1 s\n'],
    [oneStep(sh('echo "openjd_fail: no licence"')), 'S failed: no licence\n'],
    [oneStep({ command: 'no-such-command' }), 'S failed: command not found: no-such-command\n'],
    [
      oneStep(sh('echo never'), {
        stepEnvironments: [{ name: 'E', script: { actions: { onEnter: sh('exit 3') } } }],
      }),
      'S failed: environment E, onEnter: failed (exit 3)\n',
    ],
  ];
  for (const [template, why] of cases) {
    const ran = await run(t.testdir(), template);
    t.match(ran, { code: 1, err: why });
    t.notMatch(ran.out, 'never');
    t.same(summaryOf(ran), ['S failed 0/1']);
  }
});

test('one step can be run, and only its tasks with the given values', async (t) => {
  const step = (name: string, parts: object = {}): object => ({
    name,
    script: { actions: { onRun: sh('echo done') } },
    ...parts,
  });
  const definitions = [
    { name: 'X', type: 'INT', range: '1-2' },
    { name: 'Y', type: 'STRING', range: ['a', 'b'] },
  ];
  const template = job({
    steps: [
      step('A'),
      step('B', {
        dependencies: [{ dependsOn: 'A' }],
        parameterSpace: { taskParameterDefinitions: definitions },
      }),
    ],
  });
  const tasks = async (...args: string[]): Promise<string[]> => {
    const ran = await run(t.testdir(), template, ...args);
    if (ran.code !== 0) throw new Error(ran.err);
    return ran.out
      .trimEnd()
      .split('\n')
      .map((line) => line.replace(' | done', ''));
  };
  t.same(await tasks('--step', 'A'), ['A']);
  t.same(await tasks('--step', 'B', '--task', 'Y=b'), ['B[X=1, Y=b]', 'B[X=2, Y=b]']);
  t.same(await tasks('--step', 'B', '--task', 'Y=a', '--task', 'X=2'), ['B[X=2, Y=a]']);
  const refusals: readonly (readonly [args: readonly string[], why: string])[] = [
    [['--step', 'C'], 'there is no step "C"\n'],
    [['--task', 'X=1'], 'give --step: the job has several steps\n'],
    [['--step', 'B', '--task', 'Z=1'], 'the step "B" has no task parameter "Z"\n'],
    [['--step', 'B', '--task', 'X=3'], 'the step "B" has no task with X=3\n'],
    [['--step', 'B', '--task', 'X=3', '--task', 'Y=a'], 'the step "B" has no task with X=3, Y=a\n'],
  ];
  for (const [args, err] of refusals) {
    t.same(await run(t.testdir(), template, ...args), { code: 2, out: '', err });
  }
});

test('expressions and usage pools are supported', async (t) => {
  const template = job({
    extensions: ['EXPR'],
    steps: [{ name: 'S', script: { actions: { onRun: sh('echo {{ [2 * n for n in range(3)] }}') } } }],
  });
  t.match(await run(t.testdir(), template), { code: 0, out: 'S | [0, 2, 4]\n' });
  const pools = oneStep(sh('echo ran'), {
    hostRequirements: { amounts: [{ name: 'amount.worker.usagepool.nuke', min: 1 }] },
  });
  t.match(await run(t.testdir(), pools), { code: 0, out: 'S | ran\n' });
});

test('Ctrl-C cancels the task, exits its environments and removes all files', async (t) => {
  const template = job({
    jobEnvironments: [{ name: 'E', script: { actions: { onEnter: sh('true'), onExit: sh('echo exited') } } }],
    steps: [
      {
        name: 'S',
        script: {
          actions: {
            onRun: sh('trap "echo asked to end; exit 0" TERM; echo begun; sleep 60 & wait', {
              cancelation: { mode: 'NOTIFY_THEN_TERMINATE', notifyPeriodInSeconds: 50 },
            }),
          },
        },
      },
      { name: 'Later', script: { actions: { onRun: sh('echo never') } } },
    ],
  });
  const directory = realpathSync(t.testdir({ 'job.json': template, tmp: {} }));
  const child = spawn(
    process.execPath,
    [resolve('bin/callsheet.js'), 'openjd', 'run', join(directory, 'job.json')],
    { env: { PATH: process.env['PATH'], TMPDIR: join(directory, 'tmp') } },
  );
  let out = '';
  let err = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => (err += text));
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    if (!out.includes('begun') && text.includes('begun')) child.kill('SIGINT');
    out += text;
  });
  const [code] = (await once(child, 'close')) as [number | null];
  t.equal(code, 1);
  t.equal(out, 'S | begun\nS | asked to end\nS | exited\n');
  t.match(err, 'S canceled: interrupted\n');
  t.same(summaryOf({ code, out, err }), ['S canceled 0/1', 'Later not run 0/1']);
  t.same(readdirSync(join(directory, 'tmp')), []);
  t.equal(existsSync(directory), true);
});

/** A job whose task prints a line and then runs until it is ended. */
const endless = (onExit: string): string =>
  job({
    jobEnvironments: [{ name: 'E', script: { actions: { onEnter: sh('true'), onExit: sh(onExit) } } }],
    steps: [{ name: 'S', script: { actions: { onRun: sh('while echo begun; do sleep 0.1; done') } } }],
  });

test('a run with closed output ends cleanly', async (t) => {
  const directory = realpathSync(t.testdir({ tmp: {} }));
  const exited = join(directory, 'exited');
  const child = spawn(process.execPath, [resolve('bin/callsheet.js'), 'openjd', 'run', '-'], {
    env: { PATH: process.env['PATH'], TMPDIR: join(directory, 'tmp') },
  });
  child.stdin.end(endless(`touch ${exited}`));
  child.stdout.once('data', () => child.stdout.destroy());
  const [code] = (await once(child, 'exit')) as [number | null];
  t.equal(code, 1);
  t.equal(existsSync(exited), true);
  t.same(readdirSync(join(directory, 'tmp')), []);
});

test('a second Ctrl-C ends the run immediately and removes its directory', async (t) => {
  const directory = realpathSync(t.testdir({ tmp: {} }));
  const child = spawn(process.execPath, [resolve('bin/callsheet.js'), 'openjd', 'run', '-'], {
    env: { PATH: process.env['PATH'], TMPDIR: join(directory, 'tmp') },
  });
  child.stdin.end(endless('echo exits; sleep 600'));
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    if (text.includes('begun') || text.includes('exits')) child.kill('SIGINT');
  });
  const [code] = (await once(child, 'exit')) as [number | null];
  t.equal(code, 1);
  t.same(readdirSync(join(directory, 'tmp')), []);
});

test('the name of the job is printed, and a failed onExit fails the run', async (t) => {
  const environment = (exit: string): object => ({
    name: 'E',
    script: { actions: { onEnter: sh('true'), onExit: sh(exit) } },
  });
  const withExit = (exit: string): string =>
    job({
      name: 'Shot {{Param.N}}',
      parameterDefinitions: [{ name: 'N', type: 'INT' }],
      jobEnvironments: [environment(exit)],
      steps: [{ name: 'S', script: { actions: { onRun: sh('true') } } }],
    });
  const good = await run(t.testdir(), withExit('true'), '-p', 'N=7');
  t.match(good, { code: 0, err: /^Job: Shot 7\n/ });
  const bad = await run(t.testdir(), withExit('exit 3'), '-p', 'N=7');
  t.equal(bad.code, 1);
  t.match(bad.err, /environment E, onExit: .*exit 3/);
  t.match(bad.err, /an onExit action of an environment failed/);
  t.same(summaryOf(bad).slice(0, 1), ['S succeeded 1/1']);
});

test('relative paths: defaults are below the template, given ones below the working directory', async (t) => {
  const directory = realpathSync(t.testdir({ sub: {}, 'in.txt': '' }));
  const paths = (definition: object): string =>
    job({
      parameterDefinitions: [{ name: 'P', type: 'PATH', ...definition }],
      steps: [{ name: 'S', script: { actions: { onRun: { command: 'echo', args: ['<{{Param.P}}>'] } } } }],
    });
  const file = join(directory, 'sub/template.json');
  const runFile = async (definition: object, ...args: string[]): Promise<Ran> => {
    writeFileSync(file, paths(definition));
    return runCallsheet(['openjd', 'run', file, ...args], { cwd: directory });
  };
  t.match((await runFile({ default: 'scripts/../a.py' })).out, `<${directory}/sub/a.py>`);
  t.match((await runFile({ default: 'a.py' }, '-p', 'P=in.txt')).out, `<${directory}/in.txt>`);
  t.match((await runFile({}, '-p', 'P=../x')).out, `<${resolve(directory, '../x')}>`);
  t.match((await runFile({}, '-p', 'P=/abs/x')).out, '</abs/x>');
  t.match((await runFile({}, '-p', 'P=s3://b/x')).out, '<s3://b/x>');
  t.match((await runFile({ default: '' })).out, '<>');
  for (const [path, why] of [
    ['/etc/passwd', 'a default must be relative to the template'],
    ['C:\\x', 'a default must be relative to the template'],
    ['s3://b/x', 'a default must be relative to the template'],
    ['../x', 'which leads out of the folder of the template'],
    ['a/../../x', 'which leads out of the folder of the template'],
  ] as const) {
    const ran = await runFile({ default: path });
    t.equal(ran.code, 1, path);
    t.match(ran.err, why);
  }
});

test('chunks with a target run time change their size like those of the service', async (t) => {
  const directory = t.testdir();
  const chunked = (chunks: object): string =>
    job({
      extensions: ['TASK_CHUNKING'],
      steps: [
        {
          name: 'S',
          parameterSpace: {
            taskParameterDefinitions: [
              {
                name: 'F',
                type: 'CHUNK[INT]',
                range: '1-12',
                chunks: { defaultTaskCount: 1, rangeConstraint: 'CONTIGUOUS', ...chunks },
              },
            ],
          },
          script: { actions: { onRun: sh('echo {{Task.Param.F}}') } },
        },
      ],
    });
  const ran = await run(directory, chunked({ targetRuntimeSeconds: 36_000 }));
  t.same(ran.out.split('\n'), ['S[F=1-1] | 1-1', 'S[F=2-5] | 2-5', 'S[F=6-12] | 6-12', '']);
  t.match(
    ran.err,
    /^S: chunks of 4 values of F: a value takes .+ on average \(from 1 task\), the target is 36000 s$/m,
  );
  t.match(summaryOf(ran), ['S succeeded 3/3']);
  const one = await run(directory, chunked({ targetRuntimeSeconds: 36_000 }), '--task', 'F=3-3');
  t.equal(one.out, 'S[F=3-3] | 3-3\n', 'a selected task stays as it is');
  const fixed = await run(directory, chunked({ targetRuntimeSeconds: 0 }));
  t.equal(fixed.out.split('\n').length, 13);
  t.notMatch(fixed.err, /chunks of/);
});
