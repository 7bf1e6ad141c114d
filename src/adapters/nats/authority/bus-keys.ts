import { randomBytes } from 'node:crypto';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { createAccount, createOperator, createUser, fromSeed, type KeyPair } from '@nats-io/nkeys';
import { literal, messageParser, record, text, type Reader } from '../../../core/wire/field-readers.ts';
import { replaceFile } from '../../system/durable-file.ts';
import { readTextIfPresent } from '../../system/read-if-present.ts';
import { fastPair } from '../nkey-signer.ts';

/** Seeds of the keys of a managed bus, in the text form of NKEYs. */
export interface BusSeeds {
  readonly v: 1;
  readonly operator: string;
  readonly system: string;
  readonly bus: string;
  readonly streams: string;
  /** Users of the service. */
  readonly system_user: string;
  readonly request_user: string;
  readonly stream_user: string;
  /** Password of the user that anonymous clients become. Only the server's configuration needs it. */
  readonly anonymous_password: string;
}

/** Keys of a managed bus. Private: they never leave the adapter, except those of the users of the service. */
export interface BusKeys {
  readonly operator: KeyPair;
  /** Accounts. */
  readonly system: KeyPair;
  readonly bus: KeyPair;
  readonly streams: KeyPair;
  readonly users: {
    readonly system: KeyPair;
    readonly requests: KeyPair;
    readonly streams: KeyPair;
  };
  readonly anonymousPassword: string;
}

const SEED_LENGTH = 128;
const FILE_LENGTH = 4096;

const seed = text(SEED_LENGTH);
/** Reads the seeds of the keys of a managed bus. */
export const busSeeds: Reader<BusSeeds> = record<BusSeeds>({
  v: literal(1),
  operator: seed,
  system: seed,
  bus: seed,
  streams: seed,
  system_user: seed,
  request_user: seed,
  stream_user: seed,
  anonymous_password: seed,
});
const parseSeeds = messageParser(busSeeds, { length: FILE_LENGTH, nesting: 2 });

/** Returns the path of the file with the keys of a managed bus. */
const keyFile = (folder: string): string => join(folder, 'keys.json');

/**
 * Returns the keys of the bus in this folder. They are generated once: workers know the bus by them.
 *
 * @throws Error that names the file if it cannot be read or is damaged. It is never replaced, because all workers would
 * have to join again.
 */
export async function loadBusKeys(folder: string): Promise<BusKeys> {
  const path = keyFile(folder);
  const stored = await storedSeeds(folder);
  if (stored !== null) return keysOfSeeds(stored, path);
  const seeds = newBusSeeds();
  await mkdir(folder, { recursive: true, mode: 0o700 });
  await replaceFile(path, JSON.stringify(seeds));
  return keysOfSeeds(seeds, path);
}

/**
 * Returns the seeds of the bus in this folder; null if the file is missing.
 *
 * @throws Error that names the file if it cannot be read or is damaged.
 */
export async function storedSeeds(folder: string): Promise<BusSeeds | null> {
  const path = keyFile(folder);
  const contents = await readTextIfPresent(path);
  if (contents === null) return null;
  const parsed = parseSeeds(contents);
  if (!parsed.ok)
    throw new Error(`${path}: the keys of the bus are damaged (${parsed.reason}); restore the file`);
  return parsed.value;
}

/**
 * Returns the keys of their seeds. `path` is the file that contains them.
 *
 * @throws Error that names the file if one of them is not the seed of a key.
 */
export function keysOfSeeds(seeds: BusSeeds, path: string): BusKeys {
  try {
    return {
      operator: pair(seeds.operator),
      system: pair(seeds.system),
      bus: pair(seeds.bus),
      streams: pair(seeds.streams),
      users: {
        system: pair(seeds.system_user),
        requests: pair(seeds.request_user),
        streams: pair(seeds.stream_user),
      },
      anonymousPassword: seeds.anonymous_password,
    };
  } catch {
    throw new Error(`${path}: the keys of the bus are damaged; restore the file`);
  }
}

/** Returns the seed of a key as text. */
export const seedOf = (keys: KeyPair): string => new TextDecoder().decode(keys.getSeed());

const pair = (text: string): KeyPair => fastPair(fromSeed(new TextEncoder().encode(text)));

/** Returns the seeds of new keys. */
export const newBusSeeds = (): BusSeeds => ({
  v: 1,
  operator: seedOf(createOperator()),
  system: seedOf(createAccount()),
  bus: seedOf(createAccount()),
  streams: seedOf(createAccount()),
  system_user: seedOf(createUser()),
  request_user: seedOf(createUser()),
  stream_user: seedOf(createUser()),
  anonymous_password: randomBytes(24).toString('base64url'),
});
