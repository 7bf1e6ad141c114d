import { failure, ok, skipped, type Finding } from './finding.ts';

/** Account that tasks of queues run as. */
export interface QueueAccount {
  readonly user: string;
  readonly group: string | null;
  /** Names of the queues. */
  readonly queues: readonly string[];
}

/** Fields of a queue of the REST API that name its account. */
interface QueueFields {
  readonly id: string;
  readonly name: string;
  readonly run_as_user?: string;
  readonly run_as_group?: string;
}

/**
 * Returns the accounts that the queues of a worker run tasks as, each once. `served`: ids or names of the queues that the
 * worker serves; empty: all.
 */
export function queueAccounts(queues: readonly QueueFields[], served: readonly string[]): QueueAccount[] {
  const accounts = new Map<string, { user: string; group: string | null; queues: string[] }>();
  for (const { id, name, run_as_user: user, run_as_group: group = null } of queues) {
    if (user === undefined || (served.length > 0 && !served.includes(id) && !served.includes(name))) continue;
    const key = JSON.stringify([user, group]);
    const account = accounts.get(key) ?? { user, group, queues: [] };
    account.queues.push(name);
    accounts.set(key, account);
  }
  return [...accounts.values()];
}

/** Returns the finding about an account. `refusal`: why no task can run as it here; null if tasks can. */
export function accountFinding({ user, group, queues }: QueueAccount, refusal: string | null): Finding {
  const name = `account ${user}${group === null ? '' : `:${group}`}`;
  const found = `queues: ${queues.join(', ')}`;
  return refusal === null
    ? ok(name, found)
    : failure(
        name,
        `${refusal} (${found})`,
        'create the account on this host, or limit the worker to other queues with worker.queues (docs/isolation.md)',
      );
}

/** Root of a storage location on a host. */
export type StorageRoot =
  | { readonly kind: 'directory'; readonly path: string }
  | { readonly kind: 'object store'; readonly url: string }
  | { readonly kind: 'missing' };

/** Fields of a storage location of the REST API. */
interface StorageFields {
  readonly roots: Readonly<Record<string, string>>;
}

const FALLBACK = 'default';

/** Returns the root of a storage location at a compute location; `default` is the fallback. */
export function rootAt({ roots }: StorageFields, computeLocation: string): StorageRoot {
  const own = (name: string): string | undefined => (Object.hasOwn(roots, name) ? roots[name] : undefined);
  const root = (computeLocation === '' ? undefined : own(computeLocation)) ?? own(FALLBACK);
  if (root === undefined) return { kind: 'missing' };
  return root.startsWith('s3://') ? { kind: 'object store', url: root } : { kind: 'directory', path: root };
}

/** Returns the finding about a storage location. `fault`: why its directory cannot be read; null if it can. */
export function storageFinding(location: string, root: StorageRoot, fault: string | null): Finding {
  const name = `storage ${location}`;
  switch (root.kind) {
    case 'missing':
      return skipped(name, 'it has no root for the compute location of this worker, and no default');
    case 'object store':
      return skipped(name, `${root.url} is not a directory of this host`);
    case 'directory':
      return fault === null
        ? ok(name, root.path)
        : failure(
            name,
            `${root.path}: ${fault}`,
            'mount it on this host, give the account of the worker access, or correct the root of the storage location for this compute location',
          );
  }
}
