import { parseRange } from '../../primitives/range-expression.ts';
import { MAX_RANGE_PARTS } from '../expr-limits.ts';
import type { FileStyle } from '../paths/parsed-path.ts';
import type { ExprType } from '../type-system/expr-type.ts';
import { pathAsGiven } from '../paths/path-value.ts';
import { boolOfText, floatOfText, intOfText } from './number-text.ts';
import { floatOf, listOfType, unresolvedOf, type Value } from './value.ts';

export type ReadValue =
  | { readonly ok: true; readonly value: Value }
  | { readonly ok: false; readonly detail: string };

/**
 * Reads a value of a type from JSON: numbers or their text; text for strings, paths and ranges; arrays for lists; null
 * for nulltype. An unresolved type needs no value. Errors: JSON that does not fit the type, types without values, and
 * ranges with more than `maxRangeParts` parts.
 */
export function readValue(
  type: ExprType,
  json: unknown,
  style: FileStyle,
  maxRangeParts: number = MAX_RANGE_PARTS,
): ReadValue {
  switch (type.kind) {
    case 'unresolved':
      return { ok: true, value: unresolvedOf(type.of) };
    case 'nulltype':
      return json === null ? { ok: true, value: null } : wrong(type, json);
    case 'bool':
      return found(
        type,
        json,
        typeof json === 'string' ? boolOfText(json) : typeof json === 'boolean' ? json : null,
      );
    case 'int':
      return readInt(type, json);
    case 'float':
      return found(type, json, readFloat(json));
    case 'string':
      return found(type, json, typeof json === 'string' ? json : null);
    case 'path':
      return found(type, json, typeof json === 'string' ? pathAsGiven(json, style) : null);
    case 'range_expr': {
      if (typeof json !== 'string') return wrong(type, json);
      const range = parseRange(json, maxRangeParts);
      return range.ok ? { ok: true, value: { kind: 'range', runs: range.runs } } : range;
    }
    case 'list': {
      if (!Array.isArray(json)) return wrong(type, json);
      const items: Value[] = [];
      for (const each of json) {
        const item = readValue(type.element, each, style, maxRangeParts);
        if (!item.ok) return item;
        items.push(item.value);
      }
      return { ok: true, value: listOfType(type, items) };
    }
    default:
      return { ok: false, detail: `no value has the type ${type.text}` };
  }
}

function readInt(type: ExprType, json: unknown): ReadValue {
  if (typeof json === 'number') return found(type, json, Number.isSafeInteger(json) ? json : null);
  const int = typeof json === 'string' ? intOfText(json) : null;
  return found(type, json, int === 'range' ? null : int);
}

function readFloat(json: unknown): Value {
  if (typeof json === 'number') return floatOf(json);
  return typeof json === 'string' ? floatOfText(json) : null;
}

const found = (type: ExprType, json: unknown, value: Value): ReadValue =>
  value === null ? wrong(type, json) : { ok: true, value };

const wrong = (type: ExprType, json: unknown): ReadValue => ({
  ok: false,
  detail: `${JSON.stringify(json) ?? 'nothing'} is not a value of type ${type.text}`,
});
