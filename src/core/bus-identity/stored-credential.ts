import type { FarmId, WorkerId } from '../ids.ts';
import {
  identifier,
  line,
  list,
  literal,
  messageParser,
  record,
  text,
  type Reader,
} from '../wire/field-readers.ts';
import { readFarmId, readTimestamp, readToken, readWorkerId } from '../wire/identifiers.ts';
import type { Parsed } from '../wire/json-text.ts';

/** The file with a worker's credential on the bus (docs/decisions/bus-identity.md#credential-file). Names are those of the file. */
export interface StoredCredential {
  readonly v: 1;
  readonly worker_id: WorkerId;
  /** Null if the worker may select its farm. */
  readonly farm_id: FarmId | null;
  /** Addresses of the bus. */
  readonly urls: readonly string[];
  /** Seed of the worker's key: a secret. */
  readonly seed: string;
  /** Null if the configuration of an external server names the key. */
  readonly jwt: string | null;
  /** PEM text of the authority of the bus; null: as configured. */
  readonly ca: string | null;
  /** Null if it does not expire. */
  readonly expires_at: string | null;
}

/**
 * A key for which a credential is requested, stored before the request: a repeated request with the same key costs nothing
 * (docs/decisions/bus-identity.md#credential-file).
 */
export interface PendingKey {
  readonly v: 1;
  readonly seed: string;
  /** Token with which it joins; null for a renewal. */
  readonly token_id: string | null;
}

const CHARACTERS_MAX = 256 * 1024;
const LIMITS = { length: CHARACTERS_MAX, nesting: 4 } as const;

const orNull =
  <T>(read: Reader<T>): Reader<T | null> =>
  (value) =>
    value === null ? null : read(value);

const seed: Reader<string> = identifier(
  'the seed of a user',
  58,
  (value) => /^SU[A-Z2-7]{56}$/.test(value),
  (value) => value,
);

/** Parses the content of a credential file. The reason contains no values. */
export const parseStoredCredential: (content: string) => Parsed<StoredCredential> = messageParser(
  record<StoredCredential>({
    v: literal(1),
    worker_id: readWorkerId,
    farm_id: orNull(readFarmId),
    urls: list(line(512, 1), 16),
    seed,
    jwt: orNull(line(8192, 1)),
    ca: orNull(text(128 * 1024, 1)),
    expires_at: orNull(readTimestamp),
  }),
  LIMITS,
);

/** Parses the content of the file of a key that is not in use yet. */
export const parsePendingKey: (content: string) => Parsed<PendingKey> = messageParser(
  record<PendingKey>({ v: literal(1), seed, token_id: orNull(readToken) }),
  LIMITS,
);
