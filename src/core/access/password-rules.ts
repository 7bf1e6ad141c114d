/** Maximum length of a password in bytes of UTF-8: a longer one is refused, never cut. */
export const PASSWORD_BYTES_MAX = 1024;
/** Maximum of `auth.password_length_min`. */
export const PASSWORD_LENGTH_MAX = 64;

/**
 * Returns why a text is not acceptable as a new password, or null. `bytes` is its length in UTF-8, `lengthMin` the
 * configured minimum in characters. The password is used as it is: no character is required, removed or replaced.
 */
export function passwordFault(password: string, bytes: number, lengthMin: number): string | null {
  if (bytes > PASSWORD_BYTES_MAX) return `must not have more than ${PASSWORD_BYTES_MAX} bytes`;
  const length = [...password].length;
  return length < lengthMin ? `must have at least ${lengthMin} characters` : null;
}
