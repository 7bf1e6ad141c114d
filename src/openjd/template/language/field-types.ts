import {
  FLOAT,
  INT,
  listType,
  NULLTYPE,
  PATH,
  RANGE_EXPR,
  STRING,
  unionOfResolved,
  type ResolvedType,
} from '../../expr/type-system/expr-type.ts';
import type { Value } from '../../expr/values/value.ts';
import type { TaskParameterType } from '../plan.ts';

/** Types that fields accept from a single expression (specification "Expression Language", section 1.3.2). */

const optional = (type: ResolvedType): ResolvedType => unionOfResolved([type, NULLTYPE]);

/** Type of a list element: null omits it, a list is replaced by its elements. */
const listItem = (type: ResolvedType): ResolvedType => unionOfResolved([type, NULLTYPE, listType(type)]);

/** An element of `args`. */
export const ARGUMENT = listItem(STRING);
/** An element of `anyOf` and `allOf`. */
export const ATTRIBUTE_VALUE = listItem(STRING);
/** `defaultTaskCount`. */
export const COUNT = INT;
/** `targetRuntimeSeconds`: null means none. */
export const OPTIONAL_COUNT = optional(INT);
/** `mode` of a cancelation: null means no cancelation. */
export const OPTIONAL_TEXT = optional(STRING);
/** `min` and `max` of an amount: null means none. */
export const OPTIONAL_AMOUNT = optional(FLOAT);

const ELEMENTS: Readonly<Record<TaskParameterType, ResolvedType>> = {
  INT,
  'CHUNK[INT]': INT,
  FLOAT,
  STRING,
  PATH: STRING,
};

const RANGES: Readonly<Record<TaskParameterType, ResolvedType>> = {
  INT: unionOfResolved([INT, STRING, RANGE_EXPR, listType(INT)]),
  'CHUNK[INT]': unionOfResolved([INT, STRING, RANGE_EXPR, listType(INT)]),
  FLOAT: listType(FLOAT),
  STRING: listType(STRING),
  PATH: unionOfResolved([listType(PATH), listType(STRING)]),
};

/** The range of a task parameter. */
export const rangeTarget = (type: TaskParameterType): ResolvedType => RANGES[type];

/** An element of a range that is a list. */
export const rangeItemTarget = (type: TaskParameterType): ResolvedType => listItem(ELEMENTS[type]);

/** Returns the values that a list element adds to its list: none for null, the elements of a list. */
export function listedValues(value: Value): readonly Value[] {
  if (value === null) return [];
  return typeof value === 'object' && value.kind === 'list' ? value.items : [value];
}
