import type { Role } from '../access/permissions.ts';

/** Where an account proves its identity (docs/contract/resources.md#user). */
export const AUTH_SOURCES = ['local', 'ldap', 'oidc'] as const;
export type AuthSource = (typeof AUTH_SOURCES)[number];

/** An account of a person (docs/contract/resources.md#user). */
export interface UserRecord {
  readonly version: 1;
  readonly id: string;
  /** As it was created. Unique by `usernameKey`. */
  readonly username: string;
  readonly displayName: string;
  readonly role: Role;
  readonly disabled: boolean;
  /** Set at creation, never changed. */
  readonly authSource: AuthSource;
  /** Stable id in the directory or at the provider; null for a local account. */
  readonly externalId: string | null;
  /** In PHC format; null for an account without a password here. */
  readonly passwordHash: string | null;
  /** Milliseconds since the epoch. */
  readonly createdAt: number;
  readonly updatedAt: number;
}

/** Row of the table `username`: finds an account by its name. */
export interface UsernameRecord {
  readonly version: 1;
  readonly userId: string;
}

export const USERNAME_LENGTH_MAX = 128;

/** No control characters, no white space at either end. */
const USERNAME = /^[^\s\p{Cc}](?:[^\p{Cc}]*[^\s\p{Cc}])?$/u;

/** Returns why a text is not a valid username, or null. */
export function usernameFault(username: string): string | null {
  if (username === '' || username.length > USERNAME_LENGTH_MAX)
    return `must have 1 to ${USERNAME_LENGTH_MAX} characters`;
  return USERNAME.test(username) ? null : 'must not hold control characters, or white space at an end';
}

/** Returns the form in which usernames are compared: case and Unicode composition make no difference. */
export const usernameKey = (username: string): string => username.normalize('NFC').toLowerCase();
