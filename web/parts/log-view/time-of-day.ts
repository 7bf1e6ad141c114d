const two = (value: number): string => String(value).padStart(2, '0');

/** Formats the time of day to the millisecond: `09:58:12.345`. */
export function timeOfDay(time: number, isUtc: boolean): string {
  const date = new Date(time);
  const [hours, minutes, seconds, ms] = isUtc
    ? [date.getUTCHours(), date.getUTCMinutes(), date.getUTCSeconds(), date.getUTCMilliseconds()]
    : [date.getHours(), date.getMinutes(), date.getSeconds(), date.getMilliseconds()];
  return `${two(hours)}:${two(minutes)}:${two(seconds)}.${String(ms).padStart(3, '0')}`;
}
