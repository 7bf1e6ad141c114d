import { lastOf, textOfRuns } from '../../primitives/integer-set.ts';
import { jsonOfFloat, textOfFloat } from './float-text.ts';
import type { ListValue, RangeValue, Value } from './value.ts';

/** Told how many UTF-16 units a text will have, each time before it grows; throws to end it. */
export type BeforeGrowth = (units: number) => void;

const unlimited: BeforeGrowth = () => undefined;

/**
 * The text of a value as `string(...)` and the interpolation of format strings write it (specification "Expression Language", sections 1.3.2 and
 * 2.2.1): decimal ints, floats as written or in Python's form, `true` and `false`, `null`, paths and ranges as they are, lists as JSON with a blank
 * after each comma and characters beyond ASCII kept. A value that is not known yet shows its type. `grow` bounds the text of a list.
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

/** The canonical text of a range; of a chunk of consecutive integers its first and its last. */
export function textOfRange({ runs, isContiguous = false }: RangeValue): string {
  const [run] = runs;
  return isContiguous && run !== undefined ? `${run.start}-${lastOf(run)}` : textOfRuns(runs);
}

/** An element of a list of lists at most: JSON, characters beyond ASCII kept. */
function jsonElement(value: Value, grow: BeforeGrowth): string {
  if (typeof value === 'string') return JSON.stringify(value);
  if (typeof value === 'object' && value !== null) {
    if (value.kind === 'float') return jsonOfFloat(value);
    if (value.kind === 'path' || value.kind === 'range') return JSON.stringify(displayOf(value));
  }
  return displayOf(value, grow);
}

/**
 * The texts of the items of a list between an opening and a closing, with a separator. `grow` is told the length before each item is added: where an
 * item is written with `grow` itself, the units that are there already are added to its own.
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
