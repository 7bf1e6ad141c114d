/** First releases of the lines of nats-server that get security fixes; later lines do, too. */
const FIXED_LINES: Readonly<Record<string, number>> = { '2.12': 12, '2.14': 3 };
const NEWEST_LINE = { major: 2, minor: 14 };

const RELEASE = /^v?(\d+)\.(\d+)\.(\d+)/;

/**
 * Reports whether a version of nats-server, such as `2.12.12`, has the fixes of the known security advisories
 * (docs/dependency-hazards.md#d14-the-worker-channel-has-no-authentication). False for a text that is not a version.
 */
export function hasSecurityFixes(version: string): boolean {
  const match = RELEASE.exec(version);
  if (match === null) return false;
  const [major, minor, patch] = [Number(match[1]), Number(match[2]), Number(match[3])];
  if (major > NEWEST_LINE.major || (major === NEWEST_LINE.major && minor > NEWEST_LINE.minor)) return true;
  return patch >= (FIXED_LINES[`${major}.${minor}`] ?? Infinity);
}
