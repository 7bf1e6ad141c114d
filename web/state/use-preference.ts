import { useCallback, useMemo, useSyncExternalStore } from 'react';
import { onPreference, readPreference, writePreference } from './preferences.ts';

/**
 * Returns a preference of this browser, stored as JSON, and its setter. `read` validates the stored value and returns
 * null if it is invalid: an older version may have stored another shape.
 */
export function usePreference<Value>(
  key: string,
  fallback: Value,
  read: (kept: unknown) => Value | null,
): [Value, (value: Value | null) => void] {
  const text = useSyncExternalStore(
    useCallback((listener) => onPreference(key, listener), [key]),
    () => readPreference(key),
  );
  const value = useMemo(() => parsed(text, read) ?? fallback, [text, read, fallback]);
  const write = useCallback(
    (next: Value | null) => writePreference(key, next === null ? null : JSON.stringify(next)),
    [key],
  );
  return [value, write];
}

function parsed<Value>(text: string | null, read: (kept: unknown) => Value | null): Value | null {
  if (text === null) return null;
  try {
    return read(JSON.parse(text));
  } catch {
    return null;
  }
}

/** Validators of simple preferences. */
export const asBoolean = (kept: unknown): boolean | null => (typeof kept === 'boolean' ? kept : null);
export const asString = (kept: unknown): string | null => (typeof kept === 'string' ? kept : null);
