import { connect } from '@nats-io/transport-node';
import type { WorkerId } from '../../../core/ids.ts';
import type { BusAuthority, UserKey } from '../../../core/ports/bus-authority.ts';
import { integer, messageParser, optional, record, text } from '../../../core/wire/field-readers.ts';
import { accessOptions } from '../access.ts';
import { CONNECTION_LIMITS } from '../limits.ts';
import { readText } from '../message-text.ts';
import type { ServerList } from '../server-address.ts';
import { newUserKey } from '../user-keys.ts';
import { busAccount, joinerUser, workerUser } from './account-claims.ts';
import type { BusKeys } from './bus-keys.ts';
import { fingerprintOf } from './certificates.ts';

interface AuthorityOptions {
  readonly keys: BusKeys;
  readonly caPem: string;
  /** Addresses for workers. */
  readonly urls: readonly string[];
  /** Access to the server as a user of the system account. */
  readonly system: ServerList;
}

interface UpdateReply {
  readonly data?: { readonly code?: number; readonly message?: string };
  readonly error?: { readonly code?: number; readonly description?: string };
}

const UPDATE = '$SYS.REQ.CLAIMS.UPDATE';
const REPLY_LENGTH = 16_384;
const OK = 200;
const SECOND_MS = 1000;

const code = optional(integer(0, 1_000_000));
const parseUpdateReply = messageParser(
  record<UpdateReply>({
    data: optional(record<NonNullable<UpdateReply['data']>>({ code, message: optional(text(REPLY_LENGTH)) })),
    error: optional(
      record<NonNullable<UpdateReply['error']>>({ code, description: optional(text(REPLY_LENGTH)) }),
    ),
  }),
  { length: REPLY_LENGTH, nesting: 8 },
);

/** Returns the authority of a managed server in operator mode. */
export function natsBusAuthority({ keys, caPem, urls, system }: AuthorityOptions): BusAuthority {
  return {
    urls,
    caPem,
    caFingerprint: fingerprintOf(caPem),
    issueWorker: (worker: WorkerId, key: UserKey, expiresAtMs: number) =>
      workerUser(worker, key, keys.bus, expiresAtMs),
    // The key of a joiner is never used: the secret in the token is what counts.
    issueJoiner: (tokenId, expiresAtMs) => joinerUser(tokenId, newUserKey().publicKey, keys.bus, expiresAtMs),
    refuse: async (refused) => {
      // Credentials of a refused key are refused whenever they were issued.
      const before = Math.ceil(Date.now() / SECOND_MS) + 1;
      const refusals = Object.fromEntries(refused.map((key) => [key, before]));
      await updateAccount(system, await busAccount(keys, refusals));
    },
  };
}

/** Replaces the claims of an account in the running server. Rejects if the server does not confirm it. */
async function updateAccount(system: ServerList, jwt: string): Promise<void> {
  const nc = await connect({
    servers: [...system.servers],
    name: 'callsheet accounts',
    reconnect: false,
    timeout: CONNECTION_LIMITS.dialMs,
    noAsyncTraces: true,
    ...accessOptions(system),
  });
  try {
    const reply = await nc.request(UPDATE, jwt, { timeout: CONNECTION_LIMITS.apiMs });
    const read = readText(reply.data, parseUpdateReply);
    if (!read.ok) throw new Error(`the server's answer cannot be read: ${read.reason}`);
    const { data, error } = read.value;
    if (data?.code !== OK)
      throw new Error(`the server refused it: ${error?.description ?? data?.message ?? 'no reason'}`);
  } finally {
    await nc.close();
  }
}
