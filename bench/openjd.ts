/**
 * Question: what does OpenJD cost compared with the bare parse of the same text? Measures reading (bounded, with
 * positions), checking, and creating the job of real templates, of a thousand steps and of a million tasks, and how
 * fast tasks are computed. Yardstick, in the same run: `parse` of the package yaml.
 *
 *   npm run bench -- openjd [--milliseconds 1500] [--json]
 *
 * The real templates are next to the repository, or in CALLSHEET_SHARED; without them the example is measured.
 */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { parse } from 'yaml';
import { readDocument } from '../src/adapters/yaml/read-document.ts';
import { packageRoot } from '../src/adapters/system/package-root.ts';
import { EXPRESSIONS } from '../src/adapters/regex/default-expressions.ts';
import { checkTemplate } from '../src/openjd/template/check-template.ts';
import type { DocumentNode } from '../src/openjd/primitives/document.ts';
import { prepareJob } from '../src/openjd/template/expand/prepare-job.ts';
import { openSpace, type Space } from '../src/openjd/template/space/open-space.ts';
import { saveResult, median } from './kit/results.ts';

const { values } = parseArgs({
  options: { milliseconds: { type: 'string', default: '1500' }, json: { type: 'boolean', default: false } },
});
const budgetMs = Number(values.milliseconds);
const NO_VALUES: ReadonlyMap<string, string> = new Map();
const OPTIONS = { expressions: EXPRESSIONS };
const POINTS = 1_000_000;

const inputs: readonly (readonly [name: string, texts: readonly string[]])[] = [
  ['real templates', realTemplates()],
  ['1,000 steps', [steps(1000)]],
  ['1,000,000 tasks', [tasks('1-1000000')]],
];

const rows = inputs.map(([name, texts]) => {
  const documents = texts.map(documentOf);
  const round = [
    (): unknown => texts.map((text): unknown => parse(text)),
    (): unknown => texts.map(documentOf),
    (): unknown => documents.map((document) => checkTemplate(document, OPTIONS)),
    (): unknown => documents.map((document) => prepareJob(document, NO_VALUES, OPTIONS)),
  ];
  const [parsing = 0, reading = 0, checking = 0, creating = 0] = times(round);
  return {
    name,
    bytes: texts.reduce((sum, text) => sum + text.length, 0),
    parse_ms: rounded(parsing),
    read_ms: rounded(reading),
    check_ms: rounded(checking),
    create_ms: rounded(creating),
    read_to_parse: rounded(reading / parsing),
    check_to_parse: rounded(checking / parsing),
    create_to_parse: rounded(creating / parsing),
  };
});
const points = {
  one_parameter: pointsPerSecond(spaceOf(tasks('1-1000000'))),
  three_parameters: pointsPerSecond(spaceOf(tasks('1-1000', '1-100', '1-10'))),
};
const figures = { templates: rows, points_per_second: points };
saveResult('openjd', figures);
if (values.json) process.stdout.write(`${JSON.stringify(figures)}\n`);
else {
  for (const row of rows) {
    process.stdout.write(
      `${row.name} (${row.bytes} bytes): parse ${row.parse_ms} ms; read ${row.read_ms} ms (${row.read_to_parse} of parse), check ${row.check_ms} ms (${row.check_to_parse}), create ${row.create_ms} ms (${row.create_to_parse})\n`,
    );
  }
  process.stdout.write(
    `points a second: ${points.one_parameter} of one parameter, ${points.three_parameters} of three\n`,
  );
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

/** Returns the templates that can be read, checked and made a job without values. */
function realTemplates(): readonly string[] {
  const folder = resolve(process.env['CALLSHEET_SHARED'] ?? '../shared', 'templates');
  const files = existsSync(folder)
    ? readdirSync(folder, { recursive: true, encoding: 'utf8' })
        .filter((file) => file.endsWith('.yaml'))
        .map((file) => join(folder, file))
    : [fileURLToPath(new URL('examples/fractal/template.yaml', packageRoot))];
  return files
    .map((file) => readFileSync(file, 'utf8'))
    .filter((text) => {
      const read = readDocument(text, 'yaml');
      return read.ok && prepareJob(read.document, NO_VALUES, OPTIONS).ok;
    });
}

function steps(count: number): string {
  const one = (index: number): string => `  - name: Step ${index}
    ${index === 0 ? '' : `dependencies: [{dependsOn: Step ${index - 1}}]`}
    parameterSpace:
      taskParameterDefinitions:
        - {name: Frame, type: INT, range: 1-100}
    script:
      actions:
        onRun:
          command: render
          args: ['--frame', '{{Task.Param.Frame}}', '{{Param.Scene}}', "{{Task.File.Run}}"]
      embeddedFiles:
        - name: Run
          type: TEXT
          data: |
            #!/bin/sh
            echo {{Task.Param.Frame}}
`;
  return `specificationVersion: jobtemplate-2023-09
name: Many steps
parameterDefinitions: [{name: Scene, type: PATH, default: a.blend}]
steps:
${Array.from({ length: count }, (_, index) => one(index)).join('')}`;
}

function tasks(...ranges: string[]): string {
  const definitions = ranges.map((range, index) => `{name: P${index}, type: INT, range: '${range}'}`);
  return `specificationVersion: jobtemplate-2023-09
name: Many tasks
steps:
  - name: Render
    parameterSpace: {taskParameterDefinitions: [${definitions.join(', ')}]}
    script: {actions: {onRun: {command: render, args: ['{{Task.Param.P0}}']}}}
`;
}

function rounded(value: number): number {
  return Math.round(value * 1000) / 1000;
}
