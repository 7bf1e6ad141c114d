/** RFC 3339 in UTC with milliseconds (interface.md, "Resources and their fields"). Takes milliseconds since the epoch. */
export const timestampOf = (milliseconds: number): string => new Date(milliseconds).toISOString();
