/**
 * Runs presets by `callsheet openjd run` with stand-ins for programs that cannot be installed here. Each file
 * stand-ins/<vendor>-<name>.json describes one preset:
 *
 * - `preset`: its name. `program`: the program on the PATH, or a list of them.
 * - `parameters`: values of the run that succeeds. In all texts `$DIR` is an empty directory of this run, and `$SESSION`
 *   the working directory of the session.
 * - `files` (optional): files that are made in `$DIR` first, as paths below it.
 * - `arguments`: one list for each call of a program, in order, that begins with the program's name.
 * - `writes`: one list of paths for each call: the files that it writes.
 * - `lines`: what each call prints; `{"program": [lines]}` where there are several programs.
 * - `progress`: all percentages that the run reports, in order.
 * - `variables` (optional): environment variables that every call must have, with their values.
 * - `encoding` (optional): Python's name of the encoding of the lines. Default: utf-8.
 * - `runsScripts` (optional): programs that run the Python script in their arguments with the modules of
 *   stand-ins/modules; these add further calls to the record, such as `["hou.render", "/out/mantra1", "1-5:1", "False"]`,
 *   and `lines` and `program` may name them like a program (`hou.render`).
 * - `cases`: more runs, with other `parameters` (those that differ), `lines`, `exit` (-9: ended by that signal) and
 *   `writes` (default: as above; `[]`: nothing); `program` says which one of several does that. With `log`, the lines go
 *   to the file that follows this argument. `result` is `succeeded` or `failed`, and `message` a regular expression for
 *   the reason.
 */
import { mkdirSync, readdirSync, readFileSync, existsSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import tap, { test, type Test } from 'tap';
import { parse } from 'yaml';
import { runCallsheet, type Ran } from '../cli/run-callsheet.ts';
import {
  readStandInFile,
  type Lines,
  type StandInCase,
  type StandInFile,
} from './stand-ins/read-case-file.ts';

const REPOSITORY = fileURLToPath(new URL('../../../', import.meta.url));
const FILES = join(REPOSITORY, 'test/presets/stand-ins');
const STAND_IN = join(FILES, 'stand-in.py');
const AT_ONCE = 3;
/** Content of the files that a preset finds. */
const INPUT = 'an input\n';
/** Each preset runs many processes, one after another on a slow machine. */
const TIMEOUT_MS = 400_000;
tap.setTimeout(TIMEOUT_MS);

interface Call {
  readonly arguments: readonly string[];
  readonly session: string;
  readonly variables: Readonly<Record<string, string | null>>;
}

type Run = Ran & { readonly calls: readonly Call[]; readonly directory: string };

const programsOf = ({ program }: StandInFile): readonly string[] =>
  typeof program === 'string' ? [program] : program;

const linesOf = (file: StandInFile, lines: Lines): Readonly<Record<string, readonly string[]>> =>
  isList(lines) ? Object.fromEntries(programsOf(file).map((name) => [name, lines])) : lines;

const isList = (lines: Lines): lines is readonly string[] => Array.isArray(lines);

function templateOf(preset: string): string {
  const text = readFileSync(join(REPOSITORY, 'presets', `${preset}.yaml`), 'utf8');
  const { template } = parse(text) as { readonly template: unknown };
  return JSON.stringify(template);
}

/** Writes programs that start the stand-in, and the file that says what it does. Returns the environment of the run. */
function prepare(directory: string, file: StandInFile, special: StandInCase | null): Record<string, string> {
  const bin = join(directory, 'bin');
  mkdirSync(bin);
  for (const name of programsOf(file)) {
    const text = `#!/bin/sh\nexec python3 '${STAND_IN}' '${name}' "$@"\n`;
    writeFileSync(join(bin, name), text, { mode: 0o755 });
  }
  for (const name of file.files ?? []) {
    const path = join(directory, name);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, INPUT);
  }
  const usual = linesOf(file, file.lines);
  const failing = special?.program ?? programsOf(file)[0] ?? '';
  const settings = {
    record: join(directory, 'calls.jsonl'),
    writes: special?.writes ?? file.writes,
    lines:
      special === null
        ? usual
        : { ...usual, ...(isList(special.lines) ? { [failing]: special.lines } : special.lines) },
    exits: special === null ? {} : { [failing]: special.exit },
    encoding: file.encoding ?? 'utf-8',
    log: special?.log ?? null,
    variables: Object.keys(file.variables ?? {}),
    runsScripts: file.runsScripts ?? [],
  };
  const path = join(directory, 'stand-in.json');
  writeFileSync(path, JSON.stringify(settings).replaceAll('$DIR', directory));
  return { PATH: `${bin}:${process.env['PATH'] ?? ''}`, STAND_IN_SETTINGS: path };
}

async function run(directory: string, file: StandInFile, special: StandInCase | null): Promise<Run> {
  const environment = prepare(directory, file, special);
  const values = Object.entries({ ...file.parameters, ...special?.parameters });
  const parameters = values.flatMap(([name, value]) => [
    '-p',
    `${name}=${value.replaceAll('$DIR', directory)}`,
  ]);
  const ran = await runCallsheet(['openjd', 'run', '-', ...parameters], {
    environment,
    input: templateOf(file.preset),
  });
  const record = join(directory, 'calls.jsonl');
  const lines = existsSync(record) ? readFileSync(record, 'utf8').trimEnd().split('\n') : [];
  return { ...ran, calls: lines.map((line) => JSON.parse(line) as Call), directory };
}

/** A call's arguments with `$DIR` and `$SESSION` in place of the directories of this run. */
const plain = (directory: string, { session, arguments: words }: Call): readonly string[] =>
  words.map((word) => word.replaceAll(session, '$SESSION').replaceAll(directory, '$DIR'));

/** Files that the run has left in its directory, other than its inputs and those of this test. */
function filesLeft(directory: string): readonly string[] {
  const entries = readdirSync(directory, { recursive: true, withFileTypes: true });
  const paths = entries
    .filter((entry) => entry.isFile())
    .map((entry) => relative(directory, join(entry.parentPath, entry.name)));
  const isOutput = (path: string): boolean =>
    !['calls.jsonl', 'stand-in.json'].includes(path) &&
    !path.startsWith('bin/') &&
    readFileSync(join(directory, path), 'utf8') !== INPUT;
  return paths.filter(isOutput).sort();
}

const outputsIn = ({ out, directory }: Run): readonly string[] => {
  const named = [...out.matchAll(/ \| callsheet_output: (.+)$/gm)].map(([, path = '']) =>
    relative(directory, path),
  );
  return [...new Set(named)].sort();
};

const progressIn = (out: string): readonly number[] =>
  [...out.matchAll(/ \| openjd_progress: (\d+)$/gm)].map(([, percent]) => Number(percent));

function checkSuccess(t: Test, file: StandInFile, ran: Run): void {
  t.equal(ran.code, 0, `${ran.err}\n${ran.out}`);
  t.strictSame(
    ran.calls.map((call) => plain(ran.directory, call)),
    file.arguments,
    'the programs get these arguments',
  );
  t.strictSame(progressIn(ran.out), file.progress, 'the run reports this progress');
  t.strictSame(outputsIn(ran), filesLeft(ran.directory), 'the tasks name what they have written');
  for (const call of ran.calls) {
    const seen = Object.entries(call.variables).map(([name, value]) => [
      name,
      value?.replaceAll(call.session, '$SESSION').replaceAll(ran.directory, '$DIR'),
    ]);
    t.strictSame(Object.fromEntries(seen), file.variables ?? {}, 'the programs have these variables');
  }
}

function checkCase(t: Test, expected: StandInCase, ran: Run): void {
  t.equal(ran.code, expected.result === 'succeeded' ? 0 : 1, `${expected.name}\n${ran.err}\n${ran.out}`);
  if (expected.message !== undefined) t.match(ran.err, new RegExp(expected.message), expected.name);
}

for (const name of readdirSync(FILES)
  .filter((entry) => entry.endsWith('.json'))
  .sort()) {
  const file = readStandInFile(join(FILES, name));
  void test(
    `${file.preset} with a stand-in`,
    { jobs: AT_ONCE, buffered: true, timeout: TIMEOUT_MS },
    async (t) => {
      const root = t.testdir(
        Object.fromEntries(['run', ...file.cases.keys()].map((key) => [String(key), {}])),
      );
      const checks = [
        async () => checkSuccess(t, file, await run(join(root, 'run'), file, null)),
        ...file.cases.map(
          (special, index) => async () =>
            checkCase(t, special, await run(join(root, String(index)), file, special)),
        ),
      ];
      const lane = async (): Promise<void> => {
        for (let check = checks.shift(); check !== undefined; check = checks.shift()) await check();
      };
      await Promise.all(Array.from({ length: AT_ONCE }, lane));
    },
  );
}
