/** A time of a record (milliseconds since the epoch) as the contract shows it: RFC 3339, UTC. */
export const rfc3339 = (milliseconds: number): string => new Date(milliseconds).toISOString();
