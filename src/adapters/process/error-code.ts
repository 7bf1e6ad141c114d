/** Returns the code of a system error (`ENOENT`), or null. */
export function errorCode(error: unknown): string | null {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : null;
}

/** Returns the message of a thrown value. */
export const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));
