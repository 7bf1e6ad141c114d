import { failure, ok, warning, type Finding } from './finding.ts';

const MIB = 1024 * 1024;
/** Free space below which a worker cannot work. */
const FREE_BYTES_MIN = 64 * MIB;
/** Free space below which tasks with much output soon fail. */
const FREE_BYTES_LOW = 1024 * MIB;

/** Facts about `worker.dir`, or about the directory in which the worker will create it. */
export interface DiskFacts {
  readonly directory: string;
  /** Set if `worker.dir` exists. */
  readonly exists: boolean;
  /** Why the worker cannot use or create it; null if it can. */
  readonly fault: string | null;
  /** Space for the account of this process. */
  readonly freeBytes: number;
  /** Directory on the path that other accounts cannot traverse; null if there is none. */
  readonly closedDirectory: string | null;
}

/** Returns the findings about `worker.dir`. `isPassage`: tasks of other accounts must reach their directories in it. */
export function diskFindings(facts: DiskFacts, isPassage: boolean): Finding[] {
  const { directory, exists, fault, closedDirectory } = facts;
  const name = 'worker.dir';
  if (fault !== null)
    return [
      failure(
        name,
        fault,
        'choose another directory with worker.dir, or correct owner and permissions of this one',
      ),
    ];
  const findings = [
    ok(name, exists ? directory : `${directory} does not exist and can be created`),
    space(facts),
  ];
  if (isPassage)
    findings.push(
      closedDirectory === null
        ? ok('session directories', 'accounts of queues can reach them')
        : failure(
            'session directories',
            `accounts of queues cannot pass ${closedDirectory}`,
            `chmod o+x ${closedDirectory}, or choose a worker.dir that is not below it`,
          ),
    );
  return findings;
}

function space({ directory, freeBytes }: DiskFacts): Finding {
  const name = 'disk';
  const found = `${Math.floor(freeBytes / MIB)} MiB are free at ${directory}`;
  const fix = 'free space there, or choose another file system with worker.dir';
  if (freeBytes < FREE_BYTES_MIN) return failure(name, found, fix);
  return freeBytes < FREE_BYTES_LOW ? warning(name, found, fix) : ok(name, found);
}
