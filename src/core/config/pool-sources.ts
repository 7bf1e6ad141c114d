import { poolKey } from '../records/usage-pool.ts';
import { right, shown, wrong, type Parsed, type ValueType } from './value-type.ts';

/** Where the capacity of a usage pool comes from: a command of the shell, or an address. */
export type PoolSource =
  | { readonly kind: 'command'; readonly command: string }
  | { readonly kind: 'url'; readonly url: string };

/** Sources by the name of their pool, in lower case. */
export type PoolSources = ReadonlyMap<string, PoolSource>;

const URL = /^https?:\/\/(?:\[[0-9a-f:.]+\]|[a-z0-9._-]+)(?::[0-9]{1,5})?(?:[/?][^\s#]*)?$/i;
const NAME = /^[A-Za-z_][A-Za-z0-9_]*(?:\.[A-Za-z_][A-Za-z0-9_]*)*$/;

/** Returns the type of `pools.reconcile`: `name=command or URL,...` as text, a map of text in the file. */
export function poolSources(): ValueType<PoolSources> {
  const collected = (entries: readonly (readonly [string, unknown])[]): Parsed<PoolSources> => {
    const found = new Map<string, PoolSource>();
    for (const [name, value] of entries) {
      if (!NAME.test(name)) return wrong(`has an invalid name of a usage pool: ${shown(name)}`);
      const key = poolKey(name);
      if (found.has(key)) return wrong(`contains the usage pool ${name} twice`);
      if (typeof value !== 'string' || value.trim() === '' || value.includes('\0'))
        return wrong(`the usage pool ${name} must have a command or a URL as its value`);
      const source = sourceOf(value.trim());
      if (source === null)
        return wrong(
          `the usage pool ${name} must have a valid URL, without a user name and a password before the host`,
        );
      found.set(key, source);
    }
    return right(found);
  };
  const fromText = (value: string): Parsed<PoolSources> => {
    if (value.trim() === '') return right(new Map());
    const entries: (readonly [string, string])[] = [];
    for (const part of value.split(',').map((one) => one.trim())) {
      const equals = part.indexOf('=');
      if (equals < 1)
        return wrong(
          'must be name=command,...; write commands that contain commas in the configuration file',
        );
      entries.push([part.slice(0, equals), part.slice(equals + 1)]);
    }
    return collected(entries);
  };
  return {
    label: 'name=command,... or name=URL,...',
    fromText,
    fromDocument: (value) => {
      if (typeof value === 'string') return fromText(value);
      return typeof value === 'object' && value !== null && !Array.isArray(value)
        ? collected(Object.entries(value))
        : wrong('must be a map of commands and URLs, or name=command,...');
    },
  };
}

/** Returns null for an invalid URL. A text that does not begin with `http://` or `https://` is a command. */
function sourceOf(text: string): PoolSource | null {
  if (!/^https?:\/\//i.test(text)) return { kind: 'command', command: text };
  return URL.test(text) ? { kind: 'url', url: text } : null;
}
