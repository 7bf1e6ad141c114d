import type { BigIntStats } from 'node:fs';
import type { FileOwner } from '../../core/ports/staging.ts';

const READ = 4n;
const WRITE = 2n;
const SEARCH = 1n;
const STICKY = 0o1000n;

/** Reports whether the account may read the file, by its mode. Access control lists are ignored. */
export const mayRead = (stat: BigIntStats, owner: FileOwner): boolean => allows(stat, owner, READ);

/** Reports whether the account may traverse the directory. */
export const maySearch = (stat: BigIntStats, owner: FileOwner): boolean => allows(stat, owner, SEARCH);

/** Reports whether the account may create files in the directory. */
export const mayCreate = (stat: BigIntStats, owner: FileOwner): boolean =>
  allows(stat, owner, WRITE) && allows(stat, owner, SEARCH);

/** Reports whether the account may replace a file in a directory in which it may create files. */
export const mayReplace = (directory: BigIntStats, file: BigIntStats, { uid }: FileOwner): boolean =>
  (directory.mode & STICKY) === 0n || directory.uid === BigInt(uid) || file.uid === BigInt(uid);

function allows(stat: BigIntStats, { uid, gid, groups = [] }: FileOwner, wanted: bigint): boolean {
  const bits =
    stat.uid === BigInt(uid)
      ? stat.mode >> 6n
      : [gid, ...groups].some((group) => stat.gid === BigInt(group))
        ? stat.mode >> 3n
        : stat.mode;
  return (bits & wanted) !== 0n;
}
