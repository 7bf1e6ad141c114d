import { readFile } from 'node:fs/promises';
import { searchServices } from '../../src/adapters/discovery/search.ts';
import { certificateExpiry, secretFile } from '../../src/adapters/host/secret-files.ts';
import { visitBus } from '../../src/adapters/nats/bus-visit.ts';
import {
  configuredServers,
  parseServerList,
  withAccess,
  type ServerList,
} from '../../src/adapters/nats/server-address.ts';
import type { WorkerConfig } from '../../src/core/config/worker-config.ts';
import { chooseService, type AnnouncedService } from '../../src/core/discovery/announced-service.ts';
import { hostOfUrl, isLoopbackHost } from '../../src/core/discovery/bus-address.ts';
import { busFinding, encryptionFinding, permissionFinding } from '../../src/core/host-check/bus-findings.ts';
import {
  parseStoredCredential,
  type StoredCredential,
} from '../../src/core/bus-identity/stored-credential.ts';
import { expiryFinding, secretFileFinding } from '../../src/core/host-check/credential-findings.ts';
import { failure, ok, skipped, type Finding } from '../../src/core/host-check/finding.ts';
import { reasonOf, type CheckedHost, type HostCheck } from './host-check.ts';

const BUS_MS = 30_000;
const FILES_MS = 10_000;
/** Time to find a service by mDNS. */
const SEARCH_MS = 10_000;
/** Time for replies of other services after the first one. */
const SETTLE_MS = 1_000;

const RENEW =
  'start the worker, which renews its credential; a worker whose credential has expired joins again with a new token';
const REPLACE = 'replace the certificate';

/** Returns the credential of the worker; null if its file is missing or cannot be used. */
async function credentialOf(config: WorkerConfig): Promise<StoredCredential | null> {
  try {
    const parsed = parseStoredCredential(await readFile(config.worker.credentialsFile, 'utf8'));
    return parsed.ok ? parsed.value : null;
  } catch {
    return null;
  }
}

async function checkBus({ config }: CheckedHost, signal: AbortSignal): Promise<readonly Finding[]> {
  const credential = await credentialOf(config);
  const servers = await serversOf(config, credential, signal);
  if (typeof servers === 'string')
    return [
      failure(
        'bus',
        servers,
        'check bus.url; without it, check that the service announces itself in this network (docs/discovery.md)',
      ),
    ];
  const visit = await visitBus(servers);
  const { access, user, token } = servers;
  const identity =
    access === undefined ? (user ?? token ?? '') : access.user + access.credentialsFile + access.nkeyFile;
  const hasIdentity =
    credential !== null ||
    identity !== '' ||
    (access?.token ?? null) !== null ||
    (access?.tls?.certFile ?? '') !== '';
  const isLocal = servers.servers.every((address) => isLoopbackHost(hostOfUrl(`nats://${address}`)));
  return [
    busFinding(visit, hasIdentity),
    encryptionFinding(visit, isLocal),
    permissionFinding(visit, hasIdentity),
  ];
}

/** Returns the servers of the bus as the worker finds them, or why there are none. */
async function serversOf(
  config: WorkerConfig,
  credential: StoredCredential | null,
  signal: AbortSignal,
): Promise<ServerList | string> {
  const { bus, discovery } = config;
  try {
    if (credential !== null) return credentialServers(bus, credential);
    if (discovery === null) return configuredServers(bus.urls, bus.access);
  } catch (error) {
    return reasonOf(error);
  }
  const service = await announced(discovery, AbortSignal.any([signal, AbortSignal.timeout(SEARCH_MS)]));
  const found = service === null ? null : parseServerList(service.urls.join(','));
  return found === null
    ? `no service ${discovery.name} is announced in this network`
    : withAccess(found, bus.access);
}

/** Returns the servers with the identity of the worker: those of `bus.url` if it is set, or those of the credential. */
function credentialServers(bus: WorkerConfig['bus'], { urls, seed, jwt, ca }: StoredCredential): ServerList {
  const servers = configuredServers(bus.hasUrls ? bus.urls : urls, bus.access);
  return { ...servers, identity: { seed, jwt }, ...(ca === null ? {} : { ca }) };
}

/** Returns the service that a worker of this configuration would choose; null without a reply until `signal` aborts. */
async function announced(
  { name, interfaces }: NonNullable<WorkerConfig['discovery']>,
  signal: AbortSignal,
): Promise<AnnouncedService | null> {
  let heard: readonly AnnouncedService[] = [];
  let timer: NodeJS.Timeout | undefined;
  const service = await new Promise<AnnouncedService | null>((resolve) => {
    const search = searchServices({
      interfaces,
      complain: () => undefined,
      heard: (services) => {
        heard = services;
        timer ??= setTimeout(() => {
          search.stop();
          resolve(chooseService(heard, name, null));
        }, SETTLE_MS);
      },
    });
    signal.addEventListener('abort', () => {
      search.stop();
      resolve(null);
    });
  });
  clearTimeout(timer);
  return service;
}

/** Checks the files of the access to the bus: present, only for their owner, valid, not expired. */
async function checkFiles({ config }: CheckedHost): Promise<readonly Finding[]> {
  const { access } = config.bus;
  const secrets: [key: string, path: string][] = [
    ['bus.credentials_file', access?.credentialsFile ?? ''],
    ['bus.nkey_file', access?.nkeyFile ?? ''],
    ['bus.password_file', fileOf(access?.password)],
    ['bus.token_file', fileOf(access?.token)],
    ['bus.tls.key_file', access?.tls?.keyFile ?? ''],
  ];
  const named = secrets.filter(([, path]) => path !== '');
  const findings = await Promise.all(
    named.map(async ([key, path]) => secretFileFinding(key, await secretFile(path))),
  );
  const certificates = (['caFile', 'certFile'] as const).flatMap((kind) => {
    const path = access?.tls?.[kind] ?? '';
    return path === '' ? [] : [{ key: kind === 'caFile' ? 'bus.tls.ca_file' : 'bus.tls.cert_file', path }];
  });
  for (const { key, path } of certificates) findings.push(await certificateFinding(key, path));
  return [...findings, ...(await credentialFindings(config))];
}

const fileOf = (source: { readonly file: string } | { readonly text: string } | null | undefined): string =>
  source !== null && source !== undefined && 'file' in source ? source.file : '';

async function certificateFinding(key: string, path: string): Promise<Finding> {
  const name = `file ${key}`;
  try {
    return expiryFinding(name, certificateExpiry(await readFile(path, 'utf8')), Date.now(), REPLACE);
  } catch (error) {
    return failure(name, `${path}: ${reasonOf(error)}`, `${key} must name a file with a PEM certificate`);
  }
}

async function credentialFindings(config: WorkerConfig): Promise<readonly Finding[]> {
  const name = 'credential';
  const path = config.worker.credentialsFile;
  const file = await secretFile(path);
  if (!file.ok)
    return file.reason.startsWith('ENOENT')
      ? [skipped(name, 'this worker has not joined a bus with authentication')]
      : [failure(name, `${path}: ${file.reason}`, 'run the check as the account of the worker')];
  const findings = [secretFileFinding('worker.credentials_file', file)];
  const parsed = parseStoredCredential(await readFile(path, 'utf8'));
  if (!parsed.ok)
    return [
      ...findings,
      failure(
        name,
        `${path} is not a credential: ${parsed.reason}`,
        'remove the file and join again with a new token',
      ),
    ];
  const { worker_id: workerId, expires_at: expiresAt, ca } = parsed.value;
  findings.push(ok(name, `of worker ${workerId}`));
  findings.push(
    expiryFinding('credential expiry', expiresAt === null ? null : Date.parse(expiresAt), Date.now(), RENEW),
  );
  if (ca !== null) findings.push(expiryFinding('CA of the bus', certificateExpiry(ca), Date.now(), REPLACE));
  return findings;
}

/** Checks of the bus and of the access to it. */
export const BUS_CHECKS: readonly HostCheck[] = [
  { name: 'credential', deadlineMs: FILES_MS, run: checkFiles },
  { name: 'bus', deadlineMs: BUS_MS, run: checkBus },
];
