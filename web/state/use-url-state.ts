import { useCallback, useMemo } from 'react';
import { useSearchParams } from 'wouter';

/** Maps one value of a view to a query parameter of the page address. */
export interface UrlField<Value> {
  /** Parses the values of the parameter. Must return a valid value for any input. */
  read(texts: readonly string[]): Value;
  /** Returns the values of the parameter; none for the default value. */
  write(value: Value): readonly string[];
}

export type UrlSchema = Readonly<Record<string, UrlField<unknown>>>;
export type UrlValues<Schema extends UrlSchema> = {
  readonly [Name in keyof Schema]: Schema[Name] extends UrlField<infer Value> ? Value : never;
};

/** A text; the fallback is omitted from the address. */
export const textField = (fallback = ''): UrlField<string> => ({
  read: (texts) => texts[0] ?? fallback,
  write: (value) => (value === fallback ? [] : [value]),
});

/** One of several words; any other word reads as the fallback. */
export const choiceField = <Word extends string>(words: readonly Word[], fallback: Word): UrlField<Word> => ({
  read: (texts) => words.find((word) => word === texts[0]) ?? fallback,
  write: (value) => (value === fallback ? [] : [value]),
});

/** Several words, in the order of `words`. */
export const choicesField = <Word extends string>(words: readonly Word[]): UrlField<readonly Word[]> => ({
  read: (texts) => words.filter((word) => texts.includes(word)),
  write: (value) => value,
});

/** A whole number of 0 or more. */
export const countField = (fallback: number | null = null): UrlField<number | null> => ({
  read: (texts) => (/^[0-9]{1,15}$/.test(texts[0] ?? '') ? Number(texts[0]) : fallback),
  write: (value) => (value === fallback || value === null ? [] : [String(value)]),
});

/** On or off. */
export const flagField: UrlField<boolean> = {
  read: (texts) => texts[0] === '1',
  write: (value) => (value ? ['1'] : []),
};

export interface SetOptions {
  /** True replaces the history entry, for example while the user types in a search box. */
  readonly replace?: boolean;
}

/**
 * Keeps the state of a view in the query of its address, so that a reload, a bookmark or a shared link shows the
 * same. `schema` must be a constant. Other parameters are left unchanged.
 */
export function useUrlState<Schema extends UrlSchema>(
  schema: Schema,
): [UrlValues<Schema>, (change: Partial<UrlValues<Schema>>, options?: SetOptions) => void] {
  const [parameters, setParameters] = useSearchParams();
  const values = useMemo(() => readAll(schema, parameters), [schema, parameters]);
  const set = useCallback(
    (change: Partial<UrlValues<Schema>>, options: SetOptions = {}) =>
      setParameters((before) => writeAll(schema, before, change), { replace: options.replace ?? false }),
    [schema, setParameters],
  );
  return [values, set];
}

function readAll<Schema extends UrlSchema>(schema: Schema, parameters: URLSearchParams): UrlValues<Schema> {
  const entries = Object.entries(schema).map(([name, field]) => [name, field.read(parameters.getAll(name))]);
  return Object.fromEntries(entries) as UrlValues<Schema>;
}

function writeAll(schema: UrlSchema, before: URLSearchParams, change: object): URLSearchParams {
  const after = new URLSearchParams(before);
  for (const [name, value] of Object.entries(change)) {
    after.delete(name);
    for (const text of schema[name]?.write(value) ?? []) after.append(name, text);
  }
  return after;
}
