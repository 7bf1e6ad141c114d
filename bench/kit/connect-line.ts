import { join } from 'node:path';
import { fromSeed } from '@nats-io/nkeys';
import { loadBusKeys, seedOf } from '../../src/adapters/nats/authority/bus-keys.ts';

/**
 * Returns the CONNECT line of a raw client. With a seed, it proves that it has this key by a signature of the nonce in the
 * server's greeting.
 */
export function connectLine(greeting: string, seed: string | null): string {
  const options = {
    verbose: false,
    pedantic: false,
    tls_required: false,
    name: 'bench',
    lang: 'bench',
    version: '1',
    protocol: 1,
    headers: true,
    no_responders: true,
  };
  const proof = seed === null ? {} : proofOf(greeting, seed);
  return `CONNECT ${JSON.stringify({ ...options, ...proof })}\r\nPING\r\n`;
}

function proofOf(greeting: string, seed: string): { readonly nkey: string; readonly sig: string } {
  const nonce = /"nonce":"([^"]+)"/.exec(greeting)?.[1];
  if (nonce === undefined) throw new Error('the server asks for no proof of a key');
  const key = fromSeed(new TextEncoder().encode(seed));
  const signature = key.sign(new TextEncoder().encode(nonce));
  return { nkey: key.getPublicKey(), sig: Buffer.from(signature).toString('base64url') };
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
