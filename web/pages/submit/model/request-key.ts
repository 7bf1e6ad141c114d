const BYTES = 16;

/** Returns a random key for a request. It does not use `crypto.randomUUID`, which requires a page over TLS. */
export function newKey(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(BYTES));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
}
