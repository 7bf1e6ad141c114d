import { randomBytes } from 'node:crypto';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { createAccount, createOperator, createUser, fromSeed, type KeyPair } from '@nats-io/nkeys';
import { literal, messageParser, record, text } from '../../../core/wire/field-readers.ts';
import { replaceFile } from '../../system/durable-file.ts';
import { readTextIfPresent } from '../../system/read-if-present.ts';
import { fastPair } from '../nkey-signer.ts';

/** Seeds of the keys of a managed bus, in the text form of NKEYs. */
interface Seeds {
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
const parseSeeds = messageParser(
  record<Seeds>({
    v: literal(1),
    operator: seed,
    system: seed,
    bus: seed,
    streams: seed,
    system_user: seed,
    request_user: seed,
    stream_user: seed,
    anonymous_password: seed,
  }),
  { length: FILE_LENGTH, nesting: 2 },
);

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
  const stored = await readTextIfPresent(path);
  const contents = stored ?? JSON.stringify(generate());
  const parsed = parseSeeds(contents);
  if (!parsed.ok)
    throw new Error(`${path}: the keys of the bus are damaged (${parsed.reason}); restore the file`);
  if (stored === null) {
    await mkdir(folder, { recursive: true, mode: 0o700 });
    await replaceFile(path, contents);
  }
  const keys = parsed.value;
  try {
    return {
      operator: pair(keys.operator),
      system: pair(keys.system),
      bus: pair(keys.bus),
      streams: pair(keys.streams),
      users: {
        system: pair(keys.system_user),
        requests: pair(keys.request_user),
        streams: pair(keys.stream_user),
      },
      anonymousPassword: keys.anonymous_password,
    };
  } catch {
    throw new Error(`${path}: the keys of the bus are damaged; restore the file`);
  }
}

/** Returns the seed of a key as text. */
export const seedOf = (keys: KeyPair): string => new TextDecoder().decode(keys.getSeed());

const pair = (text: string): KeyPair => fastPair(fromSeed(new TextEncoder().encode(text)));

const generate = (): Seeds => ({
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
