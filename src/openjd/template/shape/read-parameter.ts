import type { Located } from '../located.ts';
import { rowOf, typeNamed, typeNames, type ParameterTypeRow } from '../parameter-types.ts';
import type { TemplateLimits } from '../template-limits.ts';
import { nearestWord } from '../../primitives/nearest.ts';
import { inUpperCase, quoteForMessage } from '../../primitives/text-rules.ts';
import type { Fields, ObjectKeys, ObjectReader } from './object-reader.ts';
import type {
  ConstraintsShape,
  FileFilterShape,
  ParameterShape,
  UserInterfaceShape,
} from './template-shape.ts';
import {
  DATA_FLOWS,
  FILE_FILTER_KEYS,
  INTERFACE_KEYS,
  OBJECT_TYPES,
  PARAMETER_KEYS,
  PATH_PARAMETER_KEYS,
} from './template-tables.ts';

/** Keys of a definition without a type, in addition to the common ones: those that most types have. */
const USUAL: ObjectKeys = { allowedValues: 'optional' };

const optionals = (keys: readonly string[]): ObjectKeys =>
  Object.fromEntries(keys.map((key) => [key, 'optional']));

/** Specification, sections 2.1 to 2.16. The keys depend on the type: with an invalid type only the name is read. */
export function readParameter(
  reader: ObjectReader,
  at: Located,
  limits: TemplateLimits,
): ParameterShape | undefined {
  const row = peekType(reader, at);
  if (row === null) {
    const name = memberText(at, 'name');
    refuseType(reader, at);
    return { ...NOTHING, at, name };
  }
  const ofType =
    row === undefined ? USUAL : { ...optionals(row.constraints), ...(row.isPath ? PATH_PARAMETER_KEYS : {}) };
  const fields = reader.object(at, { ...PARAMETER_KEYS, ...ofType });
  if (fields === undefined) return undefined;
  return {
    at,
    name: reader.text(fields.get('name')),
    type: row?.type,
    description: reader.text(fields.get('description')),
    default: fields.get('default'),
    ...readConstraints(reader, fields, row),
    objectType: reader.word(fields.get('objectType'), OBJECT_TYPES),
    dataFlow: reader.word(fields.get('dataFlow'), DATA_FLOWS),
    userInterface:
      row === undefined ? undefined : readInterface(reader, fields.get('userInterface'), row, limits),
  };
}

const NOTHING = {
  type: undefined,
  description: undefined,
  default: undefined,
  allowedValues: undefined,
  minLength: undefined,
  maxLength: undefined,
  minValue: undefined,
  maxValue: undefined,
  item: undefined,
  objectType: undefined,
  dataFlow: undefined,
  userInterface: undefined,
} as const;

/** Recursive: types nest at most twice. */
function readConstraints(
  reader: ObjectReader,
  fields: Fields,
  row: ParameterTypeRow | undefined,
): ConstraintsShape {
  const allowed = fields.get('allowedValues');
  const items = reader.list(allowed, Number.MAX_SAFE_INTEGER);
  const element = row?.element ?? null;
  return {
    allowedValues: allowed !== undefined && items !== undefined ? { at: allowed, items } : undefined,
    minLength: fields.get('minLength'),
    maxLength: fields.get('maxLength'),
    minValue: fields.get('minValue'),
    maxValue: fields.get('maxValue'),
    item: element === null ? undefined : readItem(reader, fields.get('item'), rowOf(element)),
  };
}

function readItem(
  reader: ObjectReader,
  at: Located | undefined,
  row: ParameterTypeRow,
): ConstraintsShape | undefined {
  const fields = reader.object(at, optionals(row.constraints));
  return fields === undefined ? undefined : readConstraints(reader, fields, row);
}

/**
 * Returns the type of a definition; undefined if there is none, null if it is not a type of the template's language.
 */
function peekType(reader: ObjectReader, at: Located): ParameterTypeRow | undefined | null {
  if (at.node.kind !== 'mapping') return undefined;
  const value = at.node.entries.find(({ key }) => key === 'type')?.value;
  if (value === undefined) return undefined;
  if (value.kind !== 'string') return null;
  const withExpr = reader.extensions.has('EXPR');
  const row = typeNamed(withExpr ? inUpperCase(value.value) : value.value);
  return row === undefined || (row.needsExpr && !withExpr) ? null : row;
}

function memberText(at: Located, name: string): ParameterShape['name'] {
  if (at.node.kind !== 'mapping') return undefined;
  const entry = at.node.entries.find(({ key }) => key === name);
  if (entry?.value.kind !== 'string') return undefined;
  return { value: entry.value.value, at: { node: entry.value, parent: at, key: name, keyAt: entry.keyAt } };
}

function refuseType(reader: ObjectReader, at: Located): void {
  if (at.node.kind !== 'mapping') return;
  const entry = at.node.entries.find(({ key }) => key === 'type');
  if (entry === undefined) return;
  const typeAt: Located = { node: entry.value, parent: at, key: 'type', keyAt: entry.keyAt };
  const text = reader.text(typeAt);
  if (text === undefined) return;
  const isExpr = typeNamed(inUpperCase(text.value)) !== undefined;
  const names = typeNames(reader.extensions.has('EXPR'));
  const near = nearestWord(text.value, names);
  reader.refuse(
    typeAt,
    isExpr
      ? `${quoteForMessage(text.value)} requires the extension EXPR${nameInUpperCase(text.value)}`
      : `must be one of ${names.join(', ')}, not ${quoteForMessage(text.value)}${near === null ? '' : `; did you mean ${near}?`}`,
  );
}

/** Returns how to write a type of the base specification that is not in upper case. */
function nameInUpperCase(text: string): string {
  const row = typeNamed(inUpperCase(text));
  return row === undefined || row.needsExpr ? '' : `; write ${row.type}`;
}

function readInterface(
  reader: ObjectReader,
  at: Located | undefined,
  row: ParameterTypeRow,
  limits: TemplateLimits,
): UserInterfaceShape | undefined {
  const fields = reader.object(at, { ...INTERFACE_KEYS, ...optionals(row.settings) });
  if (at === undefined || fields === undefined) return undefined;
  const filtersAt = fields.get('fileFilters');
  const filters = reader.list(filtersAt, limits.maxFileFilters);
  return {
    at,
    control: reader.word(fields.get('control'), row.controls),
    label: reader.text(fields.get('label')),
    groupLabel: reader.text(fields.get('groupLabel')),
    decimals: fields.get('decimals'),
    singleStepDelta: fields.get('singleStepDelta'),
    fileFilters:
      filtersAt !== undefined && filters !== undefined
        ? { at: filtersAt, items: filters.flatMap((item) => readFilter(reader, item, limits) ?? []) }
        : undefined,
    fileFilterDefault: readFilter(reader, fields.get('fileFilterDefault'), limits),
  };
}

/** Specification, section 2.7. */
function readFilter(
  reader: ObjectReader,
  at: Located | undefined,
  limits: TemplateLimits,
): FileFilterShape | undefined {
  const fields = reader.object(at, FILE_FILTER_KEYS);
  if (at === undefined || fields === undefined) return undefined;
  return {
    at,
    label: reader.text(fields.get('label')),
    patterns: reader.texts(fields.get('patterns'), limits.maxFileFilters) ?? [],
  };
}
