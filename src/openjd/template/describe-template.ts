import type { DocumentNode } from '../primitives/document.ts';
import { decimalOf } from '../primitives/numbers.ts';
import type { CheckedTemplate } from './check-template.ts';
import type { ParameterRules } from './parameter-rules.ts';
import { rowOf } from './parameter-types.ts';
import { readJson } from './read-json.ts';
import { USAGE_POOL_PREFIX } from './capabilities.ts';
import type { Located } from './located.ts';
import type { FileFilterShape } from './shape/template-shape.ts';
import { controlOf } from './validate/04-user-interface.ts';
import type { CheckedParameter } from './validate/04-parameters.ts';

/** A value in JSON: a number for INT and FLOAT, a boolean for BOOL, an array for a list, text for the others. */
export type DescribedValue = string | number | boolean | readonly DescribedValue[];

/** Constraints of a job parameter, or of the elements of a list; null where there is none. */
export interface DescribedConstraints {
  readonly allowed_values: readonly DescribedValue[] | null;
  /** Text if it is an integer beyond the safe range of a number. */
  readonly min_value: number | string | null;
  readonly max_value: number | string | null;
  readonly min_length: number | null;
  readonly max_length: number | null;
  readonly item: DescribedConstraints | null;
}

interface DescribedFilter {
  readonly label: string;
  readonly patterns: readonly string[];
}

/** Everything that a form needs to know about a job parameter (docs/contract/products.md#parameters). */
export interface DescribedParameter extends DescribedConstraints {
  readonly name: string;
  readonly type: string;
  readonly description: string | null;
  readonly default: DescribedValue | null;
  readonly required: boolean;
  readonly object_type: string | null;
  readonly data_flow: string | null;
  readonly user_interface: {
    readonly control: string;
    readonly label: string | null;
    readonly group_label: string | null;
    readonly decimals: number | null;
    readonly single_step_delta: number | null;
  };
  readonly file_filters: readonly DescribedFilter[] | null;
  readonly file_filter_default: DescribedFilter | null;
}

/** Facts that users of a template need before its submission. */
export interface TemplateDescription {
  /** In the order of the template. */
  readonly parameters: readonly DescribedParameter[];
  /** Names of the usage pools that steps take slots of, in lower case, sorted. */
  readonly usagePools: readonly string[];
  /** Tags that a worker must report as true for some step, in lower case, sorted. */
  readonly tags: readonly string[];
}

const TAG_PREFIX = 'attr.worker.tag.';

/** Describes a template without errors. */
export function describeTemplate({ shape, parameters }: CheckedTemplate): TemplateDescription {
  const requirements = shape.steps.flatMap((step) => step.hostRequirements ?? []);
  const amounts = requirements.flatMap((each) => each.amounts.flatMap(({ name }) => name?.value ?? []));
  const tags = requirements
    .flatMap((each) => each.attributes)
    .filter(({ anyOf, allOf }) => [...(anyOf ?? []), ...(allOf ?? [])].some(({ value }) => value === 'true'))
    .flatMap(({ name }) => name?.value ?? []);
  return {
    parameters: parameters.map(describeParameter),
    usagePools: namesBelow(USAGE_POOL_PREFIX, amounts),
    tags: namesBelow(TAG_PREFIX, tags),
  };
}

const namesBelow = (prefix: string, names: readonly string[]): readonly string[] => {
  const lowered = names
    .map((name) => name.toLowerCase())
    // A format string in a name has no value before the job is created.
    .filter((name) => name.startsWith(prefix) && !name.includes('{{'));
  return [...new Set(lowered.map((name) => name.slice(prefix.length)))].sort();
};

/** Describes a job parameter. */
export function describeParameter(parameter: CheckedParameter): DescribedParameter {
  const { shape, rules } = parameter;
  const ui = shape.userInterface;
  return {
    name: shape.name?.value ?? '',
    type: rules.type,
    description: shape.description?.value ?? null,
    default: parameter.default === null ? null : valueOf(rules, parameter.default),
    required: parameter.default === null,
    ...constraintsOf(rules),
    object_type: shape.objectType?.value ?? null,
    data_flow: shape.dataFlow?.value ?? null,
    user_interface: {
      control: controlOf(shape, rowOf(rules.type)),
      label: ui?.label?.value ?? null,
      group_label: ui?.groupLabel?.value ?? null,
      decimals: numberAt(ui?.decimals),
      single_step_delta: numberAt(ui?.singleStepDelta),
    },
    file_filters: ui?.fileFilters?.items.map(filterOf) ?? null,
    file_filter_default: ui?.fileFilterDefault === undefined ? null : filterOf(ui.fileFilterDefault),
  };
}

const constraintsOf = (rules: ParameterRules): DescribedConstraints => ({
  allowed_values: rules.allowed?.map((text) => valueOf(rules, text)) ?? null,
  min_value: boundOf(rules.minValue?.value),
  max_value: boundOf(rules.maxValue?.value),
  min_length: rules.minLength,
  max_length: rules.maxLength,
  item: rules.item === null ? null : constraintsOf(rules.item),
});

function boundOf(value: bigint | number | undefined): number | string | null {
  if (value === undefined) return null;
  return typeof value === 'bigint' ? safeNumber(`${value}`) : value;
}

/** Returns a canonical text as a value in JSON. */
function valueOf({ type, item }: ParameterRules, text: string): DescribedValue {
  if (type === 'BOOL') return text === 'true';
  if (type === 'INT') return safeNumber(text);
  if (type === 'FLOAT') return Number(text);
  if (item === null) return text;
  // The canonical text of a list is JSON.
  const read = readJson(text);
  return read.ok ? nodeValue(read.document) : text;
}

function nodeValue(node: DocumentNode): DescribedValue {
  switch (node.kind) {
    case 'sequence':
      return node.items.map(nodeValue);
    case 'integer':
      return safeNumber(node.text);
    case 'float':
      return Number(node.text);
    case 'string':
    case 'boolean':
      return node.value;
    case 'mapping':
    case 'null':
      return '';
  }
}

function safeNumber(text: string): number | string {
  const value = Number(text);
  return Number.isSafeInteger(value) ? value : text;
}

function numberAt(at: Located | undefined): number | null {
  if (at === undefined) return null;
  const decimal = decimalOf(at.node);
  return typeof decimal === 'string' ? null : decimal.value;
}

const filterOf = ({ label, patterns }: FileFilterShape): DescribedFilter => ({
  label: label?.value ?? '',
  patterns: patterns.map(({ value }) => value),
});
