/** Returns formats for local time and for UTC. */
export const timeFormats = (options: Intl.DateTimeFormatOptions) => ({
  local: new Intl.DateTimeFormat(undefined, options),
  utc: new Intl.DateTimeFormat(undefined, { ...options, timeZone: 'UTC' }),
});
