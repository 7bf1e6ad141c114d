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

/** Older servers flush each message twice: they are too slow for a log that flushes always. */
const CLUSTER_LINE = { major: 2, minor: 15 };

/** The oldest release of nats-server for a cluster, as text. */
export const CLUSTER_RELEASE_MIN = `${CLUSTER_LINE.major}.${CLUSTER_LINE.minor}`;

/** Reports whether a version of nats-server can be a server of a cluster (docs/high-availability.md). */
export function isClusterRelease(version: string): boolean {
  const match = RELEASE.exec(version);
  if (match === null) return false;
  const [major, minor] = [Number(match[1]), Number(match[2])];
  return major > CLUSTER_LINE.major || (major === CLUSTER_LINE.major && minor >= CLUSTER_LINE.minor);
}
