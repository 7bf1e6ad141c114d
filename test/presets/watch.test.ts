import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { test, type Test } from 'tap';

const REPOSITORY = fileURLToPath(new URL('../../../', import.meta.url));
const KIT = join(REPOSITORY, 'presets/kit');

interface Ran {
  readonly code: number | null;
  readonly lines: readonly string[];
  readonly err: string;
}

function start(directory: string, script: string): ChildProcess {
  return spawn('python3', ['-u', '-c', `import sys\nfrom callsheet_watch import *\n${script}`], {
    cwd: directory,
    env: { PATH: process.env['PATH'], PYTHONPATH: KIT, PYTHONDONTWRITEBYTECODE: '1', DIRECTORY: directory },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
}

/** Runs a script of a preset, after `from callsheet_watch import *`, with python3. */
async function runScript(directory: string, script: string): Promise<Ran> {
  const child = start(directory, script);
  let out = '';
  let err = '';
  child.stdout?.setEncoding('utf8').on('data', (text: string) => (out += text));
  child.stderr?.setEncoding('utf8').on('data', (text: string) => (err += text));
  const [code] = (await once(child, 'close')) as [number | null];
  return { code, lines: out.split('\n').slice(0, -1), err };
}

/** A call of `run` with a program that is this Python code; `more` are further arguments of `run`. */
const runs = (program: string, more = ''): string =>
  `run("Program", [sys.executable, "-c", ${JSON.stringify(program)}]${more === '' ? '' : `, ${more}`})`;

const failOf = ({ lines }: Ran): string =>
  lines.find((line) => line.startsWith('openjd_fail: '))?.slice('openjd_fail: '.length) ?? '';

const percentsOf = ({ lines }: Ran): readonly number[] =>
  lines.flatMap((line) => {
    const percent = /^openjd_progress: (\d+)$/.exec(line)?.[1];
    return percent === undefined ? [] : [Number(percent)];
  });

/** Runs a script that has to end as failed, and compares its message. */
async function fails(
  t: Test,
  script: string,
  message: RegExp | string,
  directory = t.testdir(),
): Promise<Ran> {
  const ran = await runScript(directory, script);
  t.equal(ran.code, 1, `exit code of ${script}\n${ran.err}`);
  if (typeof message === 'string') t.equal(failOf(ran), message);
  else t.match(failOf(ran), message);
  t.equal(ran.lines.filter((line) => line.startsWith('openjd_fail')).length, 1, 'one message');
  t.equal(ran.err, '', 'no trace of Python');
  return ran;
}

/** Runs a script that has to succeed. */
async function succeeds(t: Test, script: string, directory = t.testdir()): Promise<Ran> {
  const ran = await runScript(directory, script);
  t.equal(ran.code, 0, `${script}\n${ran.lines.join('\n')}\n${ran.err}`);
  return ran;
}

test('ranges, runs of frames and file names', async (t) => {
  const script = `
import json
print(json.dumps([frames_of("1-9:2,20"), frames_of(" 5 "), frames_of("-3--1"), frames_of("9-1:-4"), frames_of("3,1")]))
print(json.dumps([runs_of([1, 2, 3, 7, 9, 11, 20]), runs_of([5]), runs_of([])]))
print(json.dumps([numbered("/a.##/b.####.exr", 7), numbered("b##_####", -7), numbered("b.##", 1234), numbered("#", 0)]))
print(json.dumps(extra_arguments("-a 'b c' \\"d\\" ")))`;
  const { lines } = await succeeds(t, script);
  t.strictSame(
    lines.map((line) => JSON.parse(line) as unknown),
    [
      [[1, 3, 5, 7, 9, 20], [5], [-3, -2, -1], [9, 5, 1], [3, 1]],
      [
        [
          [1, 3, 1],
          [7, 11, 2],
          [20, 20, 1],
        ],
        [[5, 5, 1]],
        [],
      ],
      ['/a.##/b.0007.exr', 'b##_-0007', 'b.1234', '0'],
      ['-a', 'b c', 'd'],
    ],
  );
});

test('bad input ends with a sentence', async (t) => {
  for (const [script, message] of [
    ['frames_of("1-")', "the frame range '1-' cannot be read at '1-'"],
    ['frames_of("1,,2")', "the frame range '1,,2' cannot be read at ''"],
    ['frames_of("")', "the frame range '' cannot be read at ''"],
    ['frames_of("1-x")', "the frame range '1-x' cannot be read at '1-x'"],
    ['numbered("/a.##/b.exr", 1)', 'the file name b.exr needs #### where the frame number belongs'],
    ['extra_arguments("a \'b")', 'the additional arguments cannot be split: No closing quotation'],
    ['run("Program", ["/no/program"])', 'cannot start /no/program: No such file or directory'],
    [
      'program("Renderer", ["no-such-a", "no-such-b"])',
      'this worker has no Renderer: no-such-a or no-such-b is not on the PATH',
    ],
    ['fail("two\\nlines   here")', 'two lines here'],
    ['fail("x" * 1000)', 'x'.repeat(300)],
  ] as const) {
    await fails(t, script, message);
  }
});

test('a step of 0 in a range is refused with a sentence', (t) =>
  fails(t, 'frames_of("1-3,1-5:0")', "the frame range '1-3,1-5:0' has the step 0 at '1-5:0'"));

test('a program is found on the PATH, else in the newest directory', async (t) => {
  const directory = t.testdir({ 'app-9': {}, 'app-10': {}, 'app-11': { tool: 'not executable' } });
  const script = `
import stat
for name in ("app-9", "app-10"):
    path = os.path.join(name, "tool")
    open(path, "w").close()
    os.chmod(path, 0o755)
os.environ["PLACE"] = os.getcwd()
print(os.path.relpath(program("Tool", ["no-such"], ["/no/such/*", "$PLACE/app-*/tool"])))
print(os.path.basename(program("Shell", ["no-such", "sh"], ["$PLACE/app-*/tool"])))`;
  t.strictSame((await succeeds(t, script, directory)).lines, ['app-10/tool', 'sh']);
});

test('progress: parts, percentages, counts, and never back', async (t) => {
  const cases: readonly (readonly [progress: string, lines: string, percents: readonly number[]])[] = [
    ['Progress(4, done="^saved")', 'saved\\nother\\nsaved\\nsaved\\nsaved\\n', [25, 50, 75, 100]],
    ['Progress(2, done="saved", part=r"(\\d+)%")', '50%\\n20%\\nsaved\\n50%\\nsaved\\n', [25, 50, 75, 100]],
    ['Progress(1, part=r"Sample (\\d+)/(\\d+)")', 'Sample 1/8\\nSample 4/8\\nSample 0/0\\n', [12, 50]],
    ['Progress(3, overall=r"(\\d+(?:\\.\\d+)?)%")', '10.9%\\n10.1%\\n99.9%\\n250%\\n', [10, 99, 100]],
    ['Progress(3, overall=r"\\[(\\d+)/(\\d+)\\]")', '[1/3]\\n[2/3]\\n[3/3]\\n', [33, 66, 100]],
    ['Progress(0, done="saved")', 'saved\\nsaved\\n', [100]],
    ['None', '10%\\n', []],
  ];
  for (const [progress, lines, percents] of cases) {
    const script = runs(
      `import sys; sys.stdout.write("${lines}")`,
      `progress=${progress.replaceAll('\\\\', '\\')}`,
    );
    t.strictSame(percentsOf(await succeeds(t, script)), percents, progress);
  }
});

test('lines end with a line feed, a carriage return or both, in any encoding', async (t) => {
  const program = 'import sys; sys.stdout.buffer.write(b"a 10%\\rb 20%\\r\\nc 30%\\n\\nd\\xff 40%")';
  const ran = await succeeds(t, runs(program, 'progress=Progress(1, overall=r"(\\d+)%")'));
  t.strictSame(ran.lines.slice(1), [
    'a 10%',
    'openjd_progress: 10',
    'b 20%',
    'openjd_progress: 20',
    'c 30%',
    'openjd_progress: 30',
    '',
    'd\ufffd 40%',
    'openjd_progress: 40',
  ]);
  const wide = 'import sys; sys.stdout.buffer.write("\\u00e9 1%\\r\\nend".encode("utf-16"))';
  t.strictSame((await succeeds(t, runs(wide, 'encoding="utf-16"'))).lines.slice(1), ['é 1%', 'end']);
});

test('hidden lines say the progress and errors, and are not copied', async (t) => {
  const program = 'print("frame=5"); print("frame=x"); print("kept")';
  const hidden = 'progress=Progress(1, overall=r"=(\\d)"), hidden=r"^frame="';
  const ran = await succeeds(t, `print(${runs(program, hidden)})`);
  t.strictSame(ran.lines.slice(1), ['openjd_progress: 5', 'kept', "['kept']"]);
  const failed = await runScript(t.testdir(), runs(program, `${hidden}, errors=["frame=x"]`));
  t.match(failOf(failed), 'Program reported an error: frame=x');
});

test('a line is passed on while the program runs', async (t) => {
  const program = 'import os; print("waiting", flush=True); open("pipe").read(); print("done")';
  const child = start(t.testdir(), `os.mkfifo("pipe")\n${runs(program)}`);
  let out = '';
  child.stdout?.setEncoding('utf8').on('data', (text: string) => (out += text));
  while (!/^waiting$/m.test(out)) await once(child.stdout ?? child, 'data');
  t.notMatch(out, /^done$/m);
  spawnSync('sh', ['-c', 'echo > pipe'], { cwd: t.testdirName });
  const [code] = (await once(child, 'close')) as [number | null];
  t.equal(code, 0);
  t.match(out, /^done$/m);
});

test('exit codes and signals', async (t) => {
  await fails(
    t,
    runs('import sys; print("first"); print("last words"); print(" "); sys.exit(3)'),
    'Program ended with exit code 3: last words',
  );
  await fails(t, runs('import sys; sys.exit(2)'), 'Program ended with exit code 2: no output');
  await fails(t, runs('import os; os.kill(os.getpid(), 9)'), 'Program was stopped by signal 9');
});

test('the last lines of a program that succeeded are returned', async (t) => {
  const script = `tail = ${runs('print("\\n\\n".join(map(str, range(30))))')}\nprint("tail", ",".join(tail))`;
  const twenty = Array.from({ length: 20 }, (_, index) => index + 10).join(',');
  t.equal((await succeeds(t, script)).lines.at(-1), `tail ${twenty}`);
});

test('a line that means an error fails a program with exit code 0', async (t) => {
  const program = 'print("ok"); print("ERROR: no camera"); print("ERROR: more")';
  await fails(t, runs(program, 'errors=["^ERROR"]'), 'Program reported an error: ERROR: no camera');
  await succeeds(t, runs(program, 'errors=["^FATAL"]'));
});

test('a missing licence is named as that, by a line or an exit code', async (t) => {
  const program = 'import sys; print("ERROR: failed"); print("could not get a license"); sys.exit(1)';
  await fails(
    t,
    runs(program, 'errors=["ERROR"], licence=["get a license"]'),
    'no Program licence: could not get a license',
  );
  await fails(
    t,
    runs('import sys; sys.exit(100)', 'licence_codes=[100]'),
    'no Program licence: exit code 100',
  );
  await fails(
    t,
    runs('import sys; print("seat taken"); sys.exit(100)', 'licence=["seat"], licence_codes=[100]'),
    'no Program licence: seat taken',
  );
  await fails(
    t,
    runs('import sys; sys.exit(101)', 'licence_codes=[100]'),
    /^Program ended with exit code 101/,
  );
  await fails(t, runs('print("seat taken")', 'licence=["seat"]'), 'no Program licence: seat taken');
});

test('a file of an earlier attempt does not pass as new', async (t) => {
  const directory = t.testdir({ 'a.png': 'old', 'b.png': 'old' });
  const outputs = 'outputs=["a.png", "b.png", "new/dir/c.png"]';
  const program = 'open("a.png", "w").write("new"); open("new/dir/c.png", "w").close()';
  await fails(t, runs(program, outputs), 'Program did not write b.png (missing or empty: 2 of 3)', directory);
  t.equal(readFileSync(join(directory, 'a.png'), 'utf8'), 'new');
  t.notOk(existsSync(join(directory, 'b.png')));
});

test('outputs that are all there succeed', async (t) => {
  const directory = t.testdir({});
  const program = 'open("out/a.png", "w").write("new")';
  await succeeds(t, runs(program, 'outputs=["out/a.png"]'), directory);
  t.equal(readFileSync(join(directory, 'out/a.png'), 'utf8'), 'new');
});

const outputsOf = ({ lines }: Ran): readonly string[] =>
  lines.flatMap((line) =>
    line.startsWith('callsheet_output: ') ? [line.slice('callsheet_output: '.length)] : [],
  );

test('outputs are named once, with absolute paths, and not those of the session or in between', async (t) => {
  const folder = t.testdir({ session: {}, out: {} });
  const session = join(folder, 'session');
  const writes = `for name in ["../out/a b.png", "../out/part.png", "cell.png"]: open(name, "w").write("x")`;
  const script = [
    `outputs = ["../out/a b.png", "cell.png", "./../out/a b.png"]`,
    runs(writes, 'outputs=outputs'),
    runs(writes, 'outputs=["../out/part.png"], interim=True'),
    `require("The part", ["../out/part.png"], interim=True)`,
    `name_outputs(["../out", "../out/new\\nline", "../out/\\udc80", "../out/blank ", "/" + "x" * 1024])`,
  ].join('\n');
  const ran = await runScript(session, script);
  t.equal(ran.code, 0, ran.err);
  t.strictSame(outputsOf(ran), [join(folder, 'out/a b.png'), join(folder, 'out')]);
});

test('at most 64 outputs are named, and none of a program that failed', async (t) => {
  const many = await runScript(t.testdir(), 'name_outputs("/out/%d" % number for number in range(100))');
  t.equal(outputsOf(many).length, 64, many.err);
  const failed = await runScript(t.testdir(), runs('sys.exit(1)', 'outputs=["/tmp/none/x.png"]'));
  t.strictSame(outputsOf(failed), []);
});

test('an output that cannot be made or replaced fails before the program runs', async (t) => {
  const directory = t.testdir({ file: 'x', taken: { inside: 'x' } });
  const program = 'open("ran", "w").close()';
  await fails(t, runs(program, 'outputs=["file/a.png"]'), /^cannot write file\/a.png: /, directory);
  await fails(t, runs(program, 'outputs=["taken"]'), /^cannot write taken: /, directory);
  t.notOk(existsSync(join(directory, 'ran')));
});

test('a program gets its directory, its variables and no input', async (t) => {
  const directory = t.testdir({ sub: {} });
  const program =
    'import os, sys; print(os.path.basename(os.getcwd()), os.environ["EXTRA"], repr(sys.stdin.read()))';
  const ran = await succeeds(t, runs(program, 'directory="sub", environment=dict(EXTRA="value")'), directory);
  t.equal(ran.lines.at(-1), "sub value ''");
});

test('SIGTERM is passed on, and the program may end in its own way', async (t) => {
  // Written without a buffer: a signal may arrive while a buffered text is being written.
  const program =
    'import os, signal, sys\ndef end(*_):\n    os.write(1, b"saving\\n")\n    sys.exit(7)\n' +
    'signal.signal(signal.SIGTERM, end)\nos.write(1, b"ready\\n")\nwhile True:\n    signal.pause()';
  const child = start(t.testdir(), runs(program));
  t.teardown(() => child.kill('SIGKILL'));
  let out = '';
  child.stdout?.setEncoding('utf8').on('data', (text: string) => {
    out += text;
    if (/^ready$/m.test(text)) child.kill('SIGTERM');
  });
  const [code] = (await once(child, 'close')) as [number | null];
  t.equal(code, 1);
  t.match(out, /^saving$/m);
  t.match(out, /^openjd_fail: Program ended with exit code 7: saving$/m);
});

const COPIES = join(REPOSITORY, 'scripts/presets/watch-copies.js');

test('every preset carries the text of presets/kit', (t) => {
  const check = spawnSync(
    process.execPath,
    [
      '--input-type=module',
      '-e',
      `import { readFileSync } from 'node:fs';
const { presetFiles, withWatch } = await import(process.argv[1]);
const files = presetFiles();
const changed = files.filter((path) => withWatch(readFileSync(path, 'utf8')) !== readFileSync(path, 'utf8'));
const without = files.filter((path) => !readFileSync(path, 'utf8').includes('filename: callsheet_watch.py'));
const head = '  filename: callsheet_watch.py\\n  data: |\\n';
let refusal = '';
try { withWatch('filename: callsheet_watch.py\\ntype: TEXT'); } catch (error) { refusal = error.message; }
process.stdout.write(JSON.stringify({ count: files.length, changed, without, refusal, replaced:
  withWatch(head + '    old\\n\\n    text\\nname: x\\n') === withWatch(head + '    other\\nname: x\\n') }));`,
      COPIES,
    ],
    { cwd: REPOSITORY, encoding: 'utf8' },
  );
  const found = JSON.parse(check.stdout) as {
    readonly count: number;
    readonly changed: readonly string[];
    readonly without: readonly string[];
    readonly refusal: string;
    readonly replaced: boolean;
  };
  t.ok(found.count > 0);
  t.strictSame(found.changed, [], 'run node scripts/presets.js --sync');
  t.strictSame(found.without, []);
  t.match(found.refusal, /is not followed by "data: \|"/);
  t.ok(found.replaced, 'the old text is replaced as a whole');
  t.end();
});
