import { readFileSync } from 'node:fs';
import { join, posix } from 'node:path';

/** Limits of a process's control groups. Null: no limit. */
export interface CgroupLimits {
  readonly memoryBytes: number | null;
  /** May be a fraction of one. */
  readonly cpus: number | null;
}

/** Path of a controller's files, and the group of this process below it. */
interface Hierarchy {
  readonly mount: string;
  readonly group: string;
}

const NO_LIMITS: CgroupLimits = { memoryBytes: null, cpus: null };

/**
 * Returns the limits of this process, from control groups version 1 and 2. A limit of a group applies to all groups
 * below it, so the lowest counts. Systems without control groups have no limits. `root` is the root of the file system.
 */
export function cgroupLimits(root = '/'): CgroupLimits {
  const groups = read(root, '/proc/self/cgroup');
  const mounts = read(root, '/proc/self/mountinfo');
  if (groups === null || mounts === null) return NO_LIMITS;
  const unified = hierarchyOf(groups, mounts, null);
  const memory = hierarchyOf(groups, mounts, 'memory');
  const cpu = hierarchyOf(groups, mounts, 'cpu');
  const memoryBytes = [
    ...levels(unified).map((path) => numberIn(read(root, `${path}/memory.max`))),
    ...levels(memory).map((path) => numberIn(read(root, `${path}/memory.limit_in_bytes`))),
  ];
  const cpus = [
    ...levels(unified).map((path) => quotaOf(read(root, `${path}/cpu.max`))),
    ...levels(cpu).map((path) => quotaOfVersion1(root, path)),
  ];
  return { memoryBytes: least(memoryBytes), cpus: least(cpus) };
}

function read(root: string, path: string): string | null {
  try {
    return readFileSync(join(root, path), 'utf8');
  } catch {
    // A missing or unreadable file means no limit.
    return null;
  }
}

/**
 * Returns the hierarchy of a version 1 controller, or for null that of version 2 (proc(5), `/proc/pid/mountinfo`;
 * cgroups(7)).
 */
export function hierarchyOf(groups: string, mounts: string, controller: string | null): Hierarchy | null {
  const group = groups
    .split('\n')
    .map((line) => /^[0-9]+:([^:]*):(.*)$/.exec(line))
    .find((match) =>
      controller === null ? match?.[1] === '' : match?.[1]?.split(',').includes(controller) === true,
    )?.[2];
  if (group === undefined) return null;
  for (const line of mounts.split('\n')) {
    const [place = '', system = ''] = line.split(' - ');
    const [, , , from = '', mount = ''] = place.split(' ');
    const [type = '', , options = ''] = system.split(' ');
    const fits =
      controller === null ? type === 'cgroup2' : type === 'cgroup' && options.split(',').includes(controller);
    if (!fits) continue;
    // In a container the root of the mount is the container's own group, under a path of the host or of the container.
    const below = from === '/' ? group : group.startsWith(`${from}/`) ? group.slice(from.length) : '/';
    return { mount: unescaped(mount), group: posix.normalize(below) };
  }
  return null;
}

const unescaped = (path: string): string =>
  path.replace(/\\([0-7]{3})/g, (_all, digits: string) => String.fromCharCode(parseInt(digits, 8)));

/** Returns the directories of the group and of all its ancestors. */
function levels(hierarchy: Hierarchy | null): readonly string[] {
  if (hierarchy === null) return [];
  const names = hierarchy.group.split('/').filter((name) => name !== '' && name !== '..');
  return names.reduce<string[]>(
    (paths, name) => [...paths, `${paths.at(-1) ?? ''}/${name}`],
    [hierarchy.mount],
  );
}

const numberIn = (text: string | null): number | null =>
  text !== null && /^[0-9]+$/.test(text.trim()) ? Number(text) : null;

/** Parses `QUOTA PERIOD`, both in microseconds; `max` means no quota. */
function quotaOf(text: string | null): number | null {
  const [quota = '', period = ''] = (text ?? '').trim().split(' ');
  return share(numberIn(quota), numberIn(period));
}

/** A quota of -1 means no quota. */
const quotaOfVersion1 = (root: string, path: string): number | null =>
  share(numberIn(read(root, `${path}/cpu.cfs_quota_us`)), numberIn(read(root, `${path}/cpu.cfs_period_us`)));

const share = (quota: number | null, period: number | null): number | null =>
  quota === null || period === null || period === 0 ? null : quota / period;

function least(values: readonly (number | null)[]): number | null {
  const known = values.filter((value) => value !== null);
  return known.length === 0 ? null : Math.min(...known);
}
