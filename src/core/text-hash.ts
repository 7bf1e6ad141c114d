/** Returns the FNV-1a hash of the UTF-16 code units of a text: an integer from 0 to 2^32 - 1. Not for secrets. */
export function textHash(text: string): number {
  let hash = 0x811c9dc5;
  for (let at = 0; at < text.length; at++) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
  return hash >>> 0;
}

/** Returns that hash as eight hexadecimal digits. */
export const textHashDigits = (text: string): string => textHash(text).toString(16).padStart(8, '0');
