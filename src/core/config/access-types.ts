import { ROLES, type Role } from '../access/permissions.ts';
import type { Parsed, ValueType } from './value-type.ts';

const ENTRIES_MAX = 1_000;
const VALUE_LENGTH_MAX = 256;

const wrong = (sentence: string): Parsed<never> => ({ ok: false, wrong: sentence });

/** Returns the role of a name, or undefined. */
const roleOf = (name: unknown): Role | undefined => ROLES.find((role) => role === name);

/** Returns the type of a role, or of no role: empty text is null. */
export function optionalRole(): ValueType<Role | null> {
  const fromText = (value: string): Parsed<Role | null> => {
    const role = roleOf(value);
    return value === '' || role !== undefined
      ? { ok: true, value: role ?? null }
      : wrong(`must be one of ${ROLES.join(', ')}, got ${JSON.stringify(value.slice(0, 80))}`);
  };
  return {
    label: ROLES.join(', '),
    fromText,
    fromDocument: (value) => (typeof value === 'string' ? fromText(value) : wrong('must be text')),
  };
}

/**
 * Returns the type of a map of values to roles: `value=role,...` as text, a map in the file. A value with a comma can
 * be set in the file only.
 */
export function roleMap(): ValueType<ReadonlyMap<string, Role>> {
  const fromText = (value: string): Parsed<ReadonlyMap<string, Role>> => {
    if (value.trim() === '') return { ok: true, value: new Map() };
    const entries: (readonly [string, unknown])[] = [];
    for (const part of value.split(',').map((one) => one.trim())) {
      const equals = part.lastIndexOf('=');
      if (equals < 1) return wrong(`must be value=role,..., got ${JSON.stringify(part.slice(0, 80))}`);
      entries.push([part.slice(0, equals), part.slice(equals + 1)]);
    }
    return collected(entries);
  };
  return {
    label: 'value=role,...',
    fromText,
    fromDocument: (value) => {
      if (typeof value === 'string') return fromText(value);
      return typeof value === 'object' && value !== null && !Array.isArray(value)
        ? collected(Object.entries(value))
        : wrong('must be a map of values to roles or value=role,...');
    },
  };
}

function collected(entries: readonly (readonly [string, unknown])[]): Parsed<ReadonlyMap<string, Role>> {
  if (entries.length > ENTRIES_MAX) return wrong(`must have at most ${ENTRIES_MAX} entries`);
  const found = new Map<string, Role>();
  for (const [value, name] of entries) {
    const shown = JSON.stringify(value.slice(0, 80));
    const role = roleOf(name);
    if (value === '' || value.length > VALUE_LENGTH_MAX || /[\u0000-\u001f\u007f]/.test(value))
      return wrong(`has an invalid value: ${shown} (1 to ${VALUE_LENGTH_MAX} characters)`);
    if (role === undefined) return wrong(`must map ${shown} to one of ${ROLES.join(', ')}`);
    if (found.has(value)) return wrong(`contains the value ${shown} twice`);
    found.set(value, role);
  }
  return { ok: true, value: found };
}

/** Returns the type of a host with an optional port, as in a URL of https. */
export function endpointHost(): ValueType<string> {
  const fromText = (value: string): Parsed<string> =>
    /^(?:\[[0-9a-f:.]+\]|[a-z0-9](?:[a-z0-9._-]*[a-z0-9])?)(?::[0-9]{1,5})?$/.test(value)
      ? { ok: true, value }
      : wrong(`must be a host name in lower case, got ${JSON.stringify(value.slice(0, 80))}`);
  return {
    label: 'host[:port]',
    fromText,
    fromDocument: (value) => (typeof value === 'string' ? fromText(value) : wrong('must be text')),
  };
}
