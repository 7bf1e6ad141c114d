import { joinGrowing, textOfRange, type BeforeGrowth } from '../values/display.ts';
import { textOfNumber } from '../values/float-text.ts';
import type { Value } from '../values/value.ts';

/** Differences between the representations of values. */
export interface Notation {
  readonly null: string;
  readonly true: string;
  readonly false: string;
  /** Formats a text in quotes. */
  readonly text: (text: string, grow: BeforeGrowth) => string;
}

/**
 * Formats a value in a notation: numbers in decimal, paths and ranges as texts, lists in brackets with a blank after
 * each comma.
 */
export function representationOf(value: Value, notation: Notation, grow: BeforeGrowth): string {
  if (value === null) return notation.null;
  if (typeof value === 'boolean') return value ? notation.true : notation.false;
  if (typeof value === 'string') return notation.text(value, grow);
  if (typeof value !== 'object') return `${value}`;
  switch (value.kind) {
    case 'float':
      return textOfNumber(value.value);
    case 'path':
      return notation.text(value.text, grow);
    case 'range':
      return notation.text(textOfRange(value), grow);
    case 'list':
      return joinGrowing(
        value,
        ['[', ', ', ']'],
        (item, growItem) => representationOf(item, notation, growItem),
        grow,
      );
    case 'unresolved':
      throw new Error('a representation of a value that is not known');
  }
}
