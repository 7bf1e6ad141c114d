import { RANGE_SYNTAX } from '../../primitives/range-expression.ts';
import {
  ATTRIBUTE_VALUE,
  capabilityPattern,
  FIXED_VALUES,
  OS_VERSION,
  USAGE_POOL_PREFIX,
} from '../capabilities.ts';
import { fieldRules } from '../field-rules.ts';
import type { TaskParameterType } from '../plan.ts';
import {
  AMOUNT_KEYS,
  ATTRIBUTE_KEYS,
  CHUNKED_PARAMETER_KEYS,
  CHUNKS_KEYS,
  DEPENDENCY_KEYS,
  HOST_REQUIREMENTS_KEYS,
  RANGE_CONSTRAINTS,
  SPACE_KEYS,
  STEP_KEYS,
  STEP_SCRIPTS,
  TASK_PARAMETER_KEYS,
  TASK_PARAMETER_TYPES,
} from '../shape/template-tables.ts';
import type { TemplateLimits } from '../template-limits.ts';
import { deliveriesNode } from './delivery-schema.ts';
import {
  choiceOf,
  either,
  listOf,
  named,
  needsJustOneOf,
  needsOneOf,
  objectOf,
  valueOf,
  type JsonSchema,
  type SchemaNode,
} from './schema-node.ts';
import { environmentNode, letsNode, simpleActionNode, stepScriptNode } from './script-schema.ts';
import {
  anyCase,
  anyCasePattern,
  decimalSchema,
  FORMAT_STRING,
  formattedValue,
  identifierNode,
  integerSchema,
  limitedValue,
  resolvedText,
  textSchema,
  wordsInAnyCase,
} from './value-schemas.ts';

/** Specification, section 3. */
export function stepNode(limits: TemplateLimits): SchemaNode {
  const { description } = fieldRules(limits);
  const text = { type: 'string' } as const;
  const simple = simpleActionNode(limits);
  const keys = {
    // The name of a step takes no format string.
    name: limitedValue(limits, (each) => ({
      allOf: [textSchema(fieldRules(each).name), { not: FORMAT_STRING }],
    })),
    description: valueOf(textSchema(description)),
    dependencies: listOf(objectOf(DEPENDENCY_KEYS, { dependsOn: valueOf(text) })),
    stepEnvironments: listOf(environmentNode(limits)),
    hostRequirements: hostRequirementsNode(limits),
    parameterSpace: spaceNode(limits),
    let: letsNode(limits),
    script: stepScriptNode(limits),
    bash: simple,
    cmd: simple,
    node: simple,
    powershell: simple,
    python: simple,
    pathDelivery: deliveriesNode(limits),
  };
  return named('step', objectOf(STEP_KEYS, keys, needsJustOneOf(STEP_SCRIPTS)));
}

/** Section 3.3. */
function hostRequirementsNode(limits: TemplateLimits): SchemaNode {
  const amount = objectOf(
    AMOUNT_KEYS,
    {
      name: valueOf(capabilitySchema('amount', limits)),
      min: formattedValue(decimalSchema({ minimum: 0 })),
      max: formattedValue(decimalSchema({ exclusiveMinimum: 0 })),
    },
    {
      // A requirement of a pool is always one slot. Names that are format strings are resolved later.
      anyOf: [
        needsOneOf(['min', 'max']),
        { properties: { name: { pattern: `^${anyCase(USAGE_POOL_PREFIX)}|\\{\\{` } } },
      ],
    },
  );
  const values = listOf(valueOf({ type: 'string' }), limits.maxAttributeValues);
  const attribute = objectOf(
    ATTRIBUTE_KEYS,
    { name: valueOf(capabilitySchema('attr', limits)), anyOf: values, allOf: values },
    {
      ...needsOneOf(['anyOf', 'allOf']),
      allOf: [valueRule(limits), ...[...FIXED_VALUES].map(fixedValuesRule)],
    },
  );
  return objectOf(
    HOST_REQUIREMENTS_KEYS,
    {
      amounts: listOf(named('amount requirement', amount), limits.maxRequirements),
      attributes: listOf(named('attribute requirement', attribute), limits.maxRequirements),
    },
    needsOneOf(['amounts', 'attributes']),
  );
}

const capabilitySchema = (kind: 'amount' | 'attr', limits: TemplateLimits): JsonSchema =>
  resolvedText({
    type: 'string',
    pattern: capabilityPattern(kind, anyCase),
    maxLength: limits.maxCapabilityName,
  });

/** The syntax of a value depends on the attribute. If its name is a format string, the values are checked later. */
function valueRule({ maxAttributeValue }: TemplateLimits): JsonSchema {
  const text = { type: 'string', minLength: 1, maxLength: maxAttributeValue } as const;
  const each = (schema: JsonSchema): JsonSchema => {
    const items = { items: resolvedText(schema) };
    return { properties: { anyOf: items, allOf: items } };
  };
  return {
    if: { properties: { name: FORMAT_STRING } },
    else: {
      if: { properties: { name: { pattern: anyCasePattern([OS_VERSION]) } } },
      then: each(text),
      else: each({ ...text, pattern: ATTRIBUTE_VALUE.source }),
    },
  };
}

/** A host has exactly one value of these attributes, and only some words are possible. */
function fixedValuesRule([name, words]: readonly [string, readonly string[]]): JsonSchema {
  const items = { anyOf: [wordsInAnyCase(words), FORMAT_STRING] };
  return {
    if: { properties: { name: { type: 'string', pattern: anyCasePattern([name]) } }, required: ['name'] },
    then: { properties: { anyOf: { items }, allOf: { items, maxItems: 1 } } },
  };
}

/** Section 3.4. */
const spaceNode = (limits: TemplateLimits): SchemaNode =>
  objectOf(SPACE_KEYS, {
    taskParameterDefinitions: listOf(taskParameterNode(limits), limits.maxTaskParameters),
    combination: valueOf(textSchema(fieldRules(limits).combination)),
  });

function taskParameterNode(limits: TemplateLimits): SchemaNode {
  const isCase = TASK_PARAMETER_TYPES.filter((type) => type !== 'CHUNK[INT]');
  const type = valueOf(wordsInAnyCase(TASK_PARAMETER_TYPES), {
    EXPR: { enum: TASK_PARAMETER_TYPES },
    TASK_CHUNKING: { not: { pattern: anyCasePattern(['CHUNK[INT]']) } },
  });
  const name = identifierNode(limits);
  const cases = isCase.map((each) => ({
    when: { type: 'string', pattern: anyCasePattern([each]) },
    node: objectOf(TASK_PARAMETER_KEYS, { name, type, range: rangeNode(each, limits) }),
  }));
  const chunked = objectOf({ ...TASK_PARAMETER_KEYS, ...CHUNKED_PARAMETER_KEYS } as const, {
    name,
    type,
    range: rangeNode('CHUNK[INT]', limits),
    chunks: chunksNode(),
  });
  const isChunked = { type: 'string', pattern: anyCasePattern(['CHUNK[INT]']) } as const;
  return named('task parameter', choiceOf('type', type, [...cases, { when: isChunked, node: chunked }]));
}

/** Sections 3.4.1.1 and following: a range expression, or a list of values. */
function rangeNode(type: TaskParameterType, limits: TemplateLimits): SchemaNode {
  const isInteger = type === 'INT' || type === 'CHUNK[INT]';
  // A text of another type is checked when it is resolved.
  const text = isInteger
    ? resolvedText({ type: 'string', pattern: RANGE_SYNTAX.source })
    : { type: 'string' };
  return either(
    valueOf(text),
    listOf(valueOf(resolvedText(elementSchema(type, limits))), limits.maxRangeValues),
  );
}

function elementSchema(type: TaskParameterType, limits: TemplateLimits): JsonSchema {
  if (type === 'INT' || type === 'CHUNK[INT]') return integerSchema();
  if (type === 'FLOAT') return decimalSchema();
  const text = { type: 'string', maxLength: limits.maxTaskParameterValue } as const;
  return type === 'PATH' ? { ...text, minLength: 1 } : text;
}

/** Section 3.4.1.5. */
const chunksNode = (): SchemaNode =>
  objectOf(CHUNKS_KEYS, {
    defaultTaskCount: valueOf(resolvedText(integerSchema(1))),
    targetRuntimeSeconds: valueOf(resolvedText(integerSchema(0))),
    rangeConstraint: valueOf({ enum: RANGE_CONSTRAINTS }),
  });
