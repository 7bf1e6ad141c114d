/** Formats of the same times in the zone of the browser and in UTC. */
export const timeFormats = (options: Intl.DateTimeFormatOptions) => ({
  local: new Intl.DateTimeFormat(undefined, options),
  utc: new Intl.DateTimeFormat(undefined, { ...options, timeZone: 'UTC' }),
});
