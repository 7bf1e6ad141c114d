import { readFileSync } from 'node:fs';
import { join, posix } from 'node:path';

/** What the control groups of a process leave it of the machine. Null: all of it. */
export interface CgroupLimits {
  readonly memoryBytes: number | null;
  /** May be a fraction of one. */
  readonly cpus: number | null;
}

/** Where a controller's files are, and the group of this process below that. */
interface Hierarchy {
  readonly mount: string;
  readonly group: string;
}

const NO_LIMITS: CgroupLimits = { memoryBytes: null, cpus: null };

/**
 * The limits of this process, of versions 1 and 2 of control groups. A limit of a group holds for all below it, so the least counts.
 * Systems without control groups have no limits. `root` is where the file system begins.
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
    // A file that is not there, or not for this process, limits nothing that could be known.
    return null;
  }
}

/** The hierarchy of a controller of version 1, or with null that of version 2 (proc(5), `/proc/pid/mountinfo`; cgroups(7)). */
function hierarchyOf(groups: string, mounts: string, controller: string | null): Hierarchy | null {
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
    // A container sees its own group as the root of the mount, under a path of the host or of its own.
    const below = from === '/' ? group : group.startsWith(`${from}/`) ? group.slice(from.length) : '/';
    return { mount: unescaped(mount), group: posix.normalize(below) };
  }
  return null;
}

const unescaped = (path: string): string =>
  path.replace(/\\([0-7]{3})/g, (_all, digits: string) => String.fromCharCode(parseInt(digits, 8)));

/** The directories of the group and of all above it. */
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

/** `QUOTA PERIOD`, both in microseconds; `max` is no quota. */
function quotaOf(text: string | null): number | null {
  const [quota = '', period = ''] = (text ?? '').trim().split(' ');
  return share(numberIn(quota), numberIn(period));
}

/** A quota of -1 is none. */
const quotaOfVersion1 = (root: string, path: string): number | null =>
  share(numberIn(read(root, `${path}/cpu.cfs_quota_us`)), numberIn(read(root, `${path}/cpu.cfs_period_us`)));

const share = (quota: number | null, period: number | null): number | null =>
  quota === null || period === null || period === 0 ? null : quota / period;

function least(values: readonly (number | null)[]): number | null {
  const known = values.filter((value) => value !== null);
  return known.length === 0 ? null : Math.min(...known);
}
