import type { FarmId, WorkerId } from '../ids.ts';
import {
  identifier,
  integer,
  line,
  list,
  literal,
  messageParser,
  optional,
  record,
  text,
  variant,
  type Reader,
} from './field-readers.ts';
import { readFarmId, readTimestamp, readToken, readWorkerId } from './identifiers.ts';
import type { Parsed } from './json-text.ts';
import { WIRE_LIMITS as LIMITS } from './limits.ts';

/**
 * Messages with which a worker joins a bus with authentication and renews its credential
 * (docs/decisions/bus-identity.md#messages). Field names are those of the wire.
 */

/** `service.join.<token id>`, a request of a worker that has no credential. */
export interface JoinMessage {
  readonly v: 1;
  readonly type: 'join';
  readonly token_id: string;
  readonly secret: string;
  /** Name of the worker. */
  readonly name: string;
  /** Farm id or name that the worker is configured for. Absent or empty: none. */
  readonly farm?: string;
  /** Public key of the worker. */
  readonly nkey: string;
}

/** `worker.renew.<worker id>`: a request for a credential with another key. */
export interface RenewMessage {
  readonly v: 1;
  readonly type: 'renew';
  readonly worker_id: WorkerId;
  /** The new key. */
  readonly nkey: string;
  readonly issued_at: string;
  /** By the present key, over `renewalText`. In base64url. */
  readonly signature: string;
}

/** `worker.renew.<worker id>`: the worker uses the key, so that the one before is not needed any more. */
export interface ConfirmMessage {
  readonly v: 1;
  readonly type: 'confirm';
  readonly worker_id: WorkerId;
  readonly nkey: string;
  readonly issued_at: string;
  /** By that key, over `confirmationText`. In base64url. */
  readonly signature: string;
}

/** Reply to all of them. */
export type JoinReply =
  | {
      readonly v: 1;
      readonly type: 'joined';
      readonly worker_id: WorkerId;
      readonly farm_id: FarmId | null;
      /** Null in the reply to `confirm`: the worker has it. */
      readonly jwt: string | null;
      readonly expires_at: string;
      readonly ca: string;
      readonly urls: readonly string[];
    }
  | {
      readonly v: 1;
      readonly type: 'refused';
      readonly reason: string;
      /** Present if the same request may succeed after this time. */
      readonly retry_after_ms?: number;
    };

export const JOIN_MESSAGE_CHARACTERS_MAX = 4096;
const REPLY_CHARACTERS_MAX = 256 * 1024;
const NESTING = 4;
const RETRY_MS_MAX = 3_600_000;

const same = (value: string): string => value;
/** An NKEY public key of a user. */
const userKey: Reader<string> = identifier(
  'a public NKEY of a user',
  56,
  (value) => /^U[A-Z2-7]{55}$/.test(value),
  same,
);
const secret: Reader<string> = identifier('a secret', 43, (value) => /^[A-Za-z0-9_-]{43}$/.test(value), same);
const signature: Reader<string> = identifier(
  'a signature',
  86,
  (value) => /^[A-Za-z0-9_-]{86}$/.test(value),
  same,
);

/** `service.join.<token id>` */
export const parseJoin: (text: string) => Parsed<JoinMessage> = messageParser(
  record<JoinMessage>({
    v: literal(1),
    type: literal('join'),
    token_id: readToken,
    secret,
    name: line(LIMITS.name, 1),
    farm: optional(line(LIMITS.name)),
    nkey: userKey,
  }),
  { length: JOIN_MESSAGE_CHARACTERS_MAX, nesting: NESTING },
);

const renew = record<RenewMessage>({
  v: literal(1),
  type: literal('renew'),
  worker_id: readWorkerId,
  nkey: userKey,
  issued_at: readTimestamp,
  signature,
});

const confirm = record<ConfirmMessage>({
  v: literal(1),
  type: literal('confirm'),
  worker_id: readWorkerId,
  nkey: userKey,
  issued_at: readTimestamp,
  signature,
});

/** `worker.renew.<worker id>` */
export const parseRenewal: (text: string) => Parsed<RenewMessage | ConfirmMessage> = messageParser(
  variant<RenewMessage | ConfirmMessage>('type', { renew, confirm }),
  { length: JOIN_MESSAGE_CHARACTERS_MAX, nesting: NESTING },
);

type Joined = Extract<JoinReply, { type: 'joined' }>;
type Refused = Extract<JoinReply, { type: 'refused' }>;

const orNull =
  <T extends string>(read: Reader<T>): Reader<T | null> =>
  (value) =>
    value === null ? null : read(value);

const joined: Reader<JoinReply> = record<Joined>({
  v: literal(1),
  type: literal('joined'),
  worker_id: readWorkerId,
  farm_id: orNull(readFarmId),
  jwt: orNull(line(8192, 1)),
  expires_at: readTimestamp,
  ca: text(64 * 1024, 1),
  urls: list(line(512, 1), 16),
});

const refused: Reader<JoinReply> = record<Refused>({
  v: literal(1),
  type: literal('refused'),
  reason: text(LIMITS.message),
  retry_after_ms: optional(integer(1, RETRY_MS_MAX)),
});

/** The reply to each of these requests. */
export const parseJoinReply: (text: string) => Parsed<JoinReply> = messageParser(
  variant<JoinReply>('type', { joined, refused }),
  { length: REPLY_CHARACTERS_MAX, nesting: NESTING },
);

/** Text that the present key signs to renew. */
export const renewalText = (worker: WorkerId, key: string, issuedAt: string): string =>
  `renew:${worker}:${key}:${issuedAt}`;

/** Text that a new key signs when the worker uses it. */
export const confirmationText = (worker: WorkerId, key: string, issuedAt: string): string =>
  `confirm:${worker}:${key}:${issuedAt}`;
