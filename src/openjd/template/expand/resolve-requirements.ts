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
import type { AmountRequirement, AttributeRequirement, StepRequirements } from '../plan.ts';
import type { AttributeShape, HostRequirementsShape } from '../shape/template-shape.ts';
import type { TemplateLimits } from '../template-limits.ts';
import { checkAmountName, checkAttributeName, checkUniqueNames } from '../validate/06-host-requirements.ts';
import type { CreationValues } from './creation-values.ts';
import { resolveAmount } from './resolve-amount.ts';

/** Cores of a step that requires the amount without a minimum (docs/contract/openjd.md#host-requirements). */
const DEFAULT_CORES = 1;

/**
 * Resolves host requirements (section 3.3; docs/contract/openjd.md#host-requirements). Reports names and attribute values that
 * resolve to invalid ones, and lists that resolve to no values or too many.
 */
export function resolveRequirements(
  findings: Findings,
  creation: CreationValues,
  shape: HostRequirementsShape | undefined,
  limits: TemplateLimits,
): StepRequirements {
  const namedAmounts = resolveNames(findings, creation, shape?.amounts ?? []);
  const namedAttributes = resolveNames(findings, creation, shape?.attributes ?? []);
  for (const { requirement, name } of namedAmounts) checkAmountName(findings, requirement, name, limits);
  for (const { requirement, name } of namedAttributes)
    checkAttributeName(findings, requirement, name, limits);
  const amounts = namedAmounts.map(({ requirement, name }) =>
    resolveAmount(findings, creation, requirement, name.value.toLowerCase()),
  );
  const attributes = namedAttributes.map(({ requirement, name }) =>
    attributeOf(findings, creation, requirement, name.value.toLowerCase(), limits),
  );
  const cores = amounts.find(({ name }) => name === VCPU);
  const location = attributes.find(({ name }) => name === COMPUTE_LOCATION);
  const promoted = location === undefined ? null : onlyValue(location);
  return {
    cores: cores === undefined ? null : cores.min !== undefined && cores.min > 0 ? cores.min : DEFAULT_CORES,
    computeLocation: promoted ?? '',
    amounts: amounts.filter((amount) => amount !== cores && !isPool(amount)),
    pools: amounts.filter(isPool).map(poolNameOf),
    ...poolAmountsOf(amounts.filter(isPool)),
    attributes: attributes.filter((attribute) => promoted === null || attribute !== location),
  };
}

interface NamedRequirement<Shape> {
  readonly requirement: Shape;
  /** Its resolved name. */
  readonly name: Text;
}

/** Returns the requirements of one list with their names. Leaves out those whose name was reported. */
function resolveNames<Shape extends { readonly name: Text | undefined }>(
  findings: Findings,
  creation: CreationValues,
  requirements: readonly Shape[],
): readonly NamedRequirement<Shape>[] {
  const named = requirements.flatMap((requirement) => {
    const { name } = requirement;
    const value = name === undefined ? undefined : creation.resolveText(name);
    return name === undefined || value === undefined ? [] : [{ requirement, name: { value, at: name.at } }];
  });
  checkUniqueNames(
    findings,
    named.map(({ name }) => name),
  );
  return named;
}

const poolNameOf = ({ name }: AmountRequirement): string => name.slice(USAGE_POOL_PREFIX.length);

/** Returns the amounts of pools above 1, as whole numbers; nothing without any. */
function poolAmountsOf(pools: readonly AmountRequirement[]): Pick<StepRequirements, 'poolAmounts'> {
  const several = pools.filter(({ min = 0 }) => min > 1);
  if (several.length === 0) return {};
  return {
    poolAmounts: Object.fromEntries(several.map((pool) => [poolNameOf(pool), Math.ceil(pool.min ?? 1)])),
  };
}

const isPool = ({ name }: AmountRequirement): boolean => name.startsWith(USAGE_POOL_PREFIX);

/** Returns the single value that an attribute must have, or null. */
function onlyValue(attribute: AttributeRequirement): string | null {
  const values = [...(attribute.anyOf ?? []), ...(attribute.allOf ?? [])];
  return values.length === 1 ? (values[0] ?? null) : null;
}

function attributeOf(
  findings: Findings,
  creation: CreationValues,
  shape: AttributeShape,
  name: string,
  limits: TemplateLimits,
): AttributeRequirement {
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
