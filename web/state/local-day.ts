/**
 * Returns the start of a day (`2026-11-30`) in local time, or of the day that is `later` days after it; null if the text
 * is not a day.
 */
export function startOfDay(text: string, later = 0): Date | null {
  const [, year, month, day] = /^(\d{4})-(\d{2})-(\d{2})$/.exec(text) ?? [];
  if (year === undefined || month === undefined || day === undefined) return null;
  const start = new Date(Number(year), Number(month) - 1, Number(day) + later);
  return Number.isNaN(start.getTime()) ? null : start;
}
