/**
 * Question: what does OpenJD cost compared with the bare parse of the same text, and how much processor time does a
 * command take? Measures reading (bounded, with positions), checking, creating the job, and expanding it to all its
 * tasks: of real templates, of a thousand steps, of 100,000 and of a million tasks. Then `openjd check` of a template
 * and `jobs list` on a real service, each as a process. Yardsticks, in the same run: `parse` of the package yaml, and
 * the start of Node.
 *
 *   npm run bench -- openjd [--milliseconds 1500] [--runs 20] [--reference COMMAND] [--json]
 *
 * `--reference 'openjd check'` measures another implementation in turns: the command gets the file of each template.
 * The real templates are next to the repository, or in CALLSHEET_SHARED; without them the example is measured.
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { parse } from 'yaml';
import { readDocument } from '../src/adapters/yaml/read-document.ts';
import { packageRoot } from '../src/adapters/system/package-root.ts';
import { EXPRESSIONS } from '../src/adapters/regex/default-expressions.ts';
import { checkTemplate } from '../src/openjd/template/check-template.ts';
import type { DocumentNode } from '../src/openjd/primitives/document.ts';
import { prepareJob } from '../src/openjd/template/expand/prepare-job.ts';
import { openSpace, type Space } from '../src/openjd/template/space/open-space.ts';
import { commandTimes, type TimedCommand } from './kit/command-time.ts';
import { EXAMPLE, manySteps, manyTasks, templateTexts } from './kit/openjd-inputs.ts';
import { saveResult, median } from './kit/results.ts';
import { startBenchService } from './kit/service.ts';

const { values } = parseArgs({
  options: {
    milliseconds: { type: 'string', default: '1500' },
    runs: { type: 'string', default: '20' },
    reference: { type: 'string' },
    json: { type: 'boolean', default: false },
  },
});
const budgetMs = Number(values.milliseconds);
const NO_VALUES: ReadonlyMap<string, string> = new Map();
const OPTIONS = { expressions: EXPRESSIONS };
const POINTS = 1_000_000;
const FEW_TASKS = manyTasks('1-100000');
const MANY_TASKS = manyTasks('1-1000000');

const inputs: readonly (readonly [name: string, texts: readonly string[]])[] = [
  ['real templates', templateTexts().filter(makesJob)],
  ['1,000 steps', [manySteps(1000)]],
  ['100,000 tasks', [FEW_TASKS]],
  ['1,000,000 tasks', [MANY_TASKS]],
];

const rows = inputs.map(([name, texts]) => {
  const documents = texts.map(documentOf);
  const [parsing = 0, reading = 0, checking = 0, creating = 0, expanding = 0] = times([
    (): unknown => texts.map((text): unknown => parse(text)),
    (): unknown => texts.map(documentOf),
    (): unknown => documents.map((document) => checkTemplate(document, OPTIONS)),
    (): unknown => documents.map((document) => prepareJob(document, NO_VALUES, OPTIONS)),
    (): unknown => documents.map(expand),
  ]);
  return {
    name,
    templates: texts.length,
    bytes: texts.reduce((sum, text) => sum + text.length, 0),
    tasks: documents.reduce((sum, document) => sum + expand(document), 0),
    parse_ms: rounded(parsing),
    read_ms: rounded(reading),
    check_ms: rounded(checking),
    create_ms: rounded(creating),
    expand_ms: rounded(expanding),
    read_to_parse: rounded(reading / parsing),
    check_to_parse: rounded(checking / parsing),
    create_to_parse: rounded(creating / parsing),
  };
});
const points = {
  one_parameter: pointsPerSecond(spaceOf(MANY_TASKS)),
  three_parameters: pointsPerSecond(spaceOf(manyTasks('1-1000', '1-100', '1-10'))),
};
const commands = await commandFigures();
const figures = { templates: rows, points_per_second: points, commands };
saveResult('openjd', figures);
if (values.json) process.stdout.write(`${JSON.stringify(figures)}\n`);
else {
  for (const row of rows) {
    process.stdout.write(
      `${row.name} (${row.templates} templates, ${row.bytes} bytes, ${row.tasks} tasks): parse ${row.parse_ms} ms; read ${row.read_ms} ms (${row.read_to_parse} of parse), check ${row.check_ms} ms (${row.check_to_parse}), create ${row.create_ms} ms (${row.create_to_parse}), expand ${row.expand_ms} ms\n`,
    );
  }
  process.stdout.write(
    `points a second: ${points.one_parameter} of one parameter, ${points.three_parameters} of three\n`,
  );
  for (const { name, seconds, to_node } of commands)
    process.stdout.write(`${name}: ${seconds} s of processor time, ${to_node} of the start of Node\n`);
}

/** Measures the processor time of whole commands, in turns. */
async function commandFigures(): Promise<
  readonly { readonly name: string; readonly seconds: number; readonly to_node: number }[]
> {
  const folder = mkdtempSync(join(tmpdir(), 'callsheet-bench-'));
  const service = await startBenchService();
  try {
    const callsheet = [process.execPath, fileURLToPath(new URL('bin/callsheet.js', packageRoot))];
    const files = [
      ['the example', EXAMPLE],
      ['100,000 tasks', fileOf(folder, 'few.yaml', FEW_TASKS)],
      ['1,000,000 tasks', fileOf(folder, 'many.yaml', MANY_TASKS)],
    ] as const;
    const reference = values.reference?.split(' ');
    const timed: TimedCommand[] = [
      { name: 'node', words: [process.execPath, '-e', '0'] },
      { name: 'jobs list', words: [...callsheet, 'jobs', 'list'] },
      ...files.map(([name, file]) => ({
        name: `openjd check, ${name}`,
        words: [...callsheet, 'openjd', 'check', file],
      })),
      ...files.flatMap(([name, file]) =>
        reference === undefined
          ? []
          : { name: `${reference.join(' ')}, ${name}`, words: [...reference, file] },
      ),
    ];
    const taken = await commandTimes(timed, Number(values.runs), { SVC_URL: service.url });
    const node = taken.get('node') ?? 0;
    return [...taken].map(([name, seconds]) => ({
      name,
      seconds: rounded(seconds),
      to_node: rounded(seconds / node),
    }));
  } finally {
    await service.stop();
    rmSync(folder, { recursive: true });
  }
}

function fileOf(folder: string, name: string, text: string): string {
  const file = join(folder, name);
  writeFileSync(file, text);
  return file;
}

/** Returns the median time of each action in milliseconds. The actions take turns. */
function times(actions: readonly (() => unknown)[]): number[] {
  const taken = actions.map((): number[] => []);
  const until = performance.now() + budgetMs;
  while (performance.now() < until || (taken[0]?.length ?? 0) < 5) {
    for (const [index, action] of actions.entries()) {
      const startedAt = performance.now();
      action();
      taken[index]?.push(performance.now() - startedAt);
    }
  }
  return taken.map(median);
}

/** Creates the job of a template and computes the values of all its tasks. Returns the number of tasks. */
function expand(document: DocumentNode): number {
  const made = prepareJob(document, NO_VALUES, OPTIONS);
  if (!made.ok) throw new Error('the template makes no job');
  let tasks = 0;
  for (const step of made.job.plan.steps) {
    const space = openSpace(step.space);
    for (let index = 0; index < space.length; index++) {
      space.at(index);
      tasks++;
    }
  }
  return tasks;
}

/** Computes points all over the space, in a mixed order. */
function pointsPerSecond(space: Space): number {
  const rates: number[] = [];
  const stride = 999_983;
  let characters = 0;
  const until = performance.now() + budgetMs;
  while (performance.now() < until || rates.length < 3) {
    const startedAt = performance.now();
    for (let count = 0, index = 0; count < POINTS; count++, index = (index + stride) % space.length) {
      characters += space.at(index)['P0']?.length ?? 0;
    }
    rates.push(POINTS / ((performance.now() - startedAt) / 1000));
  }
  if (characters === 0) throw new Error('the points have no values');
  return Math.round(median(rates));
}

function spaceOf(text: string): Space {
  const made = prepareJob(documentOf(text), NO_VALUES, OPTIONS);
  const step = made.ok ? made.job.plan.steps[0] : undefined;
  if (step === undefined) throw new Error('the template makes no job');
  return openSpace(step.space);
}

function documentOf(text: string): DocumentNode {
  const read = readDocument(text, 'yaml');
  if (!read.ok) throw new Error(read.errors[0]?.detail);
  return read.document;
}

/** Reports whether a template can be read and makes a job without values. */
function makesJob(text: string): boolean {
  const read = readDocument(text, 'yaml');
  return read.ok && prepareJob(read.document, NO_VALUES, OPTIONS).ok;
}

function rounded(value: number): number {
  return Math.round(value * 1000) / 1000;
}
