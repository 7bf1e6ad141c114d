import { join } from 'node:path';
import { fromSeed } from '@nats-io/nkeys';
import { loadBusKeys, seedOf } from '../../src/adapters/nats/authority/bus-keys.ts';
import type { NatsUser } from './nats-user.ts';

/** Returns the fields of a CONNECT line that prove who a client is. `nonce` is that of the server's greeting, if any. */
export type Proof = (nonce: string | null) => Readonly<Record<string, string>>;

/** How a raw client connects. */
export interface BusAccess {
  /** Null: without credentials. */
  readonly prove: Proof | null;
  /** PEM text of the authority of the server's certificate; null: without TLS. */
  readonly ca: string | null;
}

export const ANONYMOUS: BusAccess = { prove: null, ca: null };

/** Returns the CONNECT line of a raw client as the answer to the server's greeting. */
export function connectLine(greeting: string, { prove, ca }: BusAccess): string {
  const options = {
    verbose: false,
    pedantic: false,
    tls_required: ca !== null,
    name: 'bench',
    lang: 'bench',
    version: '1',
    protocol: 1,
    headers: true,
    no_responders: true,
  };
  const proof = prove?.(/"nonce":"([^"]+)"/.exec(greeting)?.[1] ?? null) ?? {};
  return `CONNECT ${JSON.stringify({ ...options, ...proof })}\r\nPING\r\n`;
}

/** Access without TLS as the user with the key of a seed. */
export function seedAccess(seed: string): BusAccess {
  const key = fromSeed(new TextEncoder().encode(seed));
  return {
    ca: null,
    prove: (nonce) => ({
      nkey: key.getPublicKey(),
      sig: Buffer.from(key.sign(new TextEncoder().encode(needed(nonce)))).toString('base64url'),
    }),
  };
}

/** Access with TLS as the user of a JWT. */
export const userAccess = (jwt: string, user: NatsUser, ca: string): BusAccess => ({
  ca,
  prove: (nonce) => ({ jwt, sig: user.sign(needed(nonce)) }),
});

/** Access with TLS by a JWT that needs no key, as that of a join token. */
export const bearerAccess = (jwt: string, ca: string): BusAccess => ({ ca, prove: () => ({ jwt }) });

function needed(nonce: string | null): string {
  if (nonce === null) throw new Error('the server asks for no proof of a key');
  return nonce;
}

/**
 * Returns the seed of the key with which the service uses requests on its managed bus: its user may use every subject
 * outside of the streams.
 */
export async function requestSeed(dataDirectory: string): Promise<string> {
  return seedOf((await loadBusKeys(join(dataDirectory, 'bus'))).users.requests);
}

/** Returns the seed of the key with which the service uses the streams of its managed bus. */
export async function streamSeed(dataDirectory: string): Promise<string> {
  return seedOf((await loadBusKeys(join(dataDirectory, 'bus'))).users.streams);
}
