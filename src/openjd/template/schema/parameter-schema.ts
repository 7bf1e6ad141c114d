import { RANGE_SYNTAX } from '../../primitives/range-expression.ts';
import { fieldRules, FILE_PATTERN } from '../field-rules.ts';
import {
  FALSE_WORDS,
  rowOf,
  TRUE_WORDS,
  typeNames,
  type ConstraintKey,
  type ParameterTypeRow,
} from '../parameter-types.ts';
import type { ParameterType } from '../plan.ts';
import {
  DATA_FLOWS,
  FILE_FILTER_KEYS,
  INTERFACE_KEYS,
  OBJECT_TYPES,
  PARAMETER_KEYS,
  PATH_PARAMETER_KEYS,
} from '../shape/template-tables.ts';
import type { ObjectKeys } from '../shape/object-reader.ts';
import type { TemplateLimits } from '../template-limits.ts';
import { leastLength } from '../validate/04-parameters.ts';
import { CHOICES } from '../validate/04-user-interface.ts';
import {
  choiceOf,
  listOf,
  named,
  objectOf,
  valueOf,
  type JsonSchema,
  type SchemaNode,
} from './schema-node.ts';
import {
  anyCasePattern,
  decimalSchema,
  identifierNode,
  integerSchema,
  textSchema,
  wordsInAnyCase,
} from './value-schemas.ts';

/** Job parameters (specification, sections 2.1 to 2.16). Their keys depend on the type. */
export function parameterNode(limits: TemplateLimits): SchemaNode {
  const filter = filterNode(limits);
  // With EXPR there are more types, and their names may be written in any case.
  const type = valueOf(wordsInAnyCase(typeNames(true)), { EXPR: { enum: typeNames(false) } });
  const cases = typeNames(true).map((name) => ({
    when: { type: 'string', pattern: anyCasePattern([name]) },
    node: named(`parameter ${nameOf(name)}`, ofType(rowOf(name), type, filter, limits)),
  }));
  return named('parameter', choiceOf('type', type, cases));
}

/** `LIST[INT]` is `list-of-int`. */
const nameOf = (type: ParameterType): string =>
  type.toLowerCase().replaceAll('[', '-of-').replaceAll(']', '').replaceAll('_', '-');

function ofType(
  row: ParameterTypeRow,
  type: SchemaNode,
  filter: SchemaNode,
  limits: TemplateLimits,
): SchemaNode {
  const constraints = new Map(row.constraints.map((key) => [key, constraintNode(key, row, limits)]));
  const keys: ObjectKeys = {
    ...PARAMETER_KEYS,
    ...optionals(row.constraints),
    ...(row.isPath ? PATH_PARAMETER_KEYS : {}),
  };
  return {
    kind: 'object',
    keys,
    values: new Map<string, SchemaNode>([
      ['name', identifierNode(limits)],
      ['type', type],
      ['description', valueOf(textSchema(fieldRules(limits).description))],
      ['default', valueOf(valueSchema(row, limits))],
      ['userInterface', interfaceNode(row, filter, limits)],
      ...constraints,
      ['objectType', valueOf({ enum: OBJECT_TYPES })],
      ['dataFlow', valueOf({ enum: DATA_FLOWS })],
    ]),
    rules: choiceRules(row),
  };
}

const optionals = (keys: readonly string[]): ObjectKeys =>
  Object.fromEntries(keys.map((key) => [key, 'optional']));

function constraintNode(key: ConstraintKey, row: ParameterTypeRow, limits: TemplateLimits): SchemaNode {
  switch (key) {
    case 'allowedValues':
      return listOf(valueOf(valueSchema(row, limits)));
    case 'minLength':
    case 'maxLength':
      return valueOf({ type: 'integer', minimum: leastLength(row, key) });
    case 'minValue':
    case 'maxValue':
      return valueOf(row.element === null && row.compares === 'integer' ? integerSchema() : decimalSchema());
    case 'item':
      return row.element === null ? valueOf({}) : itemNode(rowOf(row.element), limits);
  }
}

/** Recursive: types nest at most twice. */
const itemNode = (row: ParameterTypeRow, limits: TemplateLimits): SchemaNode => ({
  kind: 'object',
  keys: optionals(row.constraints),
  values: new Map(row.constraints.map((key) => [key, constraintNode(key, row, limits)])),
  rules: {},
});

/** Returns the schema of a value of a type, as in `default`. Recursive: types nest at most twice. */
function valueSchema(row: ParameterTypeRow, limits: TemplateLimits): JsonSchema {
  if (row.element !== null) return { type: 'array', items: valueSchema(rowOf(row.element), limits) };
  if (row.type === 'BOOL') {
    const words = anyCasePattern([...TRUE_WORDS, ...FALSE_WORDS]);
    return { anyOf: [{ type: 'boolean' }, { enum: [0, 1] }, { type: 'string', pattern: words }] };
  }
  if (row.type === 'RANGE_EXPR') return { type: 'string', pattern: RANGE_SYNTAX.source };
  if (row.compares === 'integer') return integerSchema();
  if (row.compares === 'number') return decimalSchema();
  return { type: 'string', maxLength: limits.maxParameterValue };
}

function interfaceNode(row: ParameterTypeRow, filter: SchemaNode, limits: TemplateLimits): SchemaNode {
  const label = valueOf(textSchema(fieldRules(limits).label));
  const isInteger = (row.element ?? row.type) === 'INT';
  return {
    kind: 'object',
    keys: { ...INTERFACE_KEYS, ...optionals(row.settings) },
    values: new Map<string, SchemaNode>([
      ['control', valueOf({ enum: row.controls })],
      ['label', label],
      ['groupLabel', label],
      ['decimals', valueOf({ type: 'integer', minimum: 0 })],
      ['singleStepDelta', valueOf({ type: isInteger ? 'integer' : 'number', exclusiveMinimum: 0 })],
      ['fileFilters', listOf(filter, limits.maxFileFilters)],
      ['fileFilterDefault', filter],
    ]),
    rules: {},
  };
}

/** Section 2.7. */
const filterNode = (limits: TemplateLimits): SchemaNode =>
  named(
    'file filter',
    objectOf(FILE_FILTER_KEYS, {
      label: valueOf(textSchema(fieldRules(limits).label)),
      patterns: listOf(
        valueOf({ ...textSchema(fieldRules(limits).filePattern), pattern: FILE_PATTERN.source }),
        limits.maxFileFilters,
      ),
    }),
  );

/** A control that offers a choice needs allowed values, and other visible controls cannot have them. */
function choiceRules(row: ParameterTypeRow): JsonSchema {
  if (!row.constraints.includes('allowedValues')) return {};
  const control = (words: readonly string[]): JsonSchema => ({
    type: 'object',
    properties: {
      userInterface: { type: 'object', properties: { control: { enum: words } }, required: ['control'] },
    },
    required: ['userInterface'],
  });
  const hasValues = { required: ['allowedValues'], properties: { allowedValues: { type: 'array' } } };
  const others = row.controls.filter((each) => !CHOICES.includes(each) && each !== 'HIDDEN');
  return {
    allOf: [
      { if: control(CHOICES), then: hasValues },
      { if: control(others), then: { not: hasValues } },
    ],
  };
}
