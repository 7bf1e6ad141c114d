import type { Located } from '../located.ts';
import type { TemplateLimits } from '../template-limits.ts';
import { shown } from '../text-rules.ts';
import type { ObjectKeys, ObjectReader } from './object-reader.ts';
import type { FileFilterShape, ParameterShape, UserInterfaceShape } from './template-shape.ts';
import type { BaseType } from '../plan.ts';

const BASE_TYPES: readonly BaseType[] = ['STRING', 'PATH', 'INT', 'FLOAT'];

/** Types that exist with the extension EXPR only (specification, sections 2.9 to 2.16). */
const EXPR_TYPES: readonly string[] = [
  'BOOL',
  'RANGE_EXPR',
  'LIST[STRING]',
  'LIST[PATH]',
  'LIST[INT]',
  'LIST[FLOAT]',
  'LIST[BOOL]',
  'LIST[LIST[INT]]',
];

const COMMON: ObjectKeys = {
  name: 'required',
  type: 'required',
  description: 'optional',
  default: 'optional',
  allowedValues: 'optional',
  userInterface: 'optional',
};

const LENGTHS: ObjectKeys = { minLength: 'optional', maxLength: 'optional' };
const VALUES: ObjectKeys = { minValue: 'optional', maxValue: 'optional' };

const KEYS: Readonly<Record<BaseType, ObjectKeys>> = {
  STRING: { ...COMMON, ...LENGTHS },
  PATH: { ...COMMON, ...LENGTHS, objectType: 'optional', dataFlow: 'optional' },
  INT: { ...COMMON, ...VALUES },
  FLOAT: { ...COMMON, ...VALUES },
};

const INTERFACE: ObjectKeys = { control: 'optional', label: 'optional', groupLabel: 'optional' };

const INTERFACE_KEYS: Readonly<Record<BaseType, ObjectKeys>> = {
  STRING: INTERFACE,
  PATH: { ...INTERFACE, fileFilters: 'optional', fileFilterDefault: 'optional' },
  INT: { ...INTERFACE, singleStepDelta: 'optional' },
  FLOAT: { ...INTERFACE, decimals: 'optional', singleStepDelta: 'optional' },
};

const CONTROLS: Readonly<Record<BaseType, readonly string[]>> = {
  STRING: ['LINE_EDIT', 'MULTILINE_EDIT', 'DROPDOWN_LIST', 'CHECK_BOX', 'HIDDEN'],
  PATH: ['CHOOSE_INPUT_FILE', 'CHOOSE_OUTPUT_FILE', 'CHOOSE_DIRECTORY', 'DROPDOWN_LIST', 'HIDDEN'],
  INT: ['SPIN_BOX', 'DROPDOWN_LIST', 'HIDDEN'],
  FLOAT: ['SPIN_BOX', 'DROPDOWN_LIST', 'HIDDEN'],
};

/** Specification, sections 2.1 to 2.4. The keys depend on the type: of an unreadable type only the name is read. */
export function readParameter(
  reader: ObjectReader,
  at: Located,
  limits: TemplateLimits,
): ParameterShape | undefined {
  const type = peekType(at);
  if (type === null) {
    const name = memberText(at, 'name');
    refuseType(reader, at);
    return { ...NOTHING, at, name };
  }
  const fields = reader.object(at, type === undefined ? COMMON : KEYS[type]);
  if (fields === undefined) return undefined;
  const allowed = fields.get('allowedValues');
  const items = reader.list(allowed, Number.MAX_SAFE_INTEGER);
  return {
    at,
    name: reader.text(fields.get('name')),
    type,
    description: reader.text(fields.get('description')),
    default: fields.get('default'),
    allowedValues: allowed !== undefined && items !== undefined ? { at: allowed, items } : undefined,
    minLength: fields.get('minLength'),
    maxLength: fields.get('maxLength'),
    minValue: fields.get('minValue'),
    maxValue: fields.get('maxValue'),
    objectType: reader.word(fields.get('objectType'), ['FILE', 'DIRECTORY']),
    dataFlow: reader.word(fields.get('dataFlow'), ['NONE', 'IN', 'OUT', 'INOUT']),
    userInterface:
      type === undefined ? undefined : readInterface(reader, fields.get('userInterface'), type, limits),
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
  objectType: undefined,
  dataFlow: undefined,
  userInterface: undefined,
} as const;

/** The type of a definition; undefined when there is none, null when it is not a type of the base specification. */
function peekType(at: Located): BaseType | undefined | null {
  if (at.node.kind !== 'mapping') return undefined;
  const value = at.node.entries.find(({ key }) => key === 'type')?.value;
  if (value === undefined || value.kind === 'null') return undefined;
  if (value.kind !== 'string') return null;
  return BASE_TYPES.find((type) => type === value.value) ?? null;
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
  const upper = text.value.toUpperCase();
  const withExpr = EXPR_TYPES.includes(upper) || BASE_TYPES.some((type) => type === upper);
  reader.refuse(
    typeAt,
    withExpr
      ? `${shown(text.value)} requires the extension EXPR`
      : `must be one of ${BASE_TYPES.join(', ')}, not ${shown(text.value)}`,
  );
}

function readInterface(
  reader: ObjectReader,
  at: Located | undefined,
  type: BaseType,
  limits: TemplateLimits,
): UserInterfaceShape | undefined {
  const fields = reader.object(at, INTERFACE_KEYS[type]);
  if (at === undefined || fields === undefined) return undefined;
  const filtersAt = fields.get('fileFilters');
  const filters = reader.list(filtersAt, limits.maxFileFilters);
  return {
    at,
    control: reader.word(fields.get('control'), CONTROLS[type]),
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
  const fields = reader.object(at, { label: 'required', patterns: 'required' });
  if (at === undefined || fields === undefined) return undefined;
  return {
    at,
    label: reader.text(fields.get('label')),
    patterns: reader.texts(fields.get('patterns'), limits.maxFileFilters) ?? [],
  };
}
