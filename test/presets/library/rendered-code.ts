import { spawnSync } from 'node:child_process';
import { scriptResolver, type HostResolver, type JobPlan, type PreparedJob } from 'callsheet/openjd';
import { openSpace } from '../../../src/openjd/template/space/open-space.ts';
import { prepareJob } from '../../../src/openjd/template/expand/prepare-job.ts';
import type { Expr } from '../../../src/openjd/expr/syntax/tree.ts';
import { formatOf, representedIn } from './code-rules.ts';
import { LANGUAGE, RENDERED_CODE, type Preset } from './preset-files.ts';
import { freeTexts, PLAIN, valuesWith, type FreeTexts } from './sample-values.ts';

/** A file with two sets of values, and the code that the second set became. */
interface RenderedCase {
  readonly file: string;
  readonly plain: string;
  readonly hostile: string;
  readonly pieces: readonly { readonly code: string; readonly value: string }[];
}

/** A file of a script and the resolver of its values. */
interface ScriptFile {
  readonly file: string;
  readonly data: string;
  readonly resolver: HostResolver;
}

type Prepared =
  | { readonly ok: true; readonly job: PreparedJob }
  | { readonly ok: false; readonly problems: readonly string[] };

/** Creates the job of a preset. Problems: errors of the values and of everything that depends on them. */
export function jobOfPreset({ document }: Preset, values: ReadonlyMap<string, string>): Prepared {
  const prepared = prepareJob(document, values, LANGUAGE);
  if (prepared.ok) return prepared;
  return { ok: false, problems: prepared.errors.map(({ pointer, detail }) => `${pointer}: ${detail}`) };
}

/**
 * Returns the files of the first task of each step and of the environments, with plain values and with the given ones.
 * Problems: the values make no job.
 */
export function renderedCases(
  preset: Preset,
  texts: FreeTexts,
): { readonly cases: readonly RenderedCase[]; readonly problems: readonly string[] } {
  const values = valuesWith(preset.template, texts);
  const [plain, hostile] = [
    jobOfPreset(preset, valuesWith(preset.template, PLAIN)),
    jobOfPreset(preset, values),
  ];
  if (!plain.ok) return { cases: [], problems: plain.problems };
  if (!hostile.ok) return { cases: [], problems: hostile.problems };
  const free = freeTexts(preset.template);
  const given = new Map([...values].filter(([name]) => free.has(name)));
  const harmless = scriptFiles(plain.job.plan);
  const cases = scriptFiles(hostile.job.plan).map(({ file, data, resolver }, index): RenderedCase => {
    const other = harmless[index];
    if (other === undefined) throw new Error(`${preset.path} has no file ${file} with plain values`);
    return {
      file: `${preset.path}: ${file}`,
      plain: textOf(other.resolver, data),
      hostile: textOf(resolver, data),
      pieces: piecesOf(data, resolver, given),
    };
  });
  return { cases, problems: [] };
}

/** Runs Python over all cases. Returns the problems of each file that has some. */
export function pythonProblems(cases: readonly RenderedCase[]): readonly string[] {
  const { status, stdout, stderr } = spawnSync('python3', [RENDERED_CODE], {
    input: JSON.stringify(cases),
    encoding: 'utf8',
    maxBuffer: 1e8,
  });
  if (status !== 0) throw new Error(`python3 ended with ${status ?? 'a signal'}: ${stderr}`);
  const results = JSON.parse(stdout) as { readonly file: string; readonly problems: readonly string[] }[];
  if (results.length !== cases.length) throw new Error('python3 did not check all files');
  return results.flatMap(({ file, problems }) => problems.map((problem) => `${file}: ${problem}`));
}

function scriptFiles({ jobName, parameters, environments, steps }: JobPlan): ScriptFile[] {
  const session = {
    workingDirectory: '/session',
    pathMappingRulesFile: '/session/rules',
    hasPathMappingRules: false,
  };
  const context = { parameters, session, mapPath: (path: string): string => path };
  const inEnvironments = [...environments, ...steps.flatMap((step) => step.environments)].flatMap(
    (environment) => {
      const resolver = scriptResolver({
        ...context,
        scope: { kind: 'environment' },
        files: placesOf(environment.embeddedFiles),
        typed: { jobName, pathStyle: 'posix' },
      }).withLets(environment.lets);
      return environment.embeddedFiles.map((file) => scriptFile(environment.name, file, resolver));
    },
  );
  const inSteps = steps.flatMap((step) => {
    const { script, name: stepName, taskParameters: definitions, lets = [] } = step;
    const resolver = scriptResolver({
      ...context,
      scope: { kind: 'task', task: { definitions, values: openSpace(step.space).at(0) } },
      files: placesOf(script.embeddedFiles),
      typed: { jobName, stepName, lets, pathStyle: 'posix' },
    }).withLets(script.lets);
    return script.embeddedFiles.map((file) => scriptFile(stepName, file, resolver));
  });
  return [...inSteps, ...inEnvironments];
}

type FilePlan = JobPlan['steps'][number]['script']['embeddedFiles'][number];

const placesOf = (files: readonly FilePlan[]): ReadonlyMap<string, string> =>
  new Map(files.map(({ name, filename }) => [name, `/session/files/${filename ?? name}`]));

const scriptFile = (
  owner: string,
  { name, filename, data }: FilePlan,
  resolver: HostResolver,
): ScriptFile => ({
  file: `${owner}/${filename ?? name}`,
  data,
  resolver,
});

/** Returns the code of each represented value, and the value as JSON: the submitted one where the code is just that. */
const piecesOf = (
  data: string,
  resolver: HostResolver,
  given: ReadonlyMap<string, string>,
): RenderedCase['pieces'] =>
  formatOf(data).parts.flatMap((part) => {
    if (part.kind === 'text') return [];
    const represented = representedIn(part.expr);
    if (represented === null) return [];
    const { value } = represented;
    const submitted = given.get(parameterIn(value) ?? '');
    return [
      {
        code: textOf(resolver, `{{${sourceOf(data, part.expr)}}}`),
        value:
          submitted === undefined
            ? textOf(resolver, `{{repr_json(${sourceOf(data, value)})}}`)
            : JSON.stringify(submitted),
      },
    ];
  });

const sourceOf = (data: string, { start, end }: Expr): string => data.slice(start, end);

/** Returns the name of the parameter if the expression is `Param.X`, `RawParam.X`, or `string` of one of them. */
function parameterIn(expr: Expr): string | null {
  if (expr.kind === 'call' && expr.name === 'string' && expr.args[0] !== undefined)
    return parameterIn(expr.args[0]);
  const isParameter =
    expr.kind === 'attribute' &&
    expr.base.kind === 'name' &&
    (expr.base.name === 'Param' || expr.base.name === 'RawParam');
  return isParameter ? expr.name : null;
}

function textOf(resolver: HostResolver, format: string): string {
  const resolved = resolver.text(format);
  if (!resolved.ok) throw new Error(`${format.slice(0, 200)}: ${resolved.detail}`);
  return resolved.text;
}
