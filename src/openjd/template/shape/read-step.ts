import type { Located } from '../located.ts';
import type { TemplateLimits } from '../template-limits.ts';
import { nearest, nearestWord } from '../../primitives/nearest.ts';
import { inUpperCase, quoteForMessage } from '../../primitives/text-rules.ts';
import type { ObjectReader } from './object-reader.ts';
import { readDeliveries } from './read-delivery.ts';
import { readLets } from './read-let.ts';
import { readEnvironments } from './read-script.ts';
import { readStepScript } from './read-simple-action.ts';
import type {
  AmountShape,
  AttributeShape,
  ChunksShape,
  HostRequirementsShape,
  RangeShape,
  SpaceShape,
  StepShape,
  TaskParameterShape,
} from './template-shape.ts';
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
  TASK_PARAMETER_KEYS,
  TASK_PARAMETER_TYPES,
} from './template-tables.ts';
import type { TaskParameterType } from '../plan.ts';

/** Specification, section 3. */
export function readStep(reader: ObjectReader, at: Located, limits: TemplateLimits): StepShape | undefined {
  const fields = reader.object(at, STEP_KEYS);
  if (fields === undefined) return undefined;
  return {
    at,
    name: reader.text(fields.get('name')),
    description: reader.text(fields.get('description')),
    dependencies: readDependencies(reader, fields.get('dependencies')),
    environments: readEnvironments(reader, fields.get('stepEnvironments'), limits),
    hostRequirements: readHostRequirements(reader, fields.get('hostRequirements'), limits),
    space: readSpace(reader, fields.get('parameterSpace'), limits),
    lets: readLets(reader, fields.get('let'), limits),
    ...readStepScript(reader, at, fields, limits),
    deliveries: readDeliveries(reader, fields.get('pathDelivery')),
  };
}

/** Specification, section 3.2. */
function readDependencies(reader: ObjectReader, at: Located | undefined): StepShape['dependencies'] {
  return (reader.list(at, Number.MAX_SAFE_INTEGER) ?? []).flatMap((item) => {
    if (item.node.kind === 'string') {
      const name = nearest(item.node.value, stepNames(item)) ?? item.node.value;
      reader.refuse(item, `must be a mapping, not text; write {dependsOn: ${quoteForMessage(name)}}`);
      return [];
    }
    const fields = reader.object(item, DEPENDENCY_KEYS);
    return reader.text(fields?.get('dependsOn')) ?? [];
  });
}

/** Returns the names of the steps of the template, for an element of the dependencies of one of them. */
function stepNames(dependency: Located): readonly string[] {
  const steps = dependency.parent?.parent?.parent?.node;
  if (steps?.kind !== 'sequence') return [];
  return steps.items.flatMap((step) => {
    const name = step.kind === 'mapping' ? step.entries.find(({ key }) => key === 'name')?.value : undefined;
    return name?.kind === 'string' ? [name.value] : [];
  });
}

/** Specification, section 3.3. */
function readHostRequirements(
  reader: ObjectReader,
  at: Located | undefined,
  limits: TemplateLimits,
): HostRequirementsShape | undefined {
  const fields = reader.object(at, HOST_REQUIREMENTS_KEYS);
  if (at === undefined || fields === undefined) return undefined;
  if (!fields.has('amounts') && !fields.has('attributes')) {
    reader.refuse(at, 'must have at least one of "amounts" and "attributes"');
  }
  return {
    at,
    amounts: (reader.list(fields.get('amounts'), limits.maxRequirements) ?? []).flatMap(
      (item) => readAmount(reader, item) ?? [],
    ),
    attributes: (reader.list(fields.get('attributes'), limits.maxRequirements) ?? []).flatMap(
      (item) => readAttribute(reader, item, limits) ?? [],
    ),
  };
}

function readAmount(reader: ObjectReader, at: Located): AmountShape | undefined {
  const fields = reader.object(at, AMOUNT_KEYS);
  if (fields === undefined) return undefined;
  return { at, name: reader.text(fields.get('name')), min: fields.get('min'), max: fields.get('max') };
}

function readAttribute(
  reader: ObjectReader,
  at: Located,
  limits: TemplateLimits,
): AttributeShape | undefined {
  const fields = reader.object(at, ATTRIBUTE_KEYS);
  if (fields === undefined) return undefined;
  if (!fields.has('anyOf') && !fields.has('allOf'))
    reader.refuse(at, 'must have at least one of "anyOf" and "allOf"');
  return {
    at,
    name: reader.text(fields.get('name')),
    anyOf: reader.texts(fields.get('anyOf'), limits.maxAttributeValues),
    allOf: reader.texts(fields.get('allOf'), limits.maxAttributeValues),
  };
}

/** Specification, section 3.4. */
function readSpace(
  reader: ObjectReader,
  at: Located | undefined,
  limits: TemplateLimits,
): SpaceShape | undefined {
  const fields = reader.object(at, SPACE_KEYS);
  if (at === undefined || fields === undefined) return undefined;
  const definitions = reader.list(fields.get('taskParameterDefinitions'), limits.maxTaskParameters) ?? [];
  return {
    at,
    parameters: definitions.flatMap((item) => readTaskParameter(reader, item, limits) ?? []),
    combination: reader.text(fields.get('combination')),
  };
}

function readTaskParameter(
  reader: ObjectReader,
  at: Located,
  limits: TemplateLimits,
): TaskParameterShape | undefined {
  const chunked = isChunked(reader, at);
  const fields = reader.object(
    at,
    chunked ? { ...TASK_PARAMETER_KEYS, ...CHUNKED_PARAMETER_KEYS } : TASK_PARAMETER_KEYS,
  );
  if (fields === undefined) return undefined;
  return {
    at,
    name: reader.text(fields.get('name')),
    type: readType(reader, fields.get('type')),
    range: readRange(reader, fields.get('range'), limits),
    chunks: readChunks(reader, fields.get('chunks')),
  };
}

function isChunked(reader: ObjectReader, at: Located): boolean {
  if (at.node.kind !== 'mapping') return false;
  const type = at.node.entries.find(({ key }) => key === 'type')?.value;
  if (type?.kind !== 'string') return false;
  return (reader.extensions.has('EXPR') ? inUpperCase(type.value) : type.value) === 'CHUNK[INT]';
}

function readType(reader: ObjectReader, at: Located | undefined): TaskParameterType | undefined {
  const text = reader.text(at);
  if (text === undefined) return undefined;
  const withExpr = reader.extensions.has('EXPR');
  const upper = inUpperCase(text.value);
  const near = nearestWord(text.value, TASK_PARAMETER_TYPES);
  const type = TASK_PARAMETER_TYPES.find((candidate) => candidate === (withExpr ? upper : text.value));
  if (type === 'CHUNK[INT]' && !reader.extensions.has('TASK_CHUNKING')) {
    reader.refuse(text.at, '"CHUNK[INT]" requires the extension TASK_CHUNKING');
  } else if (type === undefined) {
    reader.refuse(
      text.at,
      TASK_PARAMETER_TYPES.some((candidate) => candidate === upper)
        ? `${quoteForMessage(text.value)} requires the extension EXPR; write ${upper}`
        : `must be one of ${TASK_PARAMETER_TYPES.join(', ')}, not ${quoteForMessage(text.value)}${near === null ? '' : `; did you mean ${near}?`}`,
    );
  }
  return type;
}

function readRange(
  reader: ObjectReader,
  at: Located | undefined,
  limits: TemplateLimits,
): RangeShape | undefined {
  if (at === undefined) return undefined;
  if (at.node.kind === 'string') return { kind: 'expression', text: { value: at.node.value, at } };
  if (at.node.kind === 'integer') {
    reader.refuse(at, 'must be text or a list, not an integer; write "1-10" or [1, 2, 3]');
    return undefined;
  }
  const items = reader.list(at, limits.maxRangeValues);
  return items === undefined ? undefined : { kind: 'list', at, items };
}

/** Specification, section 3.4.1.5. */
function readChunks(reader: ObjectReader, at: Located | undefined): ChunksShape | undefined {
  const fields = reader.object(at, CHUNKS_KEYS);
  if (at === undefined || fields === undefined) return undefined;
  return {
    at,
    defaultTaskCount: fields.get('defaultTaskCount'),
    targetRuntimeSeconds: fields.get('targetRuntimeSeconds'),
    rangeConstraint: reader.word(fields.get('rangeConstraint'), RANGE_CONSTRAINTS),
  };
}
