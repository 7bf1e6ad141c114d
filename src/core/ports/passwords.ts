/** Hashes of passwords. Only a few are computed at the same time. */
export interface Passwords {
  /** Returns the hash of a password in PHC format; `busy` if too many wait already. */
  hash(password: string): Promise<HashResult<string>>;
  /**
   * Reports whether a password has this hash. With null, takes the time of a check and resolves with false: a login
   * takes the same time whether the account exists or not (docs/contract/authentication.md#sessions).
   */
  verify(hash: string | null, password: string): Promise<HashResult<boolean>>;
  /** Reports whether a hash was computed with less than today's parameters. */
  isOutdated(hash: string): boolean;
}

export type HashResult<T> = { readonly ok: true; readonly value: T } | { readonly ok: false };
