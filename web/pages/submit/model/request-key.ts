const BYTES = 16;

/** A key for one submission, of letters and digits. `crypto.randomUUID` is for pages over TLS alone, and a farm's page may have none. */
export function newKey(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(BYTES));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
}
