/** What was written last: the turns of one commit window all write the same time. */
let last = { milliseconds: NaN, text: '' };

/** RFC 3339 in UTC with milliseconds (interface.md, "Resources and their fields"). Takes milliseconds since the epoch. */
export function timestampOf(milliseconds: number): string {
  if (milliseconds !== last.milliseconds) last = { milliseconds, text: new Date(milliseconds).toISOString() };
  return last.text;
}
