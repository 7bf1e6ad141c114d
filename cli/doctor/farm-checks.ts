import { unreadable } from '../../src/adapters/host/directory-facts.ts';
import { accountFor } from '../../src/adapters/process/isolation.ts';
import {
  accountFinding,
  queueAccounts,
  rootAt,
  storageFinding,
} from '../../src/core/host-check/farm-findings.ts';
import { failure, ok, skipped, warning, type Finding } from '../../src/core/host-check/finding.ts';
import type { Farm, Queue } from '../../client/resources.ts';
import { allFarms, allQueues } from '../client/lookup.ts';
import { CommandError, EXIT } from '../terminal/exit-codes.ts';
import { reasonOf, type CheckedHost, type HostCheck } from './host-check.ts';

const REST_MS = 20_000;
/** A directory service may need 20 s for one account. */
const ACCOUNTS_MS = 45_000;
const MOUNTS_MS = 20_000;
/** Time limit of one storage location: a mount of an unreachable server does not answer. */
const MOUNT_MS = 10_000;

const KEY_FIX =
  'sign in with callsheet login, or give an API key of an account that may read farms: --api-key or SVC_API_KEY';

/** Runs a check that reads the REST API. It is skipped if the service cannot be read. */
async function withService(
  name: string,
  check: () => Promise<readonly Finding[]>,
): Promise<readonly Finding[]> {
  try {
    return await check();
  } catch (error) {
    if (!(error instanceof CommandError)) throw error;
    const line = error.message.split('\n', 1)[0] ?? '';
    return [skipped(name, line, error.exitCode === EXIT.forbidden ? KEY_FIX : '')];
  }
}

/** Returns the farm of the worker, or why there is none. */
async function farmOf({ client, config }: CheckedHost): Promise<Farm | string> {
  const farms = await allFarms(client);
  const given = config.worker.farm;
  if (given === '') {
    const [only] = farms;
    if (only === undefined) return 'the server has no farm';
    return farms.length === 1 ? only : 'the server has several farms, and worker.farm is empty';
  }
  return (
    farms.find(({ id }) => id === given) ??
    farms.find(({ name }) => name === given) ??
    `the server has no farm ${given}`
  );
}

const checkFarm = (host: CheckedHost): Promise<readonly Finding[]> =>
  withService('farm', async () => {
    const { client, config } = host;
    const farm = await farmOf(host);
    if (typeof farm === 'string')
      return [
        failure('farm', farm, 'set worker.farm to the name or id of a farm; callsheet farms lists them'),
      ];
    const queues = await allQueues(client, farm.id);
    const missing = config.worker.queues.filter(
      (given) => !queues.some(({ id, name }) => id === given || name === given),
    );
    if (missing.length > 0)
      return [
        failure(
          'farm',
          `the farm ${farm.name} has no queue ${missing.join(', ')}`,
          'correct worker.queues; callsheet queues lists the queues',
        ),
      ];
    return [ok('farm', farm.name), ...openBusFindings(served(queues, config.worker.queues))];
  });

const served = (queues: readonly Queue[], given: readonly string[]): readonly Queue[] =>
  given.length === 0 ? queues : queues.filter(({ id, name }) => given.includes(id) || given.includes(name));

/** Returns a warning about queues with an account on a bus without authentication. */
function openBusFindings(queues: readonly Queue[]): readonly Finding[] {
  const exposed = queues.filter(({ isolation_warning: text }) => text !== undefined);
  if (exposed.length === 0) return [];
  return [
    warning(
      'isolated queues',
      `they run tasks as accounts of their own on a bus without authentication: ${exposed.map(({ name }) => name).join(', ')}`,
      'give the bus authentication (docs/security.md#what-an-open-bus-leaves-unprotected)',
    ),
  ];
}

const checkAccounts = (host: CheckedHost): Promise<readonly Finding[]> =>
  withService('accounts', async () => {
    const { client, config } = host;
    const farm = await farmOf(host);
    if (typeof farm === 'string') return [skipped('accounts', farm)];
    const accounts = queueAccounts(await allQueues(client, farm.id), config.worker.queues);
    if (accounts.length === 0)
      return [skipped('accounts', 'no queue of this worker has an account of its own')];
    const settings = {
      isEnabled: config.isolation.enabled,
      environmentPassthrough: config.isolation.envPassthrough,
      environmentDeny: config.isolation.envDeny,
    };
    return Promise.all(
      accounts.map(async (account) => {
        const found = await accountFor({ user: account.user, group: account.group }, settings);
        return accountFinding(account, found.ok ? null : found.refusal);
      }),
    );
  });

const checkStorage = (host: CheckedHost): Promise<readonly Finding[]> =>
  withService('storage', async () => {
    const { client, config } = host;
    const locations = await client.call('get', '/storage-locations');
    if (locations.length === 0) return [skipped('storage', 'the server has no storage locations')];
    return Promise.all(
      locations.map(async (location) => {
        const root = rootAt(location, config.worker.computeLocation);
        const fault = root.kind === 'directory' ? await readFault(root.path) : null;
        return storageFinding(location.name, root, fault);
      }),
    );
  });

/** Returns why a directory cannot be read, also if its file system does not answer; null if it can. */
async function readFault(path: string): Promise<string | null> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<string>((resolve) => {
    timer = setTimeout(
      () => resolve(`its file system does not answer within ${MOUNT_MS / 1000} s`),
      MOUNT_MS,
    );
  });
  try {
    return await Promise.race([unreadable(path), late]);
  } catch (error) {
    return reasonOf(error);
  } finally {
    clearTimeout(timer);
  }
}

/** Checks of what the farm expects of this host. */
export const FARM_CHECKS: readonly HostCheck[] = [
  { name: 'farm', deadlineMs: REST_MS, run: checkFarm },
  { name: 'accounts', deadlineMs: ACCOUNTS_MS, run: checkAccounts },
  { name: 'storage', deadlineMs: MOUNTS_MS, run: checkStorage },
];
