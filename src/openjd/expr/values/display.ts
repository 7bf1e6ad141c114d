import { lastOf, textOfRuns } from '../../primitives/integer-set.ts';
import { jsonOfFloat, textOfFloat } from './float-text.ts';
import type { ListValue, RangeValue, Value } from './value.ts';

/** Called with the new length of a text in UTF-16 units, each time before it grows; throws to stop it. */
export type BeforeGrowth = (units: number) => void;

const unlimited: BeforeGrowth = () => undefined;

/**
 * Formats a value as `string(...)` and interpolations do (specification "Expression Language", sections 1.3.2 and
 * 2.2.1): decimal ints, floats as written or in Python's form, `true` and `false`, `null`, paths and ranges as text,
 * lists as JSON with a blank after each comma and unescaped non-ASCII characters. An unknown value is shown as its
 * type. `grow` limits the text of a list.
 */
export function displayOf(value: Value, grow: BeforeGrowth = unlimited): string {
  if (typeof value !== 'object' || value === null) return `${value}`;
  switch (value.kind) {
    case 'float':
      return textOfFloat(value);
    case 'path':
      return value.text;
    case 'range':
      return textOfRange(value);
    case 'list':
      return joinGrowing(value, ['[', ', ', ']'], jsonElement, grow);
    case 'unresolved':
      return value.type.text;
  }
}

/** Returns the canonical text of a range; for a chunk of consecutive integers its first and its last. */
export function textOfRange({ runs, isContiguous = false }: RangeValue): string {
  const [run] = runs;
  return isContiguous && run !== undefined ? `${run.start}-${lastOf(run)}` : textOfRuns(runs);
}

/** Formats an element of a list: JSON with unescaped non-ASCII characters, at most a list itself. */
function jsonElement(value: Value, grow: BeforeGrowth): string {
  if (typeof value === 'string') return JSON.stringify(value);
  if (typeof value === 'object' && value !== null) {
    if (value.kind === 'float') return jsonOfFloat(value);
    if (value.kind === 'path' || value.kind === 'range') return JSON.stringify(displayOf(value));
  }
  return displayOf(value, grow);
}

/**
 * Joins the texts of the items of a list between `opening` and `closing`. Calls `grow` with the length before each item
 * is added. If an item is formatted with `grow` itself, the existing length is added to its own.
 */
export function joinGrowing(
  list: ListValue,
  [open, separator, close]: readonly [open: string, separator: string, close: string],
  write: (item: Value, grow: BeforeGrowth) => string,
  grow: BeforeGrowth,
): string {
  const pieces: string[] = [];
  let units = open.length + close.length;
  const growFurther: BeforeGrowth = (more) => {
    grow(units + more);
  };
  for (const item of list.items) {
    const piece = write(item, growFurther);
    units += piece.length + (pieces.length === 0 ? 0 : separator.length);
    grow(units);
    pieces.push(piece);
  }
  return `${open}${pieces.join(separator)}${close}`;
}
