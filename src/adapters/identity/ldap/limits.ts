/** Limits of the connections to a directory. */
export const LDAP_LIMITS = {
  /** Bytes that a server may send on one connection: 16 MiB are about 100,000 groups. */
  receivedBytes: 16 * 1024 * 1024,
  /** Bytes of the answer to a request for StartTLS. */
  startTlsBytes: 4_096,
  /** Logins at the same time. Each has at most two connections. */
  logins: 32,
  /** Groups per page: Active Directory returns at most 1,000. */
  groupsPerPage: 500,
  /** Bytes of the value that identifies a user. */
  uniqueIdBytes: 512,
  /** Characters of a display name that are kept. */
  displayNameLength: 256,
  /** Characters of a server's message in a reason. */
  messageLength: 200,
} as const;
