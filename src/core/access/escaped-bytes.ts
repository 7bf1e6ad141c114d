/** Half of a surrogate pair: it is not text, and has no encoding. */
export const LONE_SURROGATE = /\p{Cs}/u;

/**
 * Returns the text of a value with escapes of LDAP: `\xx` is a byte of UTF-8, and with `others` a backslash before
 * another character stands for that character. Returns null if an escape is incomplete or the bytes are not UTF-8.
 */
export function unescapeLdap(text: string, others: 'others' | 'hex-only'): string | null {
  if (LONE_SURROGATE.test(text)) return null;
  let encoded = '';
  const characters = [...text];
  for (let at = 0; at < characters.length; at++) {
    const character = characters[at] ?? '';
    if (character !== '\\') {
      encoded += encodeURIComponent(character);
      continue;
    }
    const next = characters[at + 1] ?? '';
    const pair = next + (characters[at + 2] ?? '');
    if (/^[0-9A-Fa-f]{2}$/.test(pair)) {
      encoded += `%${pair}`;
      at += 2;
    } else if (others === 'others' && next !== '') {
      encoded += encodeURIComponent(next);
      at++;
    } else {
      return null;
    }
  }
  try {
    return decodeURIComponent(encoded);
  } catch (error) {
    if (error instanceof URIError) return null;
    throw error;
  }
}
