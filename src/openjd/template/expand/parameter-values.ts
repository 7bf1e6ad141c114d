import type { Findings } from '../findings.ts';
import type { OuterEnvironment } from '../check-environment.ts';
import type { Located } from '../located.ts';
import { mergeParameters, type MergedParameter } from '../merge-parameters.ts';
import { suggestion } from '../../primitives/nearest.ts';
import { checkValue, submittedNode } from '../parameter-rules.ts';
import { rowOf } from '../parameter-types.ts';
import { replacePaths } from '../path-values.ts';
import type { CheckedTemplate } from '../check-template.ts';
import type { LocalPath } from '../language/options.ts';
import type { ParameterValue } from '../plan.ts';
import type { TemplateLimits } from '../template-limits.ts';
import { quoteForMessage } from '../../primitives/text-rules.ts';

/** Maximum number of unknown names that are reported individually. */
const MAX_UNKNOWN = 100;

interface ValueOptions {
  readonly limits: TemplateLimits;
  readonly localPath: LocalPath | undefined;
  /** Environment templates of the job, the outermost first. */
  readonly environments: readonly OuterEnvironment[];
  /** Values of an earlier job: they apply where there is such a parameter and no submitted value. */
  readonly inherited?: ReadonlyMap<string, string> | undefined;
}

/** A merged parameter, and where and how errors name it. */
interface JobParameter extends MergedParameter {
  /** Its definition in the job template, or the list of definitions there. */
  readonly at: Located;
  /** Follows the name of the parameter; empty if the job template defines it. */
  readonly origin: string;
  readonly localPath: LocalPath | undefined;
}

/**
 * Returns the values of the job parameters, from submitted texts and defaults: those of the job template in the order of
 * their definition, then those that only environment templates define.
 *
 * Reports at the definition in the job template: definitions in conflict, missing required values, texts that are not
 * valid for the type, and violated constraints. Reports at the list of definitions: undeclared names, and parameters that
 * the job template does not define.
 */
export function parameterValues(
  findings: Findings,
  template: CheckedTemplate,
  submitted: ReadonlyMap<string, string>,
  options: ValueOptions,
): Map<string, ParameterValue> {
  const { limits, inherited } = options;
  const parameters = jobParameters(findings, template, options);
  const values = new Map<string, ParameterValue>();
  if (parameters === null) return values;
  for (const parameter of parameters) {
    const { name } = parameter;
    const given = submitted.get(name) ?? inherited?.get(name);
    const text = given === undefined ? parameter.default : accepted(findings, parameter, given, limits);
    if (text !== null) {
      const value = { type: parameter.rules.type, value: text, ...flowOf(parameter) };
      const source = given === undefined ? 'default' : 'submitted';
      values.set(
        name,
        withLocalPaths(findings, parameter, value, (path) => parameter.localPath?.(path, source)),
      );
    } else if (given === undefined) {
      findings.add(
        parameter.at,
        `the parameter ${quoteForMessage(name)}${parameter.origin} has no default and needs a value`,
      );
    }
  }
  reportUnknown(findings, template.shape.at, parameters, submitted);
  return values;
}

/** Merges the parameters of the job and of its environment templates. Returns null if there are conflicts. */
function jobParameters(
  findings: Findings,
  { shape, parameters }: CheckedTemplate,
  { environments, limits, localPath }: ValueOptions,
): readonly JobParameter[] | null {
  const own = new Map(parameters.map((parameter) => [parameter.shape.name?.value ?? '', parameter.shape.at]));
  const placeOf = (name: string): Located => own.get(name) ?? definitionsOf(shape.at);
  const sources = [
    ...environments.map(({ source, template }) => ({ name: source, parameters: template.parameters })),
    { name: 'the job template', parameters },
  ];
  const merged = mergeParameters(sources, limits);
  for (const { name, detail } of merged.conflicts) findings.add(placeOf(name), detail);
  if (merged.conflicts.length > 0) return null;
  return merged.parameters.map((parameter) => {
    const { name, definedBy, defaultFrom } = parameter;
    const names = definedBy.map((index) => sources[index]?.name ?? '');
    const outer = environments[defaultFrom ?? environments.length];
    return {
      ...parameter,
      at: placeOf(name),
      origin: own.has(name) ? '' : ` of ${names.join(' and ')}`,
      localPath: outer === undefined ? localPath : (outer.localPath ?? localPath),
    };
  });
}

/** Returns the value with its paths as this machine finds them. Reports those that cannot be used. */
function withLocalPaths(
  findings: Findings,
  { at, name, origin }: JobParameter,
  value: ParameterValue,
  localPath: (path: string) => ReturnType<LocalPath> | undefined,
): ParameterValue {
  const text = replacePaths(name, value, ({ name: part, path }) => {
    const local = localPath(path);
    if (local === undefined) return path;
    if (local.ok) return local.path;
    findings.add(at, `the path of ${quoteForMessage(part)}${origin} ${local.detail}`);
    return path;
  });
  return { ...value, value: text };
}

/** Returns the data flow of a path parameter, if it has one. */
function flowOf({ rules, shape }: JobParameter): Pick<ParameterValue, 'dataFlow' | 'objectType'> {
  const dataFlow = shape.dataFlow?.value;
  if (!rowOf(rules.type).isPath || dataFlow === undefined || dataFlow === 'NONE') return {};
  return { dataFlow, objectType: shape.objectType?.value ?? 'DIRECTORY' };
}

/** Returns the canonical form of a submitted value; null if it was reported. */
function accepted(
  findings: Findings,
  { rules, at, name, origin }: JobParameter,
  given: string,
  limits: TemplateLimits,
): string | null {
  const submitted = submittedNode(rules.type, given);
  if (!submitted.ok) {
    findings.add(at, `the value of ${quoteForMessage(name)}${origin}: ${submitted.detail}`);
    return null;
  }
  const checked = checkValue(rules, submitted.node, limits);
  if (checked.ok) return checked.text;
  for (const { path, detail } of checked.problems) {
    const element = path.map((index) => `[${index}]`).join('');
    findings.add(
      at,
      `the value of ${quoteForMessage(name)}${origin}${element === '' ? '' : ` at ${element}`}: ${detail}`,
    );
  }
  return null;
}

/** Returns the list of definitions; without one, the place where it would be. */
function definitionsOf(template: Located): Located {
  const { node } = template;
  const entry =
    node.kind === 'mapping' ? node.entries.find(({ key }) => key === 'parameterDefinitions') : undefined;
  return { node: entry?.value ?? node, parent: template, key: 'parameterDefinitions' };
}

function reportUnknown(
  findings: Findings,
  template: Located,
  parameters: readonly JobParameter[],
  submitted: ReadonlyMap<string, string>,
): void {
  const names = new Set(parameters.map(({ name }) => name));
  const definitions = definitionsOf(template);
  let reported = 0;
  for (const name of submitted.keys()) {
    if (names.has(name) || ++reported > MAX_UNKNOWN) continue;
    findings.add(definitions, `there is no parameter ${quoteForMessage(name)}${suggestion(name, names)}`);
  }
}
