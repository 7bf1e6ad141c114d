import { isUuid } from '../ids.ts';
import {
  checked,
  line,
  list,
  literal,
  messageParser,
  record,
  text,
  type Reader,
} from '../wire/field-readers.ts';
import type { Parsed } from '../wire/json-text.ts';
import { WIRE_LIMITS } from '../wire/limits.ts';
import { isTimestamp } from '../wire/timestamp-text.ts';

/** Credential of a worker on the bus, as in its file. */
export interface WorkerCredential {
  readonly worker_id: string;
  /** Addresses of the bus. */
  readonly urls: readonly string[];
  /** Seed of the key: a secret. */
  readonly seed: string;
  /** Null: the configuration of the server names the key. */
  readonly jwt: string | null;
  /** PEM text of the certificate authority of the bus. */
  readonly ca: string | null;
  /** RFC 3339; null: it does not expire. */
  readonly expires_at: string | null;
}

const FILE_CHARACTERS_MAX = 256 * 1024;
const URLS_MAX = 64;

const nullOr =
  <T>(read: Reader<T>): Reader<T | null> =>
  (value) =>
    value === null ? null : read(value);

const uuid = checked(line(WIRE_LIMITS.name), (value) => (isUuid(value) ? null : 'must be a UUID'));
const time = checked(line(WIRE_LIMITS.name), (value) => (isTimestamp(value) ? null : 'must be a time'));

const parse = messageParser(
  record<WorkerCredential & { readonly v: 1 }>({
    v: literal(1),
    worker_id: uuid,
    urls: list(line(WIRE_LIMITS.name, 1), URLS_MAX),
    seed: checked(line(WIRE_LIMITS.name), (value) =>
      /^SU[A-Z2-7]{56}$/.test(value) ? null : 'must be the seed of a user',
    ),
    jwt: nullOr(text(FILE_CHARACTERS_MAX)),
    ca: nullOr(text(FILE_CHARACTERS_MAX)),
    expires_at: nullOr(time),
  }),
  { length: FILE_CHARACTERS_MAX, nesting: WIRE_LIMITS.nesting },
);

/** Parses the file with the credential of a worker. Reasons name the field, not its value. */
export const parseWorkerCredential = (content: string): Parsed<WorkerCredential> => parse(content);
