import { quoteForMessage } from '../primitives/text-rules.ts';
import { checkValue, submittedNode, type Bound, type ParameterRules } from './parameter-rules.ts';
import type { TemplateLimits } from './template-limits.ts';
import type { CheckedParameter } from './validate/04-parameters.ts';

/** The job parameters of one template. */
export interface ParameterSource {
  /** How messages name the template: `environment "Conda"`. */
  readonly name: string;
  readonly parameters: readonly CheckedParameter[];
}

/** A job parameter, merged from its definitions in all templates of a job. */
export interface MergedParameter extends CheckedParameter {
  readonly name: string;
  /** Indexes of the sources that define it, in their order. */
  readonly definedBy: readonly number[];
  /** Index of the source of its default; null without a default. */
  readonly defaultFrom: number | null;
}

/** Definitions of one parameter that cannot be merged. */
export interface MergeConflict {
  readonly name: string;
  /** Names the templates of both definitions. */
  readonly detail: string;
}

interface Definition {
  readonly source: number;
  readonly parameter: CheckedParameter;
}

interface Outcome {
  readonly parameters: readonly MergedParameter[];
  readonly conflicts: readonly MergeConflict[];
}

/**
 * Merges the parameter definitions of the templates of a job, in their order, the job template last (specification,
 * section 1.2.1). A value is valid for a merged parameter if it is valid for each of its definitions; the last default
 * applies. Parameters of the job template come first, then the others in the order of their first definition. Those with
 * a conflict are left out.
 */
export function mergeParameters(sources: readonly ParameterSource[], limits: TemplateLimits): Outcome {
  const definitions = new Map<string, Definition[]>();
  for (const { shape } of sources.at(-1)?.parameters ?? []) definitions.set(shape.name?.value ?? '', []);
  for (const [source, { parameters }] of sources.entries()) {
    for (const parameter of parameters) {
      const name = parameter.shape.name?.value ?? '';
      const earlier = definitions.get(name);
      if (earlier === undefined) definitions.set(name, [{ source, parameter }]);
      else earlier.push({ source, parameter });
    }
  }
  const parameters: MergedParameter[] = [];
  const conflicts: MergeConflict[] = [];
  for (const [name, ofName] of definitions) {
    const merged = merge(name, ofName, (source) => sources[source]?.name ?? '', limits);
    if (typeof merged === 'string') conflicts.push({ name, detail: merged });
    else parameters.push(merged);
  }
  return { parameters, conflicts };
}

/** Returns the merged parameter, or why its definitions are in conflict. */
function merge(
  name: string,
  definitions: readonly Definition[],
  nameOf: (source: number) => string,
  limits: TemplateLimits,
): MergedParameter | string {
  const [first, ...others] = definitions;
  if (first === undefined) throw new Error('a parameter has no definition');
  const said = `the parameter ${quoteForMessage(name)}`;
  const both = (one: Definition, other: Definition, key: string, values: readonly [string, string]): string =>
    `${said} has the ${key} ${values[0]} in ${nameOf(one.source)} and ${values[1]} in ${nameOf(other.source)}`;
  let { rules } = first.parameter;
  let before = first;
  for (const next of others) {
    const { type } = next.parameter.rules;
    if (type !== rules.type) return both(first, next, 'type', [rules.type, type]);
    const narrowed = intersection(rules, next.parameter.rules, limits);
    const contradiction = contradictionIn(narrowed);
    if (contradiction !== null) {
      const where = definitions.slice(0, definitions.indexOf(next) + 1).map(({ source }) => nameOf(source));
      return `${said} has no valid value: ${contradiction}, from the definitions in ${where.join(' and ')}`;
    }
    rules = narrowed;
    before = next;
  }
  for (const key of ['objectType', 'dataFlow'] as const) {
    const given = definitions.filter(({ parameter }) => parameter.shape[key] !== undefined);
    const [one] = given;
    const other = given.find(
      ({ parameter }) => parameter.shape[key]?.value !== one?.parameter.shape[key]?.value,
    );
    if (one === undefined || other === undefined) continue;
    const values = [one, other].map(({ parameter }) => parameter.shape[key]?.value ?? '');
    return both(one, other, key, [values[0] ?? '', values[1] ?? '']);
  }
  const withDefault = definitions.findLast(({ parameter }) => parameter.default !== null);
  const value = withDefault?.parameter.default ?? null;
  const refusal = value === null ? null : valueRefusal(rules, value, limits);
  if (withDefault !== undefined && refusal !== null) {
    const other = definitions.find(
      ({ parameter }) => value !== null && valueRefusal(parameter.rules, value, limits) !== null,
    );
    const whose = other === undefined ? '' : ` of ${nameOf(other.source)}`;
    return `the default of ${said} in ${nameOf(withDefault.source)} does not fit the definition${whose}: ${refusal}`;
  }
  return {
    name,
    shape: mergedShape(definitions, before),
    rules,
    default: value,
    definedBy: definitions.map(({ source }) => source),
    defaultFrom: withDefault?.source ?? null,
  };
}

/** Returns the last definition, with the descriptive fields that it lacks from the ones before. */
function mergedShape(definitions: readonly Definition[], last: Definition): CheckedParameter['shape'] {
  const shapes = definitions.map(({ parameter }) => parameter.shape);
  return {
    ...last.parameter.shape,
    description: shapes.findLast(({ description }) => description !== undefined)?.description,
    objectType: shapes.findLast(({ objectType }) => objectType !== undefined)?.objectType,
    dataFlow: shapes.findLast(({ dataFlow }) => dataFlow !== undefined)?.dataFlow,
    allowedValues: shapes.findLast(({ allowedValues }) => allowedValues !== undefined)?.allowedValues,
    userInterface: shapes.findLast(({ userInterface }) => userInterface !== undefined)?.userInterface,
  };
}

/** Returns why the canonical text of a value violates rules, or null. */
function valueRefusal(rules: ParameterRules, text: string, limits: TemplateLimits): string | null {
  const read = submittedNode(rules.type, text);
  if (!read.ok) return read.detail;
  const checked = checkValue(rules, read.node, limits);
  return checked.ok ? null : (checked.problems[0]?.detail ?? '');
}

/** Returns the rules that hold for a value exactly if both hold. Recursive: types nest at most twice. */
function intersection(one: ParameterRules, other: ParameterRules, limits: TemplateLimits): ParameterRules {
  const rules: ParameterRules = {
    type: one.type,
    minLength: greater(one.minLength, other.minLength, Number),
    maxLength: lesser(one.maxLength, other.maxLength, Number),
    minValue: greater(one.minValue, other.minValue, valueOf),
    maxValue: lesser(one.maxValue, other.maxValue, valueOf),
    allowed: null,
    item: one.item === null || other.item === null ? null : intersection(one.item, other.item, limits),
  };
  const listed = one.allowed ?? other.allowed;
  if (listed === null) return rules;
  const holds = [rules, one, other];
  return {
    ...rules,
    allowed: listed.filter((text) => holds.every((each) => valueRefusal(each, text, limits) === null)),
  };
}

const valueOf = ({ value }: Bound): bigint | number => value;

function greater<Limit>(
  one: Limit | null,
  other: Limit | null,
  read: (limit: Limit) => bigint | number,
): Limit | null {
  if (one === null || other === null) return one ?? other;
  return read(one) >= read(other) ? one : other;
}

function lesser<Limit>(
  one: Limit | null,
  other: Limit | null,
  read: (limit: Limit) => bigint | number,
): Limit | null {
  if (one === null || other === null) return one ?? other;
  return read(one) <= read(other) ? one : other;
}

/** Returns why no value fulfills the rules, or null. Rules of elements that no element fulfills count, too. */
function contradictionIn(rules: ParameterRules): string | null {
  const { minLength, maxLength, minValue, maxValue, allowed, item } = rules;
  if (minLength !== null && maxLength !== null && minLength > maxLength)
    return `minLength ${minLength} is greater than maxLength ${maxLength}`;
  if (minValue !== null && maxValue !== null && minValue.value > maxValue.value)
    return `minValue ${minValue.text} is greater than maxValue ${maxValue.text}`;
  if (allowed?.length === 0) return 'no value is in all allowedValues and within the other constraints';
  const ofItem = item === null ? null : contradictionIn(item);
  return ofItem === null ? null : `of an element, ${ofItem}`;
}
