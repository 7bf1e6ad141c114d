import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  connect,
  jwtAuthenticator,
  type NatsConnection,
  type NodeConnectionOptions,
} from '@nats-io/transport-node';
import { parseJoinToken } from '../../src/adapters/identity/join-token-text.ts';
import { requestJoin } from '../../src/adapters/nats/credential-requests.ts';
import { newUserKey } from '../../src/adapters/nats/user-keys.ts';
import { parseStoredCredential } from '../../src/core/bus-identity/stored-credential.ts';

/** The service of a worker: its folder (test/kit/daemons.ts) and the port of its bus. */
export interface BusOfService {
  readonly folder: string;
  readonly busPort: number;
}

/** Access of a program that acts as a worker on the bus of a service, with or without authentication. */
export interface WorkerAccess {
  /** The id of the credential; null on a bus without authentication, where a worker chooses its own. */
  readonly workerId: string | null;
  /** Opens a connection. */
  readonly connect: (port: number) => Promise<NatsConnection>;
  /** Returns the subject that the worker uses in place of one of the contract. */
  readonly subject: (contract: string) => string;
  /** Returns an unguessable inbox for one reply. */
  readonly inbox: () => string;
}

/** A token with which all workers of the service in this folder join; present only with authentication. */
export const tokenFile = (folder: string): string => join(folder, 'join-token');

const random = (): string => crypto.randomUUID().replaceAll('-', '');

/** The credential of a worker on a bus with authentication. */
export interface Credential {
  readonly workerId: string;
  readonly seed: string;
  readonly jwt: string;
  /** PEM text of the authority of the bus. */
  readonly ca: string;
}

/** Exchanges the text of a token for the credential of a new worker. Rejects with the reason of a refusal. */
export async function joinWith(text: string, name: string, farm = ''): Promise<Credential> {
  const token = parseJoinToken(text);
  if (!token.ok) throw new Error(token.reason);
  const { seed, publicKey } = newUserKey();
  const { i: token_id, s: secret } = token.value;
  const request = { v: 1, type: 'join', token_id, secret, name, nkey: publicKey };
  const answer = await requestJoin(token.value, JSON.stringify(farm === '' ? request : { ...request, farm }));
  if (answer.type !== 'answered' || answer.reply.type !== 'joined')
    throw new Error(`${name} cannot join: ${JSON.stringify(answer)}`);
  const { worker_id: workerId, jwt, ca } = answer.reply;
  if (jwt === null) throw new Error(`${name} got no credential`);
  return { workerId, seed, jwt, ca };
}

/** Returns the access of a new worker of the service, which joins if the service authenticates its workers. */
export async function accessTo({ folder }: BusOfService, name: string, farm = ''): Promise<WorkerAccess> {
  if (!existsSync(tokenFile(folder))) return openAccess();
  return accessOf(await joinWith(readFileSync(tokenFile(folder), 'utf8').trim(), name, farm));
}

/** Returns the access of a worker that was started by the kit (test/kit/daemons.ts): it acts as this worker. */
export function accessOfWorker(service: BusOfService, name: string): WorkerAccess {
  const credential = credentialOfWorker(service, name);
  return credential === null ? openAccess() : accessOf(credential);
}

/** Returns the credential of a worker that was started by the kit; null on a bus without authentication. */
export function credentialOfWorker({ folder }: BusOfService, name: string): Credential | null {
  const file = join(folder, `worker-${name}/bus-credentials.json`);
  if (!existsSync(file)) return null;
  const parsed = parseStoredCredential(readFileSync(file, 'utf8'));
  if (!parsed.ok) throw new Error(`${file}: ${parsed.reason}`);
  const { worker_id: workerId, seed, jwt, ca } = parsed.value;
  if (jwt === null || ca === null) throw new Error(`${file} is not a credential of a managed bus`);
  return { workerId, seed, jwt, ca };
}

/** Returns the access of a program that has this credential. `options` add to those of its connections. */
export function accessOf(
  { workerId, seed, jwt, ca }: Credential,
  options: NodeConnectionOptions = {},
): WorkerAccess {
  const prefix = `_INBOX.${workerId}`;
  return {
    workerId,
    connect: (port) =>
      connect({
        servers: [`127.0.0.1:${port}`],
        tls: { ca },
        authenticator: jwtAuthenticator(jwt, new TextEncoder().encode(seed)),
        inboxPrefix: prefix,
        ...options,
      }),
    subject: (contract) => `${contract}.${workerId}`,
    inbox: () => `${prefix}.${random()}.${random()}`,
  };
}

export const openAccess = (): WorkerAccess => ({
  workerId: null,
  connect: (port) => connect({ servers: [`127.0.0.1:${port}`] }),
  subject: (contract) => contract,
  inbox: () => `_INBOX.${random()}.reply`,
});
