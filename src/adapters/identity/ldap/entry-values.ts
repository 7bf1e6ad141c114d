import type { Entry } from 'ldapts';
import { LDAP_LIMITS } from './limits.ts';

const UTF8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** Returns the values of an attribute of an entry as bytes. The name is compared without regard to case. */
export function valuesOf(entry: Entry, attribute: string): readonly Buffer[] {
  const wanted = attribute.toLowerCase();
  return Object.entries(entry)
    .filter(([name]) => name.toLowerCase() === wanted)
    .flatMap(([, values]) => values)
    .map((value) => (typeof value === 'string' ? Buffer.from(value) : value));
}

/** Returns the values of an attribute that are text. */
export function textsOf(entry: Entry, attribute: string): readonly string[] {
  return valuesOf(entry, attribute).flatMap((bytes) => decoded(bytes) ?? []);
}

/**
 * Returns the value that identifies a user as text, or null if it cannot: it is empty or too long. Different values have
 * different texts. `objectGUID` is written as Active Directory's tools write it, other binary values as `hex:` and digits.
 */
export function uniqueIdText(attribute: string, value: Buffer): string | null {
  if (value.length === 0 || value.length > LDAP_LIMITS.uniqueIdBytes) return null;
  if (attribute.toLowerCase() === 'objectguid' && value.length === 16) return guidText(value);
  const text = decoded(value);
  return text === null || /^hex:/.test(text) || /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u.test(text)
    ? `hex:${value.toString('hex')}`
    : text;
}

/** The first three fields of a GUID are stored with their lowest byte first. */
function guidText(value: Buffer): string {
  const field = (from: number, to: number): Buffer => Buffer.from(value.subarray(from, to));
  return [field(0, 4).reverse(), field(4, 6).reverse(), field(6, 8).reverse(), field(8, 10), field(10, 16)]
    .map((bytes) => bytes.toString('hex'))
    .join('-');
}

function decoded(bytes: Buffer): string | null {
  try {
    return UTF8.decode(bytes);
  } catch (error) {
    if (error instanceof TypeError) return null;
    throw error;
  }
}
