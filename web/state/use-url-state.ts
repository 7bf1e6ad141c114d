import { useCallback, useMemo } from 'react';
import { useSearchParams } from 'wouter';

/** How one value of a view is kept in the query of its address. */
export interface UrlField<Value> {
  /** The value of what the query has under the name; it must answer something for anything. */
  read(texts: readonly string[]): Value;
  /** What the query is to have; nothing for the value that the view begins with. */
  write(value: Value): readonly string[];
}

export type UrlSchema = Readonly<Record<string, UrlField<unknown>>>;
export type UrlValues<Schema extends UrlSchema> = {
  readonly [Name in keyof Schema]: Schema[Name] extends UrlField<infer Value> ? Value : never;
};

/** One text; the fallback is left out of the address. */
export const textField = (fallback = ''): UrlField<string> => ({
  read: (texts) => texts[0] ?? fallback,
  write: (value) => (value === fallback ? [] : [value]),
});

/** One of some words; any other word reads as the fallback. */
export const choiceField = <Word extends string>(words: readonly Word[], fallback: Word): UrlField<Word> => ({
  read: (texts) => words.find((word) => word === texts[0]) ?? fallback,
  write: (value) => (value === fallback ? [] : [value]),
});

/** Several of some words, in their order. */
export const choicesField = <Word extends string>(words: readonly Word[]): UrlField<readonly Word[]> => ({
  read: (texts) => words.filter((word) => texts.includes(word)),
  write: (value) => value,
});

/** A whole number that is not negative. */
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
  /** Whether Back comes here again; typing in a search box, say, replaces. */
  readonly replace?: boolean;
}

/**
 * State of a view that lives in the query of its address, so that a reload, a bookmark and a colleague see the same. `schema` must be
 * a constant. Names that it does not have are left alone.
 */
export function useUrlState<Schema extends UrlSchema>(
  schema: Schema,
): [UrlValues<Schema>, (change: Partial<UrlValues<Schema>>, options?: SetOptions) => void] {
  const [parameters, setParameters] = useSearchParams();
  const values = useMemo(() => readAll(schema, parameters), [schema, parameters]);
  const set = useCallback(
    (change: Partial<UrlValues<Schema>>, options: SetOptions = {}) =>
      setParameters((before) => written(schema, before, change), { replace: options.replace ?? false }),
    [schema, setParameters],
  );
  return [values, set];
}

function readAll<Schema extends UrlSchema>(schema: Schema, parameters: URLSearchParams): UrlValues<Schema> {
  const entries = Object.entries(schema).map(([name, field]) => [name, field.read(parameters.getAll(name))]);
  return Object.fromEntries(entries) as UrlValues<Schema>;
}

function written(schema: UrlSchema, before: URLSearchParams, change: object): URLSearchParams {
  const after = new URLSearchParams(before);
  for (const [name, value] of Object.entries(change)) {
    after.delete(name);
    for (const text of schema[name]?.write(value) ?? []) after.append(name, text);
  }
  return after;
}
