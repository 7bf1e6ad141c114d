import { isIP } from 'node:net';
import { hostname, networkInterfaces } from 'node:os';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { decode, type Account } from '@nats-io/jwt';
import { replaceFile } from '../../system/durable-file.ts';
import { readTextIfPresent } from '../../system/read-if-present.ts';
import { isAnyHost, type ListenAddress } from '../server-address.ts';
import { oldestJwt, serverClaims, type Refusals } from './account-claims.ts';
import type { BusKeys } from './bus-keys.ts';

/** Returns the folder with the JWTs of the accounts, which the server reads and changes. */
export const accountFolder = (folder: string): string => join(folder, 'accounts');

/** Returns the JWT of the operator of the bus, which is created once: it is part of the server's configuration. */
export async function operatorJwt(folder: string, keys: BusKeys): Promise<string> {
  const path = join(folder, 'operator.jwt');
  const stored = await readTextIfPresent(path);
  if (stored !== null) return stored.trim();
  const { operator } = await serverClaims(keys, {});
  await mkdir(folder, { recursive: true, mode: 0o700 });
  await replaceFile(path, `${operator}\n`);
  return operator;
}

/**
 * Writes the JWTs of the accounts for a server that is not running. Keys that were refused stay refused, also before the
 * service has loaded its own list.
 */
export async function writeAccounts(folder: string, keys: BusKeys): Promise<void> {
  const accounts = accountFolder(folder);
  await mkdir(accounts, { recursive: true, mode: 0o700 });
  const claims = await serverClaims(keys, await storedRefusals(folder, keys));
  for (const { key, jwt } of claims.accounts) await replaceFile(join(accounts, `${key}.jwt`), jwt);
}

/**
 * Writes the JWTs of the accounts for a server of a cluster that is not running. The servers take the latest JWT of an
 * account from each other. So the account of the workers is written only if it is missing, as the oldest one: this server
 * may not know the latest list of refused keys.
 */
export async function writeClusterAccounts(folder: string, keys: BusKeys): Promise<void> {
  const accounts = accountFolder(folder);
  await mkdir(accounts, { recursive: true, mode: 0o700 });
  const workers = keys.bus.getPublicKey();
  const claims = await serverClaims(keys, {});
  for (const { key, jwt } of claims.accounts) {
    const path = join(accounts, `${key}.jwt`);
    if (key !== workers) await replaceFile(path, jwt);
    else if ((await readTextIfPresent(path)) === null) await replaceFile(path, oldestJwt(jwt, keys.operator));
  }
}

/** Returns the keys that the stored JWT of the account of the workers refuses. */
async function storedRefusals(folder: string, keys: BusKeys): Promise<Refusals> {
  const jwt = await readTextIfPresent(join(accountFolder(folder), `${keys.bus.getPublicKey()}.jwt`));
  return jwt === null ? {} : (decode<Account>(jwt.trim()).nats.revocations ?? {});
}

/**
 * Returns the names and addresses that the certificate of a server at this address must have: those of the machine if it
 * listens everywhere, and the configured ones.
 */
export function certificateHosts(listen: ListenAddress, publicHosts: readonly string[]): readonly string[] {
  const own = isAnyHost(listen) ? [hostname(), ...interfaceAddresses()] : [listen.host];
  const hosts = [...own, ...publicHosts, 'localhost', '127.0.0.1', '::1'];
  return [...new Set(hosts)].filter((host) => isIP(host) !== 0 || HOST_NAME.test(host));
}

const HOST_NAME =
  /^(?:[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?\.)*[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?$/;

const interfaceAddresses = (): readonly string[] =>
  Object.values(networkInterfaces())
    .flat()
    .flatMap((entry) => (entry === undefined || entry.scopeid ? [] : [entry.address]));
