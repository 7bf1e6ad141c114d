import type { ExprType } from '../expr/type-system/expr-type.ts';
import { displayOf } from '../expr/values/display.ts';
import type { Value } from '../expr/values/value.ts';
import { parseInteger } from '../primitives/numbers.ts';
import { quoteForMessage } from '../primitives/text-rules.ts';
import { OPTIONAL_COUNT, OPTIONAL_TEXT } from './language/field-types.ts';

/** Fields of an action that are format strings with the extension FEATURE_BUNDLE_1 (specification, sections 5 and 5.3). */
export type ActionField = 'timeout' | 'mode' | 'notifyPeriod';

/** A resolved field: null if it counts as absent, or why its value is not valid. */
export type FieldValue<T> =
  | { readonly ok: true; readonly value: T | null }
  | { readonly ok: false; readonly detail: string };

/** The type that a field accepts from a single expression. */
export const fieldType = (field: ActionField): ExprType =>
  field === 'mode' ? OPTIONAL_TEXT : OPTIONAL_COUNT;

/** Returns the seconds of a resolved timeout or notify period, an integer from 1 to `max`. */
export function secondsOfValue(value: Value, max: number): FieldValue<number> {
  if (value === null) return { ok: true, value: null };
  const text = displayOf(value);
  const seconds = parseInteger(text.trim());
  const wrong =
    seconds === null
      ? 'must be an integer'
      : seconds === 'range' || seconds > BigInt(max)
        ? `must be at most ${max}`
        : seconds < 1n
          ? 'must be at least 1'
          : null;
  return wrong === null
    ? { ok: true, value: Number(seconds) }
    : { ok: false, detail: `resolves to ${quoteForMessage(text)}, and ${wrong}` };
}

export type CancelationMode = 'TERMINATE' | 'NOTIFY_THEN_TERMINATE';

/** Returns the mode of a resolved text. */
export function modeOfValue(value: Value): FieldValue<CancelationMode> {
  if (value === null) return { ok: true, value: null };
  const text = displayOf(value);
  return text === 'TERMINATE' || text === 'NOTIFY_THEN_TERMINATE'
    ? { ok: true, value: text }
    : {
        ok: false,
        detail: `resolves to ${quoteForMessage(text)}, and must be TERMINATE or NOTIFY_THEN_TERMINATE`,
      };
}

/** Maximum of a timeout in seconds. */
export const MAX_TIMEOUT_SECONDS = Number.MAX_SAFE_INTEGER;
/** Maximum of a notify period in seconds (specification, section 5.3.2). */
export const MAX_NOTIFY_SECONDS = 600;
