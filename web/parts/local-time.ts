/** Returns the text of a datetime-local input in local time as RFC 3339 in UTC; null for an empty or invalid one. */
export function utcOfLocal(text: string): string | null {
  const time = Date.parse(text);
  return Number.isNaN(time) ? null : new Date(time).toISOString();
}

/** Returns an RFC 3339 time as the text of a datetime-local input, in local time, to the minute. */
export function localOfUtc(iso: string): string {
  const time = new Date(iso);
  const local = new Date(time.getTime() - time.getTimezoneOffset() * 60_000);
  return local.toISOString().slice(0, 'YYYY-MM-DDTHH:MM'.length);
}
