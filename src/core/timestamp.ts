const DAY_MS = 86_400_000;
const HOUR_MS = 3_600_000;
const MINUTE_MS = 60_000;
const SECOND_MS = 1_000;

const two = (number: number): string => (number < 10 ? `0${number}` : String(number));
const three = (number: number): string => (number < 100 ? `0${two(number)}` : String(number));

/** The day of the latest call and its text: most times of a thread are of the same day. */
let lastDay = NaN;
let lastDayText = '';

/** The latest time and its text: the turns of one commit window all write the same time. */
let lastTime = NaN;
let lastText = '';

/**
 * Formats milliseconds since the epoch as RFC 3339 in UTC with milliseconds (docs/contract/resources.md). Takes a fifth
 * of the time of `toISOString`, because lists format many times.
 */
export function timestampOf(milliseconds: number): string {
  if (milliseconds === lastTime) return lastText;
  const day = Math.floor(milliseconds / DAY_MS);
  if (day !== lastDay) {
    lastDayText = new Date(milliseconds).toISOString().slice(0, -'00:00:00.000Z'.length);
    lastDay = day;
  }
  const time = Math.floor(milliseconds - day * DAY_MS);
  const hours = Math.floor(time / HOUR_MS);
  const minutes = Math.floor((time % HOUR_MS) / MINUTE_MS);
  const seconds = Math.floor((time % MINUTE_MS) / SECOND_MS);
  lastText = `${lastDayText}${two(hours)}:${two(minutes)}:${two(seconds)}.${three(time % SECOND_MS)}Z`;
  lastTime = milliseconds;
  return lastText;
}
