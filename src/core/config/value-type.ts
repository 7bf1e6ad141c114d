import { formatDuration, parseDuration } from '../duration.ts';

/**
 * Type of a configuration key. A value arrives as text (default, environment, flag) or as a value of the configuration
 * file. Both become the same typed value, or an error text.
 */
export type Parsed<T> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly wrong: string };

export interface ValueType<T> {
  /** Name of the type in the reference. */
  readonly label: string;
  /** True if the value must not appear on a command line, in messages and in logs. */
  readonly isSecret?: boolean;
  fromText(text: string): Parsed<T>;
  /** Parses the value from the YAML document. */
  fromDocument(value: unknown): Parsed<T>;
}

export const right = <T>(value: T): Parsed<T> => ({ ok: true, value });
export const wrong = (sentence: string): Parsed<never> => ({ ok: false, wrong: sentence });

/** Formats a wrong value for a message: short, on one line. */
export function shown(value: unknown): string {
  const text = JSON.stringify(value) ?? String(value);
  return text.length > 80 ? `${text.slice(0, 77)}...` : text;
}

/** Returns a type whose values are text in the file too. */
export function textual<T>(label: string, fromText: (text: string) => Parsed<T>): ValueType<T> {
  return {
    label,
    fromText,
    fromDocument: (value) =>
      typeof value === 'string' ? fromText(value) : wrong(`must be text (${label}), got ${shown(value)}`),
  };
}

/** Returns the type of any text without control characters. */
export function text(): ValueType<string> {
  return textual('text', (value) =>
    /[\u0000-\u001f\u007f]/.test(value)
      ? wrong(`must not hold control characters, got ${shown(value)}`)
      : right(value),
  );
}

/**
 * Returns the type of a secret text: messages do not show it, and the key has no flag, but a twin `*_file`
 * (docs/contract/configuration.md#secrets).
 */
export function secret(): ValueType<string> {
  const fromText = (value: string): Parsed<string> =>
    /[\u0000-\u001f\u007f]/.test(value) ? wrong('must not hold control characters') : right(value);
  return {
    label: 'text, secret',
    isSecret: true,
    fromText,
    fromDocument: (value) => (typeof value === 'string' ? fromText(value) : wrong('must be text')),
  };
}

/** Returns the type of a text of 1 to `max` characters without control characters. */
export function name(max: number): ValueType<string> {
  return textual(`text of 1 to ${max} characters`, (value) =>
    value === '' || value.length > max || /[\u0000-\u001f\u007f]/.test(value)
      ? wrong(`must be 1 to ${max} characters without control characters, got ${shown(value)}`)
      : right(value),
  );
}

/** Returns the type of a cookie name: a token of RFC 6265. */
export function cookieName(): ValueType<string> {
  return textual('cookie name', (value) =>
    /^[A-Za-z0-9!#$%&'*+.^_`|~-]{1,100}$/.test(value)
      ? right(value)
      : wrong(`must be 1 to 100 letters, digits or -_.!#$%&'*+^\`|~, got ${shown(value)}`),
  );
}

const OCTET = '(25[0-5]|2[0-4][0-9]|1[0-9]{2}|[1-9]?[0-9])';
const IPV4 = new RegExp(`^${OCTET}(\\.${OCTET}){3}$`);

/** Returns the type of an IPv4 address. */
export function ipv4(): ValueType<string> {
  return textual('IPv4 address', (value) =>
    IPV4.test(value) ? right(value) : wrong(`must be an IPv4 address, got ${shown(value)}`),
  );
}

/** Returns the type of a whole number from `min` to `max`, both included. */
export function integer(min: number, max: number): ValueType<number> {
  const label = `integer, ${min} to ${max}`;
  const checked = (value: number, given: unknown): Parsed<number> =>
    Number.isSafeInteger(value) && value >= min && value <= max
      ? right(value)
      : wrong(`must be an integer from ${min} to ${max}, got ${shown(given)}`);
  return {
    label,
    fromText: (value) => checked(/^-?[0-9]{1,15}$/.test(value) ? Number(value) : NaN, value),
    fromDocument: (value) => checked(typeof value === 'number' ? value : NaN, value),
  };
}

/** Returns the type of a number with at most three decimals from `min` to `max`, both included. */
export function decimal(min: number, max: number): ValueType<number> {
  const label = `number, ${min} to ${max}`;
  const checked = (value: number, given: unknown): Parsed<number> =>
    value >= min && value <= max
      ? right(value)
      : wrong(`must be a number from ${min} to ${max}, got ${shown(given)}`);
  return {
    label,
    fromText: (value) => checked(/^[0-9]{1,9}(\.[0-9]{1,3})?$/.test(value) ? Number(value) : NaN, value),
    fromDocument: (value) => checked(typeof value === 'number' ? value : NaN, value),
  };
}

/** Returns the type of `true` or `false`. */
export function boolean(): ValueType<boolean> {
  return {
    label: 'true or false',
    fromText: (value) =>
      value === 'true' || value === 'false'
        ? right(value === 'true')
        : wrong(`must be true or false, got ${shown(value)}`),
    fromDocument: (value) =>
      typeof value === 'boolean' ? right(value) : wrong(`must be true or false, got ${shown(value)}`),
  };
}

/** Returns the type of a duration such as `30s`: milliseconds from `minMs` to `maxMs`. */
export function duration(minMs: number, maxMs: number): ValueType<number> {
  const fromText = (value: string): Parsed<number> => {
    const ms = parseDuration(value);
    if (ms === null) return wrong(`must be a duration such as 500ms, 30s, 5m or 168h, got ${shown(value)}`);
    return ms >= minMs && ms <= maxMs
      ? right(ms)
      : wrong(`must be from ${formatDuration(minMs)} to ${formatDuration(maxMs)}, got ${shown(value)}`);
  };
  return {
    label: `duration, ${formatDuration(minMs)} to ${formatDuration(maxMs)}`,
    fromText,
    fromDocument: (value) =>
      typeof value === 'string'
        ? fromText(value)
        : wrong(`must be a duration such as 500ms, 30s, 5m or 168h, got ${shown(value)}`),
  };
}

/**
 * Returns the type of an amount of memory or disk space in bytes: a whole number with a binary unit, such as 200GiB. 0
 * means none.
 */
export function size(minBytes: number, maxBytes: number): ValueType<number> {
  return textual('size, such as 200GiB, or 0', (given) => {
    const [, digits = '', unit = ''] = /^([0-9]{1,9})(MiB|GiB|TiB)$/.exec(given) ?? [];
    const bytes =
      given === '0' ? 0 : Number(digits === '' ? NaN : digits) * 1024 ** (UNITS.indexOf(unit) + 2);
    const isValid = bytes === 0 || (bytes >= minBytes && bytes <= maxBytes);
    return isValid
      ? right(bytes)
      : wrong(`must be a whole number with MiB, GiB or TiB, such as 200GiB, or 0, got ${shown(given)}`);
  });
}

const UNITS: readonly string[] = ['MiB', 'GiB', 'TiB'];

/** Returns the type of one word of a list. */
export function choice<const Word extends string>(words: readonly Word[]): ValueType<Word> {
  return textual(words.join(', '), (value) => {
    const word = words.find((candidate) => candidate === value);
    return word === undefined
      ? wrong(`must be one of ${words.join(', ')}, got ${shown(value)}`)
      : right(word);
  });
}

/** Address that a server listens on. */
export interface ListenAddress {
  /** A host name or address; an IPv6 address without brackets. */
  readonly host: string;
  /** 0: the system chooses the port. */
  readonly port: number;
}

const ADDRESS = /^(?:\[([0-9a-fA-F:.]+)\]|([A-Za-z0-9._-]+)):([0-9]{1,5})$/;

/** Returns the type of `HOST:PORT`, with an IPv6 address in brackets and a port from `portMin`. */
export function address(portMin: 0 | 1 = 0): ValueType<ListenAddress> {
  return textual('host:port', (value) => {
    const match = ADDRESS.exec(value);
    const host = match?.[1] ?? match?.[2];
    const port = Number(match?.[3]);
    if (host === undefined || port > 65535)
      return wrong(`must be HOST:PORT (an IPv6 address in brackets), got ${shown(value)}`);
    return port < portMin
      ? wrong(`must have a fixed port, not 0, got ${shown(value)}`)
      : right({ host, port });
  });
}

/**
 * Returns the type of a list: comma-separated as text, a sequence (or the same text) in the file. Empty text is the
 * empty list.
 */
export function list<T>(item: ValueType<T>, entriesMin = 0): ValueType<readonly T[]> {
  const all = (items: readonly Parsed<T>[]): Parsed<readonly T[]> => {
    if (items.length < entriesMin) return wrong('must not be empty');
    const values: T[] = [];
    for (const one of items) {
      if (!one.ok) return one;
      values.push(one.value);
    }
    return right(values);
  };
  const fromText = (value: string): Parsed<readonly T[]> => {
    if (value.trim() === '') return all([]);
    const parts = value.split(',').map((part) => part.trim());
    return parts.includes('') ? wrong('has an empty entry') : all(parts.map((part) => item.fromText(part)));
  };
  return {
    label: `list of ${item.label}`,
    fromText,
    fromDocument: (value) => {
      if (typeof value === 'string') return fromText(value);
      return Array.isArray(value)
        ? all(value.map((entry: unknown) => item.fromDocument(entry)))
        : wrong(`must be a list or comma-separated text, got ${shown(value)}`);
    },
  };
}

/**
 * Returns the type of the URL of a NATS server: `nats://HOST[:PORT]` or `tls://HOST[:PORT]`, optionally with
 * credentials before the host.
 */
export function busUrl(): ValueType<string> {
  return textual('NATS URL', (value) =>
    /^(nats|tls):\/\/([^\s/@]+@)?(\[[0-9a-fA-F:.]+\]|[A-Za-z0-9._-]+)(:[0-9]{1,5})?\/?$/.test(value)
      ? right(value)
      : wrong('must be nats://HOST:PORT or tls://HOST:PORT'),
  );
}

/** Returns the type of names of environment variables, with `*` for any characters and `?` for one. */
export function variableGlob(): ValueType<string> {
  return textual('name of a variable with * and ?', (value) =>
    /^[A-Za-z0-9_*?]+$/.test(value)
      ? right(value)
      : wrong(`must be letters, digits, _, * and ?, got ${shown(value)}`),
  );
}

const TAG_NAME = /^[A-Za-z_][A-Za-z0-9_.-]{0,99}$/;

/** Returns the type of tags: `name=value,...` as text, a map of text in the file. A name may occur once. */
export function tags(): ValueType<Readonly<Record<string, string>>> {
  const collected = (
    entries: readonly (readonly [string, unknown])[],
  ): Parsed<Readonly<Record<string, string>>> => {
    const found = new Map<string, string>();
    for (const [name, value] of entries) {
      if (!TAG_NAME.test(name)) return wrong(`has an invalid tag name: ${shown(name)}`);
      if (typeof value !== 'string' || value === '') return wrong(`tag ${name} must have text as its value`);
      if (found.has(name)) return wrong(`contains the tag ${name} twice`);
      found.set(name, value);
    }
    return right(Object.fromEntries(found));
  };
  const fromText = (value: string): Parsed<Readonly<Record<string, string>>> => {
    if (value.trim() === '') return right({});
    const entries: (readonly [string, string])[] = [];
    for (const part of value.split(',').map((one) => one.trim())) {
      const equals = part.indexOf('=');
      if (equals < 1) return wrong(`must be name=value,..., got ${shown(part)}`);
      entries.push([part.slice(0, equals), part.slice(equals + 1)]);
    }
    return collected(entries);
  };
  return {
    label: 'name=value,...',
    fromText,
    fromDocument: (value) => {
      if (typeof value === 'string') return fromText(value);
      return typeof value === 'object' && value !== null && !Array.isArray(value)
        ? collected(Object.entries(value))
        : wrong(`must be a map of text or name=value,..., got ${shown(value)}`);
    },
  };
}

/** Returns the type of a value that may be left out: empty text is null. */
export function optional<T>(type: ValueType<T>): ValueType<T | null> {
  return {
    label: type.label,
    isSecret: type.isSecret === true,
    fromText: (value) => (value === '' ? right(null) : type.fromText(value)),
    fromDocument: (value) => (value === null || value === '' ? right(null) : type.fromDocument(value)),
  };
}
