import { encodeAccount, encodeOperator, encodeUser, type Account } from '@nats-io/jwt';
import type { KeyPair } from '@nats-io/nkeys';
import {
  DIAGNOSTIC_SUBJECT,
  joinerPermissions,
  storedSubjects,
  WORKER_SUBSCRIPTIONS_MAX,
  workerPermissions,
  type SubjectPermissions,
} from '../../../core/bus-identity/bus-permissions.ts';
import type { WorkerId } from '../../../core/ids.ts';
import type { BusKeys } from './bus-keys.ts';

/** Keys that are refused: public key of the user, and the time in seconds up to which its JWTs are refused. */
export type Refusals = Readonly<Record<string, number>>;

/** JWTs that a server in operator mode starts with. */
export interface ServerClaims {
  readonly operator: string;
  /** Public key of an account, and its JWT. */
  readonly accounts: readonly { readonly key: string; readonly jwt: string }[];
}

const UNLIMITED = -1;
const ACCOUNT_LIMITS = {
  subs: UNLIMITED,
  data: UNLIMITED,
  payload: UNLIMITED,
  imports: UNLIMITED,
  exports: UNLIMITED,
  conn: UNLIMITED,
  leaf: 0,
  wildcards: true,
} as const;
/** No limits but those of the server's disk: the streams have their own. */
const JETSTREAM_LIMITS = {
  mem_storage: UNLIMITED,
  disk_storage: UNLIMITED,
  streams: UNLIMITED,
  consumer: UNLIMITED,
} as const;
const SECOND_MS = 1000;

/** Returns the JWTs of the operator and of all accounts. */
export async function serverClaims(keys: BusKeys, refusals: Refusals): Promise<ServerClaims> {
  const { operator, system } = keys;
  const signed = { signer: operator };
  const systemKey = system.getPublicKey();
  return {
    operator: await encodeOperator('callsheet', operator, { system_account: systemKey }),
    accounts: [
      { key: systemKey, jwt: await encodeAccount('SYSTEM', system, { limits: ACCOUNT_LIMITS }, signed) },
      { key: keys.bus.getPublicKey(), jwt: await busAccount(keys, refusals) },
      { key: keys.streams.getPublicKey(), jwt: await streamsAccount(keys) },
    ],
  };
}

/** Returns the JWT of the account of the workers, with the keys that it refuses. */
export function busAccount(keys: BusKeys, refusals: Refusals): Promise<string> {
  const streams = keys.streams.getPublicKey();
  const account: Partial<Account> = {
    limits: ACCOUNT_LIMITS,
    imports: storedSubjects(true).map((subject) => ({
      name: subject,
      subject,
      local_subject: subject,
      account: streams,
      type: 'service',
    })),
    exports: [{ name: DIAGNOSTIC_SUBJECT, subject: DIAGNOSTIC_SUBJECT, type: 'stream' }],
    revocations: { ...refusals },
  };
  return encodeAccount('BUS', keys.bus, account, { signer: keys.operator });
}

/** Returns a JWT with the same claims that every other JWT of its account replaces: it was issued at the earliest time. */
export function oldestJwt(jwt: string, signer: KeyPair): string {
  const [header = '', body = ''] = jwt.split('.');
  const claims: unknown = JSON.parse(Buffer.from(body, 'base64url').toString('utf8'));
  const changed = Buffer.from(JSON.stringify(Object.assign({}, claims, { iat: 1 }))).toString('base64url');
  const signature = signer.sign(new TextEncoder().encode(`${header}.${changed}`));
  return `${header}.${changed}.${Buffer.from(signature).toString('base64url')}`;
}

function streamsAccount(keys: BusKeys): Promise<string> {
  const account: Partial<Account> = {
    limits: { ...ACCOUNT_LIMITS, ...JETSTREAM_LIMITS },
    exports: storedSubjects(true).map((subject) => ({
      name: subject,
      subject,
      type: 'service',
      response_type: 'Singleton',
    })),
    imports: [
      {
        name: DIAGNOSTIC_SUBJECT,
        subject: DIAGNOSTIC_SUBJECT,
        account: keys.bus.getPublicKey(),
        type: 'stream',
      },
    ],
  };
  return encodeAccount('STREAMS', keys.streams, account, { signer: keys.operator });
}

/** Returns the JWT of a user of the service, without limits and end. */
export const serviceUser = (name: string, user: KeyPair, account: KeyPair): Promise<string> =>
  encodeUser(name, user, account, { subs: UNLIMITED, data: UNLIMITED, payload: UNLIMITED });

/** Returns the JWT of a worker. `key` is the public key of a user; `expiresAtMs` in milliseconds since the epoch. */
export const workerUser = (
  worker: WorkerId,
  key: string,
  account: KeyPair,
  expiresAtMs: number,
): Promise<string> =>
  encodeUser(
    worker,
    key,
    account,
    {
      subs: WORKER_SUBSCRIPTIONS_MAX,
      data: UNLIMITED,
      payload: UNLIMITED,
      ...allowed(workerPermissions(worker)),
    },
    { exp: Math.floor(expiresAtMs / SECOND_MS) },
  );

/** Returns the JWT in a join token. It needs no key: the secret of the token is checked by the service. */
export const joinerUser = (
  tokenId: string,
  key: string,
  account: KeyPair,
  expiresAtMs: number,
): Promise<string> =>
  encodeUser(
    tokenId,
    key,
    account,
    {
      subs: JOINER_SUBSCRIPTIONS_MAX,
      data: UNLIMITED,
      payload: JOINER_PAYLOAD_BYTES,
      bearer_token: true,
      ...allowed(joinerPermissions(tokenId)),
    },
    { exp: Math.floor(expiresAtMs / SECOND_MS) },
  );

const JOINER_SUBSCRIPTIONS_MAX = 8;
const JOINER_PAYLOAD_BYTES = 4096;

const allowed = ({ publish, subscribe }: SubjectPermissions) => ({
  pub: { allow: [...publish] },
  sub: { allow: [...subscribe] },
});
