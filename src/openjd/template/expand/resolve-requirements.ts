import {
  attributeValueWrong,
  COMPUTE_LOCATION,
  fixedValuesOf,
  USAGE_POOL_PREFIX,
  VCPU,
} from '../capabilities.ts';
import { displayOf } from '../../expr/values/display.ts';
import { ATTRIBUTE_VALUE, listedValues } from '../language/field-types.ts';
import type { Findings } from '../findings.ts';
import type { Text } from '../located.ts';
import { decimalOf } from '../../primitives/numbers.ts';
import type { AmountRequirement, AttributeRequirement, StepRequirements } from '../plan.ts';
import type { AmountShape, AttributeShape, HostRequirementsShape } from '../shape/template-shape.ts';
import type { TemplateLimits } from '../template-limits.ts';
import type { CreationValues } from './creation-values.ts';

/** Cores of a step that requires the amount without a minimum (docs/contract/openjd.md#host-requirements). */
const DEFAULT_CORES = 1;

/**
 * Resolves host requirements (section 3.3; docs/contract/openjd.md#host-requirements). Reports attribute values that
 * resolve to invalid ones, and lists that resolve to no values or too many.
 */
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

/** Returns the single value that an attribute must have, or null. */
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
  const resolve = (text: Text): readonly string[] | undefined => {
    const value = creation.resolve(text, ATTRIBUTE_VALUE);
    if (value === undefined) return undefined;
    const values = listedValues(value).map((each) => displayOf(each));
    const wrong = values
      .map((each) => attributeValueWrong(name, each, limits.maxAttributeValue))
      .find((each) => each !== null);
    if (wrong === undefined || wrong === null) return values;
    findings.add(text.at, wrong);
    return undefined;
  };
  const resolveAll = (texts: readonly Text[], max: number, tooMany: string): readonly string[] => {
    const resolved = texts.map(resolve);
    const values = resolved.flatMap((each) => each ?? []);
    // An expression can make a list of any length.
    const at = texts[0]?.at.parent ?? shape.at;
    if (values.length > max) findings.add(at, `${tooMany}, and this resolves to ${values.length} values`);
    else if (values.length === 0 && !resolved.includes(undefined)) {
      findings.add(at, 'resolves to a list without values');
    }
    return values;
  };
  const { maxAttributeValues: max } = limits;
  const tooMany = `must not have more than ${max} elements`;
  const isSingle = fixedValuesOf(name) !== undefined;
  const single = `a host has exactly one value of ${name}`;
  return {
    name,
    ...(shape.anyOf === undefined ? {} : { anyOf: resolveAll(shape.anyOf, max, tooMany) }),
    ...(shape.allOf === undefined
      ? {}
      : { allOf: resolveAll(shape.allOf, isSingle ? 1 : max, isSingle ? single : tooMany) }),
  };
}
