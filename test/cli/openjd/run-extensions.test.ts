import { chmodSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'tap';
import { runCallsheet, type Ran } from '../run-callsheet.ts';

const job = (parts: object): string =>
  JSON.stringify({ specificationVersion: 'jobtemplate-2023-09', name: 'Job', ...parts });

async function run(template: string, args: readonly string[] = [], environment: object = {}): Promise<Ran> {
  return runCallsheet(['openjd', 'run', '-', ...args], { input: template, environment: { ...environment } });
}

const linesOf = (ran: Ran): readonly string[] => ran.out.trimEnd().split('\n');

/** A folder whose program `python` is Python 3, which some systems only have as `python3`. */
function folderOfPython(directory: string): string {
  const folder = join(directory, 'bin');
  mkdirSync(folder);
  writeFileSync(join(folder, 'python'), '#!/bin/sh\nexec python3 "$@"\n');
  chmodSync(join(folder, 'python'), 0o755);
  return folder;
}

void test('simple actions run their scripts with bash, node and python', async (t) => {
  const args = ['{{Param.Who}}', 'b c'];
  const template = job({
    extensions: ['FEATURE_BUNDLE_1', 'EXPR'],
    parameterDefinitions: [{ name: 'Who', type: 'STRING', default: "it's" }],
    steps: [
      { name: 'Bash', bash: { let: ['n = 2 + 3'], script: 'echo "{{n}} $1 $2 ${0##*/}"\n', args } },
      {
        name: 'Node',
        node: { script: 'console.log({{ repr_json(Param.Who) }}, process.argv.slice(2).join("|"))\n', args },
      },
      {
        name: 'Python',
        python: { script: 'import sys\nprint(repr({{ repr_py(Param.Who) }}), sys.argv[1:])\n', args },
      },
    ],
  });
  const path = `${folderOfPython(t.testdir())}:${String(process.env['PATH'])}`;
  const ran = await run(template, [], { PATH: path });
  t.same(linesOf(ran), [
    "Bash | 5 it's b c script.sh",
    "Node | it's it's|b c",
    `Python | "it's" ["it's", 'b c']`,
  ]);
  t.equal(ran.code, 0);
  t.match(ran.err, /^note: a farm rejects the extension FEATURE_BUNDLE_1 unless its operator lists it/m);
});

void test('a resolved timeout ends the task', async (t) => {
  const template = job({
    extensions: ['FEATURE_BUNDLE_1'],
    parameterDefinitions: [{ name: 'T', type: 'INT', default: 1 }],
    steps: [{ name: 'S', bash: { script: 'echo begin\nexec sleep 600\n', timeout: '{{Param.T}}' } }],
  });
  const ran = await run(template);
  t.same(linesOf(ran), ['S | begin']);
  t.match(ran.err, /S failed: timed out after 1 s/);
  t.equal(ran.code, 1);
  const refused = await run(template, ['-p', 'T=0']);
  t.match(refused.err, /\/steps\/0\/bash\/timeout: resolves to "0", and must be at least 1/);
});

void test('files have the given line ends', async (t) => {
  const file = (name: string, parts: object): object => ({ name, type: 'TEXT', data: 'a\nb\n', ...parts });
  const out = join(t.testdir(), 'out');
  const template = job({
    extensions: ['FEATURE_BUNDLE_1'],
    steps: [
      {
        name: 'S',
        script: {
          actions: {
            onRun: {
              command: 'sh',
              args: [
                '-c',
                'cat "$@" > "$OUT"',
                'sh',
                '{{Task.File.A}}',
                '{{Task.File.B}}',
                '{{Task.File.C}}',
              ],
            },
          },
          embeddedFiles: [file('A', {}), file('B', { endOfLine: 'CRLF' }), file('C', { endOfLine: 'LF' })],
        },
      },
    ],
  });
  t.equal((await run(template, [], { OUT: out })).code, 0);
  t.equal(readFileSync(out, 'utf8'), 'a\nb\na\r\nb\r\na\nb\n');
});

/** Runs the command that it gets after `--` with the variables before it, without those of the session. */
const WRAP = `set -eu
echo "wrap: $1"; shift
variables=()
while [ "$1" != "--" ]; do variables+=("$1"); shift; done
shift
exec env -i PATH="$PATH" "\${variables[@]}" "$@"
`;

void test('an environment wraps inner environments and tasks', async (t) => {
  const hook = (word: string, parts: object = {}): object => ({
    command: 'bash',
    args: [
      '{{Env.File.Wrap}}',
      word,
      '{{WrappedAction.Environment}}',
      '--',
      '{{WrappedAction.Command}}',
      '{{WrappedAction.Args}}',
    ],
    ...parts,
  });
  const sh = (script: string): object => ({ command: 'sh', args: ['-c', script] });
  const template = (task: string): string =>
    job({
      extensions: ['WRAP_ACTIONS', 'EXPR', 'FEATURE_BUNDLE_1'],
      jobEnvironments: [
        {
          name: 'Box',
          script: {
            embeddedFiles: [{ name: 'Wrap', type: 'TEXT', data: WRAP }],
            actions: {
              onEnter: sh('echo "enter box ${INNER:-none}"; echo "openjd_env: BOX=b 1"'),
              onWrapEnvEnter: hook('enter {{WrappedEnv.Name}}'),
              onWrapTaskRun: hook('run {{WrappedStep.Name}}', { timeout: '{{WrappedAction.Timeout}}' }),
              onWrapEnvExit: hook('exit {{WrappedEnv.Name}}'),
              onExit: sh('echo "exit box $BOX"'),
            },
          },
        },
        { name: 'Variables', variables: { INNER: 'i' } },
      ],
      steps: [
        {
          name: 'S',
          stepEnvironments: [
            {
              name: 'Tools',
              script: {
                actions: { onEnter: sh('echo "openjd_env: TOOLS=$BOX"'), onExit: sh('echo "left $TOOLS"') },
              },
            },
          ],
          bash: { script: task, args: ["it's"] },
        },
      ],
    });
  const ran = await run(template('echo "$BOX $INNER $TOOLS $1 ${HOME:-no home}"\n'));
  t.same(linesOf(ran), [
    'S | enter box none',
    'S | openjd_env: BOX=b 1',
    'S | wrap: enter Tools',
    'S | openjd_env: TOOLS=b 1',
    'S | wrap: run S',
    "S | b 1 i b 1 it's no home",
    'S | wrap: exit Tools',
    'S | left b 1',
    'S | exit box b 1',
  ]);
  t.equal(ran.code, 0);
  const failed = await run(template('exit 3\n'));
  t.match(failed.err, /S failed: onWrapTaskRun of environment Box: failed \(exit 3\)/);
  t.same(linesOf(failed).slice(-3), ['S | wrap: exit Tools', 'S | left b 1', 'S | exit box b 1']);
  t.equal(failed.code, 1);
});

void test('the example measures every action', async (t) => {
  const template = readFileSync(
    new URL('../../../../examples/wrapped/template.yaml', import.meta.url),
    'utf8',
  );
  const ran = await run(template);
  t.same(
    linesOf(ran).map((line) => line.replace(/\d+ s$/, 'N s')),
    [
      'Draw[Frame=1] | openjd_env: COLOR=amber',
      'Draw[Frame=1] | enter Colors: N s',
      'Draw[Frame=1] | frame 0001 in amber',
      'Draw[Frame=1] | task of Draw: N s',
      'Draw[Frame=2] | frame 0002 in amber',
      'Draw[Frame=2] | task of Draw: N s',
    ],
  );
  t.equal(ran.code, 0);
});

void test('--extensions limits the extensions of a template', async (t) => {
  const input = job({ extensions: ['FEATURE_BUNDLE_1'], steps: [{ name: 'S', bash: { script: 'true' } }] });
  for (const verb of ['check', 'expand', 'run']) {
    const limited = await runCallsheet(['openjd', verb, '-', '--extensions', 'EXPR, TASK_CHUNKING'], {
      input,
    });
    t.match(limited.err, /\/extensions\/0: the extension FEATURE_BUNDLE_1 is not accepted here/, verb);
    t.equal(limited.code, 1);
    const all = await runCallsheet(['openjd', verb, '-'], { input });
    t.match(all.err, /^note: a farm rejects the extension FEATURE_BUNDLE_1/m, verb);
    t.equal(all.code, 0);
  }
  const unknown = await runCallsheet(['openjd', 'check', '-', '--extensions', 'EXPR,MORE'], { input });
  t.match(unknown.err, /--extensions: MORE is not one of TASK_CHUNKING, /);
  t.equal(unknown.code, 2);
});
