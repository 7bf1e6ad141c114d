import type { Role } from './permissions.ts';

/** A user whom a directory or a provider of logins has verified. */
export interface ExternalIdentity {
  /** Identifies the user at every login, also after a change of the name: issuer and subject, or the unique id of a directory. */
  readonly externalId: string;
  readonly username: string;
  /** The username if there is no other name. */
  readonly displayName: string;
  readonly role: Role;
}
