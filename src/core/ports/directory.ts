import type { ExternalIdentity } from '../access/external-identity.ts';

/** A directory server that checks passwords (docs/contract/authentication.md#ldap). */
export interface Directory {
  /**
   * Checks the password of a directory user. Never rejects. Each call asks the directory again: nothing is cached.
   *
   * The caller finds the account by `externalId`. `username` is the name in the directory, which may differ in case and
   * spaces from the given one: before the caller creates an account, it compares this name with those of other accounts.
   */
  authenticate(username: string, password: string): Promise<DirectoryAnswer>;
  /** Ends running checks with `unavailable`. Later checks get the same answer. */
  close(): Promise<void>;
}

/** `reason` is for logs only, and contains no password. Clients get the same answer for each refusal. */
export type DirectoryAnswer =
  | { readonly kind: 'accepted'; readonly identity: ExternalIdentity }
  /** The directory has answered: the credentials are wrong, or the user may not log in. */
  | { readonly kind: 'refused'; readonly reason: string }
  /** No directory server could answer. Nothing is known about the credentials. */
  | { readonly kind: 'unavailable'; readonly reason: string };
