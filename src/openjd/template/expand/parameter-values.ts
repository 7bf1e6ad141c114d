import type { Findings } from '../findings.ts';
import type { Located } from '../located.ts';
import { suggestion } from '../../primitives/nearest.ts';
import { checkValue, submittedNode } from '../parameter-rules.ts';
import { rowOf } from '../parameter-types.ts';
import { replacePaths } from '../path-values.ts';
import type { CheckedTemplate } from '../check-template.ts';
import type { LocalPath } from '../language/options.ts';
import type { ParameterValue } from '../plan.ts';
import type { TemplateLimits } from '../template-limits.ts';
import { quoteForMessage } from '../../primitives/text-rules.ts';
import type { CheckedParameter } from '../validate/04-parameters.ts';

/** Maximum number of unknown names that are reported individually. */
const MAX_UNKNOWN = 100;

/**
 * Returns the values of the job parameters, from submitted texts and defaults, in the order of their definition.
 *
 * Reports at the definition: missing required values, texts that are not valid for the type, and violated constraints.
 * Reports at the list of definitions: undeclared names.
 */
export function parameterValues(
  findings: Findings,
  { shape, parameters }: CheckedTemplate,
  submitted: ReadonlyMap<string, string>,
  { limits, localPath }: { readonly limits: TemplateLimits; readonly localPath: LocalPath | undefined },
): Map<string, ParameterValue> {
  const values = new Map<string, ParameterValue>();
  for (const parameter of parameters) {
    const name = parameter.shape.name?.value ?? '';
    const given = submitted.get(name);
    const text = given === undefined ? parameter.default : accepted(findings, parameter, name, given, limits);
    if (text !== null) {
      const value = { type: parameter.rules.type, value: text, ...flowOf(parameter) };
      const source = given === undefined ? 'default' : 'submitted';
      values.set(
        name,
        withLocalPaths(findings, parameter, value, (path) => localPath?.(path, source)),
      );
    } else if (given === undefined) {
      findings.add(
        parameter.shape.at,
        `the parameter ${quoteForMessage(name)} has no default and needs a value`,
      );
    }
  }
  reportUnknown(findings, shape.at, parameters, submitted);
  return values;
}

/** Returns the value with its paths as this machine finds them. Reports those that cannot be used. */
function withLocalPaths(
  findings: Findings,
  { shape }: CheckedParameter,
  value: ParameterValue,
  localPath: (path: string) => ReturnType<LocalPath> | undefined,
): ParameterValue {
  const text = replacePaths(shape.name?.value ?? '', value, ({ name, path }) => {
    const local = localPath(path);
    if (local === undefined) return path;
    if (local.ok) return local.path;
    findings.add(shape.at, `the path of ${quoteForMessage(name)} ${local.detail}`);
    return path;
  });
  return { ...value, value: text };
}

/** Returns the data flow of a path parameter, if it has one. */
function flowOf({ rules, shape }: CheckedParameter): Pick<ParameterValue, 'dataFlow' | 'objectType'> {
  const dataFlow = shape.dataFlow?.value;
  if (!rowOf(rules.type).isPath || dataFlow === undefined || dataFlow === 'NONE') return {};
  return { dataFlow, objectType: shape.objectType?.value ?? 'DIRECTORY' };
}

/** Returns the canonical form of a submitted value; null if it was reported. */
function accepted(
  findings: Findings,
  { rules, shape }: CheckedParameter,
  name: string,
  given: string,
  limits: TemplateLimits,
): string | null {
  const submitted = submittedNode(rules.type, given);
  if (!submitted.ok) {
    findings.add(shape.at, `the value of ${quoteForMessage(name)}: ${submitted.detail}`);
    return null;
  }
  const checked = checkValue(rules, submitted.node, limits);
  if (checked.ok) return checked.text;
  for (const { path, detail } of checked.problems) {
    const element = path.map((index) => `[${index}]`).join('');
    findings.add(
      shape.at,
      `the value of ${quoteForMessage(name)}${element === '' ? '' : ` at ${element}`}: ${detail}`,
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
  parameters: readonly CheckedParameter[],
  submitted: ReadonlyMap<string, string>,
): void {
  const names = new Set(parameters.map((parameter) => parameter.shape.name?.value ?? ''));
  const definitions = definitionsOf(template);
  let reported = 0;
  for (const name of submitted.keys()) {
    if (names.has(name) || ++reported > MAX_UNKNOWN) continue;
    findings.add(definitions, `there is no parameter ${quoteForMessage(name)}${suggestion(name, names)}`);
  }
}
