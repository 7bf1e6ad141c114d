import { parseJsonText, type JsonTextLimits, type Parsed } from './json-text.ts';

/**
 * Readers convert a value of unknown type to a typed one, or return where it is invalid and why. They are composed like
 * the types that they read: a record of readers reads a record. They never throw, and their results contain no unknown
 * fields.
 */
export type Reader<T> = (value: unknown) => T | Refusal;

/** Position of an invalid value and what is expected there. */
class Refusal {
  readonly path: string;
  readonly demand: string;

  constructor(path: string, demand: string) {
    this.path = path;
    this.demand = demand;
  }

  inside(step: string): Refusal {
    const joint = this.path === '' || this.path.startsWith('[') ? '' : '.';
    return new Refusal(`${step}${joint}${this.path}`, this.demand);
  }

  toString(): string {
    return `${this.path === '' ? 'message' : this.path}: ${this.demand}`;
  }
}

const refuse = (demand: string): Refusal => new Refusal('', demand);

const SHOWN_KEY_LENGTH = 40;
const shownKey = (key: string): string => `[${JSON.stringify(key.slice(0, SHOWN_KEY_LENGTH))}]`;

/** Returns a reader of a text of `min` to `max` characters. */
export const text =
  (max: number, min = 0): Reader<string> =>
  (value) => {
    if (typeof value !== 'string') return refuse('must be a string');
    if (value.length > max) return refuse(`must not be longer than ${max} characters`);
    if (value.length < min) return refuse('must not be empty');
    return value;
  };

const CONTROL = /[\u0000-\u001f\u007f-\u009f]/;

/** Returns a reader of a text on one line, such as a name: no control characters. */
export const line = (max: number, min = 0): Reader<string> =>
  checked(text(max, min), (value) => (CONTROL.test(value) ? 'must not hold control characters' : null));

/** Returns a reader of a whole number from `min` to `max`. */
export const integer =
  (min: number, max: number): Reader<number> =>
  (value) =>
    typeof value === 'number' && Number.isSafeInteger(value) && value >= min && value <= max
      ? value
      : refuse(`must be an integer from ${min} to ${max}`);

/** Reads a finite number. */
export const finite: Reader<number> = (value) =>
  typeof value === 'number' && Number.isFinite(value) ? value : refuse('must be a number');

export const flag: Reader<boolean> = (value) =>
  typeof value === 'boolean' ? value : refuse('must be true or false');

/** Reads null. */
export const nothing: Reader<null> = (value) => (value === null ? null : refuse('must be null'));

/** Returns a reader of one value. */
export const literal =
  <T extends string | number>(only: T): Reader<T> =>
  (value) =>
    value === only ? only : refuse(`must be ${JSON.stringify(only)}`);

/** Returns a reader of one of the keys of `known`. With keys, the compiler checks that none is missing. */
export function oneOf<T extends string>(known: Readonly<Record<T, true>>): Reader<T> {
  const values = new Map<unknown, T>((Object.keys(known) as T[]).map((value) => [value, value]));
  const demand = `must be one of ${[...values.values()].join(', ')}`;
  return (value) => values.get(value) ?? refuse(demand);
}

/** Returns a reader that accepts the value of `read` if `fault` returns null for it. */
export const checked =
  <T>(read: Reader<T>, fault: (value: T) => string | null): Reader<T> =>
  (value) => {
    const result = read(value);
    if (result instanceof Refusal) return result;
    const demand = fault(result);
    return demand === null ? result : refuse(demand);
  };

/** Returns a reader of a text for which `isValid` holds, converted by `make`. */
export const identifier =
  <T extends string>(
    kind: string,
    max: number,
    isValid: (value: string) => boolean,
    make: (value: string) => T,
  ) =>
  (value: unknown): T | Refusal =>
    typeof value === 'string' && value.length <= max && isValid(value)
      ? make(value)
      : refuse(`must be ${kind}`);

/** Returns a reader of a list of at most `max` entries. */
export const list =
  <T>(read: Reader<T>, max: number): Reader<readonly T[]> =>
  (value) => {
    if (!Array.isArray(value)) return refuse('must be a list');
    if (value.length > max) return refuse(`must not have more than ${max} entries`);
    const results: T[] = [];
    for (const [index, entry] of value.entries()) {
      const result = read(entry);
      if (result instanceof Refusal) return result.inside(`[${index}]`);
      results.push(result);
    }
    return results;
  };

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/**
 * Returns a reader of a map of at most `max` entries whose keys `readKey` accepts. Entries are own properties, whatever
 * their names.
 */
export const map =
  <K extends string, T>(readKey: Reader<K>, read: Reader<T>, max: number): Reader<Readonly<Record<K, T>>> =>
  (value) => {
    if (!isObject(value)) return refuse('must be an object');
    const entries = Object.entries(value);
    if (entries.length > max) return refuse(`must not have more than ${max} entries`);
    const results: [K, T][] = [];
    for (const [name, entry] of entries) {
      const key = readKey(name);
      if (key instanceof Refusal) return new Refusal(shownKey(name), `the name ${key.demand}`);
      const result = read(entry);
      if (result instanceof Refusal) return result.inside(shownKey(name));
      results.push([key, result]);
    }
    // fromEntries defines properties, so that a key "__proto__" is an ordinary key.
    return Object.fromEntries(results) as Record<K, T>;
  };

/** Marks a field that may be absent. */
interface Optional<T> {
  readonly optional: Reader<T>;
}

export const optional = <T>(read: Reader<T>): Optional<T> => ({ optional: read });

type Fields<T> = {
  readonly [K in keyof T]-?: Record<never, never> extends Pick<T, K>
    ? Optional<Exclude<T[K], undefined>>
    : Reader<T[K]>;
};

/** Returns a reader of an object with these fields; other fields are dropped. */
export function record<T extends object>(fields: Fields<T>): Reader<T> {
  const entries = Object.entries<Reader<unknown> | Optional<unknown>>(fields).map(([name, field]) =>
    typeof field === 'function'
      ? { name, read: field, isOptional: false }
      : { name, read: field.optional, isOptional: true },
  );
  return (value) => {
    if (!isObject(value)) return refuse('must be an object');
    const result: Record<string, unknown> = {};
    for (const { name, read, isOptional } of entries) {
      if (!Object.hasOwn(value, name)) {
        if (isOptional) continue;
        return new Refusal(name, 'is missing');
      }
      const field = read(value[name]);
      if (field instanceof Refusal) return field.inside(name);
      result[name] = field;
    }
    // Every field of T was read by the reader for its type.
    return result as T;
  };
}

/** Returns a reader of an object whose field `tag` selects one of `variants`. */
export function variant<T extends object>(
  tag: string,
  variants: Readonly<Record<string, Reader<T>>>,
): Reader<T> {
  const readers = new Map<unknown, Reader<T>>(Object.entries(variants));
  const demand = `must be one of ${Object.keys(variants).join(', ')}`;
  return (value) => {
    if (!isObject(value)) return refuse('must be an object');
    if (!Object.hasOwn(value, tag)) return new Refusal(tag, 'is missing');
    const read = readers.get(value[tag]);
    return read === undefined ? new Refusal(tag, demand) : read(value);
  };
}

/** Returns a function that parses the text of a message, or returns why it is invalid. Never throws. */
export const messageParser =
  <T>(read: Reader<T>, limits: JsonTextLimits): ((text: string) => Parsed<T>) =>
  (message) => {
    const parsed = parseJsonText(message, limits);
    if (!parsed.ok) return parsed;
    const result = read(parsed.value);
    return result instanceof Refusal ? { ok: false, reason: result.toString() } : { ok: true, value: result };
  };
