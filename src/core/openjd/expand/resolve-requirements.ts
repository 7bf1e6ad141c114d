import { attributeValueWrong, COMPUTE_LOCATION, USAGE_POOL_PREFIX, VCPU } from '../capabilities.ts';
import { displayOf } from '../../expr/values/display.ts';
import { ATTRIBUTE_VALUE, listedValues } from '../language/field-types.ts';
import type { Findings } from '../findings.ts';
import type { Text } from '../located.ts';
import { decimalOf } from '../numbers.ts';
import type { AmountRequirement, AttributeRequirement, StepRequirements } from '../plan.ts';
import type { AmountShape, AttributeShape, HostRequirementsShape } from '../shape/template-shape.ts';
import type { TemplateLimits } from '../template-limits.ts';
import type { CreationValues } from './creation-values.ts';

/** Cores of a step that names the amount and gives no minimum (interface.md, rule 4). */
const DEFAULT_CORES = 1;

/** Resolves host requirements (section 3.3; interface.md, rule 4). Reports attribute values that resolve to something invalid. */
export function resolveRequirements(
  findings: Findings,
  creation: CreationValues,
  shape: HostRequirementsShape | undefined,
  limits: TemplateLimits,
): StepRequirements {
  const amounts = (shape?.amounts ?? []).map(amountOf);
  const attributes = (shape?.attributes ?? []).map((attribute) =>
    attributeOf(findings, creation, attribute, limits),
  );
  const cores = amounts.find(({ name }) => name === VCPU);
  const location = attributes.find(({ name }) => name === COMPUTE_LOCATION);
  const promoted = location === undefined ? null : onlyValue(location);
  return {
    cores: cores === undefined ? null : cores.min !== undefined && cores.min > 0 ? cores.min : DEFAULT_CORES,
    computeLocation: promoted ?? '',
    amounts: amounts.filter((amount) => amount !== cores && !isPool(amount)),
    pools: amounts.filter(isPool).map(({ name }) => name.slice(USAGE_POOL_PREFIX.length)),
    attributes: attributes.filter((attribute) => promoted === null || attribute !== location),
  };
}

const isPool = ({ name }: AmountRequirement): boolean => name.startsWith(USAGE_POOL_PREFIX);

/** The value of an attribute that is required to be exactly one, else null. */
function onlyValue(attribute: AttributeRequirement): string | null {
  const values = [...(attribute.anyOf ?? []), ...(attribute.allOf ?? [])];
  return values.length === 1 ? (values[0] ?? null) : null;
}

function amountOf(shape: AmountShape): AmountRequirement {
  const min = shape.min === undefined ? undefined : decimalOf(shape.min.node);
  const max = shape.max === undefined ? undefined : decimalOf(shape.max.node);
  return {
    name: (shape.name?.value ?? '').toLowerCase(),
    ...(typeof min === 'object' ? { min: min.value } : {}),
    ...(typeof max === 'object' ? { max: max.value } : {}),
  };
}

function attributeOf(
  findings: Findings,
  creation: CreationValues,
  shape: AttributeShape,
  limits: TemplateLimits,
): AttributeRequirement {
  const name = (shape.name?.value ?? '').toLowerCase();
  const valuesOf = (key: 'anyOf' | 'allOf', texts: readonly Text[]): readonly string[] => {
    const found = findings.count;
    const values = texts.flatMap((text) => resolve(text));
    // An expression can stand for any number of values.
    const wrong = listLengthWrong(values.length, limits.maxAttributeValues);
    if (findings.count === found && wrong !== null) findings.add(shape.at, `${key} ${wrong}`);
    return values;
  };
  const resolve = (text: Text): readonly string[] => {
    const value = creation.resolve(text, ATTRIBUTE_VALUE);
    if (value === undefined) return [];
    const values = listedValues(value).map((each) => displayOf(each));
    const wrong = values
      .map((each) => attributeValueWrong(name, each, limits.maxAttributeValue))
      .find((each) => each !== null);
    if (wrong === undefined || wrong === null) return values;
    findings.add(text.at, wrong);
    return [];
  };
  return {
    name,
    ...(shape.anyOf === undefined ? {} : { anyOf: valuesOf('anyOf', shape.anyOf) }),
    ...(shape.allOf === undefined ? {} : { allOf: valuesOf('allOf', shape.allOf) }),
  };
}

/** What is wrong with the length of a list that expressions made, or null (section 3.3.2). */
function listLengthWrong(length: number, max: number): string | null {
  if (length === 0) return 'resolves to an empty list';
  return length > max ? `must not have more than ${max} elements, and has ${length} when resolved` : null;
}
