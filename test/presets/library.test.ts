import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { test } from 'tap';
import { packageRoot } from '../../src/adapters/system/package-root.ts';
import { codeProblems } from './library/code-rules.ts';
import { formProblems } from './library/form-rules.ts';
import { memberProblems } from './library/member-rules.ts';
import { presetPaths, presetText, readPreset, type Preset } from './library/preset-files.ts';
import { jobOfPreset, pythonProblems, renderedCases } from './library/rendered-code.ts';
import { HOSTILE, HOSTILE_LINES, requiredValues, valuesWith, PLAIN } from './library/sample-values.ts';
import { workProblems } from './library/work-rules.ts';

const LEAST_PRESETS = 30;

const paths = presetPaths();
const presets = paths.flatMap((path) => {
  const read = readPreset(path, presetText(path));
  return read.ok ? [read.preset] : [];
});

/** Returns what is wrong with a preset, apart from its behavior with hostile values. */
const problemsOf = (preset: Preset): readonly string[] => [
  ...memberProblems(preset),
  ...formProblems(preset),
  ...workProblems(preset),
  ...codeProblems(preset),
  ...expansionProblems(preset),
];

function expansionProblems(preset: Preset): readonly string[] {
  return [requiredValues(preset.template), valuesWith(preset.template, PLAIN)].flatMap((values) => {
    const prepared = jobOfPreset(preset, values);
    if (!prepared.ok) return prepared.problems;
    return prepared.job.plan.steps
      .filter(({ taskCount }) => taskCount < 1)
      .map(({ name }) => `step ${name} has no tasks`);
  });
}

test('the library has at least 30 presets', (t) => {
  t.ok(paths.length >= LEAST_PRESETS, `${paths.length} presets`);
  t.end();
});

test('the guide lists every preset with its title', (t) => {
  const guide = readFileSync(fileURLToPath(new URL('docs/presets.md', packageRoot)), 'utf8').replaceAll(
    / +/g,
    ' ',
  );
  for (const { definition } of presets)
    t.ok(guide.includes(`| \`${definition.name}\` | ${definition.title} |`), definition.name);
  t.end();
});

test('each preset has all members, a complete form, limits, and no value that becomes code', (t) => {
  for (const path of paths) {
    const read = readPreset(path, presetText(path));
    t.strictSame(read.ok ? problemsOf(read.preset) : read.problems, [], path);
  }
  t.end();
});

test('hostile values reach the Python of each preset as values', (t) => {
  const rendered = presets.map((preset) => renderedCases(preset, HOSTILE));
  t.strictSame(
    rendered.flatMap(({ problems }, index) =>
      problems.map((problem) => `${presets[index]?.path ?? ''}: ${problem}`),
    ),
    [],
    'each preset makes a job of hostile texts and paths',
  );
  const cases = rendered.flatMap(({ cases: some }) => some);
  t.ok(cases.flatMap(({ pieces }) => pieces).length > presets.length, 'values are represented');
  t.strictSame(pythonProblems(cases), []);
  t.end();
});

test('texts of several lines reach the Python of each preset as values', (t) => {
  const rendered = presets.map((preset) => renderedCases(preset, HOSTILE_LINES));
  const cases = rendered.flatMap(({ cases: some }) => some);
  const accepting = rendered.filter(({ problems }) => problems.length === 0).length;
  t.ok(accepting > presets.length / 2, `${accepting} of ${presets.length} presets make a job`);
  t.strictSame(pythonProblems(cases), []);
  t.end();
});
