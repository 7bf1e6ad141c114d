import {
  readCredential,
  readPendingKey,
  removePendingKey,
  writeCredential,
  writePendingKey,
} from '../../src/adapters/identity/credential-file.ts';
import { jwtValidity } from '../../src/adapters/identity/jwt-validity.ts';
import { backoffMs, BackoffTimer } from '../../src/adapters/nats/backoff.ts';
import { requestRenewal, type CredentialAnswer } from '../../src/adapters/nats/credential-requests.ts';
import { configuredServers, type ServerList } from '../../src/adapters/nats/server-address.ts';
import { newUserKey, publicKeyOf, signText } from '../../src/adapters/nats/user-keys.ts';
import { renewalTime } from '../../src/core/bus-identity/credential-lifetime.ts';
import type { StoredCredential } from '../../src/core/bus-identity/stored-credential.ts';
import type { WorkerConfig } from '../../src/core/config/worker-config.ts';
import type { WorkerId } from '../../src/core/ids.ts';
import type { BusEvent } from '../../src/core/ports/bus.ts';
import {
  confirmationText,
  renewalText,
  type ConfirmMessage,
  type RenewMessage,
} from '../../src/core/wire/join-messages.ts';
import type { Logger } from '../process/logging.ts';
import { configuredToken, joinBus, NEW_TOKEN } from './join-bus.ts';

const RETRY_MS = { min: 2000, max: 300_000 } as const;
/** A long wait is divided, so that it may be longer than a timer of the system, and follows the clock. */
const WAIT_MS_MAX = 60_000;
/** Errors of a server that does not accept a credential. */
const REFUSAL = /authoriz|authentic|revoked|jwt/i;

/**
 * The credential of this worker on the bus. States: in use, being renewed (a pending key is stored), refused. Invariants: a
 * key is stored before it is sent, and the credential on disk is always one that the service has issued. Exits: `close`; a
 * refused credential is reported, and the worker keeps trying until it is stopped.
 */
export class BusIdentity {
  readonly #config: WorkerConfig;
  readonly #logger: Logger;
  readonly #pauses = new BackoffTimer();
  #credential: StoredCredential;
  #isReported = false;
  #isClosed = false;
  #running: Promise<void> = Promise.resolve();

  constructor(config: WorkerConfig, credential: StoredCredential, logger: Logger) {
    this.#config = config;
    this.#credential = credential;
    this.#logger = logger;
  }

  get workerId(): WorkerId {
    return this.#credential.worker_id;
  }

  /** Returns the servers of the bus with the present credential: `bus.url`, or those of the credential. */
  servers(): ServerList {
    const { bus } = this.#config;
    const { urls, seed, jwt, ca } = this.#credential;
    const servers = bus.hasUrls
      ? configuredServers(bus.urls, bus.access)
      : configuredServers(urls, bus.access);
    return { ...servers, identity: { seed, jwt }, ...(ca === null ? {} : { ca }) };
  }

  /** Returns the servers that the service names for this credential, also if `bus.url` names others: `host:port`. */
  issuedServers(): readonly string[] {
    const { urls } = this.#credential;
    return urls.length === 0 ? [] : configuredServers(urls, null).servers;
  }

  /** Confirms the present key, and renews it in time. `redial` replaces the connection by one with the present key. */
  start(redial: () => Promise<void>): void {
    if (this.#credential.jwt !== null) this.#running = this.#keep(redial);
  }

  /** Handles an event of the connection to the bus. */
  noticed(event: BusEvent): void {
    if (event.type === 'connected') this.#isReported = false;
    if ((event.type === 'unreachable' || event.type === 'server-error') && REFUSAL.test(event.reason))
      this.#reportRefusal(event.reason);
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    this.#pauses.end();
    await this.#running;
  }

  /** Reports whether the bus or the service refuses the credential. False if neither can be asked. */
  async isRefused(): Promise<boolean> {
    if (this.#credential.jwt === null) return false;
    const answer = await this.#confirm();
    if (answer.type === 'unauthorized') return true;
    return (
      answer.type === 'answered' &&
      answer.reply.type === 'refused' &&
      answer.reply.retry_after_ms === undefined
    );
  }

  async #keep(redial: () => Promise<void>): Promise<void> {
    await this.#repeat(() => this.#confirm());
    while (!this.#isClosed) {
      const at = this.#renewalTime();
      if (at === null) return;
      while (!this.#isClosed && Date.now() < at)
        await this.#pauses.pause(Math.min(WAIT_MS_MAX, at - Date.now()));
      await this.#repeat(() => this.#renew());
      if (this.#isClosed) return;
      this.#logger.info(
        { expires_at: this.#credential.expires_at ?? '' },
        'renewed the credential of the bus',
      );
      await redial();
      await this.#repeat(() => this.#confirm());
    }
  }

  /** Repeats a request until it succeeds or the worker stops. */
  async #repeat(request: () => Promise<CredentialAnswer>): Promise<void> {
    for (let failures = 1; !this.#isClosed; failures += 1) {
      const answer = await request().catch(failed);
      if (answer.type === 'answered' && answer.reply.type === 'joined') return;
      this.#reportFailure(answer, failures);
      const retryMs =
        answer.type === 'answered' && answer.reply.type === 'refused'
          ? (answer.reply.retry_after_ms ?? 0)
          : 0;
      await this.#pauses.pause(Math.max(retryMs, backoffMs(failures, RETRY_MS.min, RETRY_MS.max)));
    }
  }

  #reportFailure(answer: CredentialAnswer, failures: number): void {
    if (answer.type === 'unauthorized') this.#reportRefusal(answer.reason);
    else if (failures === 1 && !this.#isClosed)
      this.#logger.warn(
        { reason: reasonOf(answer) },
        'the service has not confirmed the credential of this worker; trying again',
      );
  }

  #reportRefusal(reason: string): void {
    if (this.#isReported || this.#isClosed) return;
    this.#isReported = true;
    this.#logger.error(
      { reason, file: this.#config.worker.credentialsFile },
      `the bus refuses the credential of this worker: it was revoked or has expired; ${NEW_TOKEN}`,
    );
  }

  #renewalTime(): number | null {
    const validity = this.#credential.jwt === null ? null : jwtValidity(this.#credential.jwt);
    return validity === null ? null : renewalTime(validity, Math.random());
  }

  async #confirm(): Promise<CredentialAnswer> {
    const { worker_id: worker, seed } = this.#credential;
    const key = publicKeyOf(seed) ?? '';
    const at = new Date().toISOString();
    const message: ConfirmMessage = {
      v: 1,
      type: 'confirm',
      worker_id: worker,
      nkey: key,
      issued_at: at,
      signature: signText(seed, confirmationText(worker, key, at)),
    };
    return requestRenewal(this.servers(), worker, JSON.stringify(message));
  }

  async #renew(): Promise<CredentialAnswer> {
    const { worker_id: worker, seed: present } = this.#credential;
    const path = this.#config.worker.credentialsFile;
    const seed = await this.#nextSeed(path);
    const key = publicKeyOf(seed) ?? '';
    const at = new Date().toISOString();
    const message: RenewMessage = {
      v: 1,
      type: 'renew',
      worker_id: worker,
      nkey: key,
      issued_at: at,
      signature: signText(present, renewalText(worker, key, at)),
    };
    const answer = await requestRenewal(this.servers(), worker, JSON.stringify(message));
    if (answer.type !== 'answered') return answer;
    const { reply } = answer;
    if (reply.type === 'refused') {
      // The next try uses another key: this one may be the reason.
      if (reply.retry_after_ms === undefined) await removePendingKey(path);
      return answer;
    }
    const { jwt, ca, urls, expires_at } = reply;
    const credential: StoredCredential = { ...this.#credential, seed, jwt, ca, urls, expires_at };
    await writeCredential(path, credential);
    await removePendingKey(path);
    this.#credential = credential;
    return answer;
  }

  async #nextSeed(path: string): Promise<string> {
    const pending = await readPendingKey(path);
    if (pending !== null && pending.token_id === null && publicKeyOf(pending.seed) !== null)
      return pending.seed;
    const { seed } = newUserKey();
    await writePendingKey(path, { v: 1, seed, token_id: null });
    return seed;
  }
}

/** A request that could not be sent, for example because the disk is full, is repeated. */
const failed = (error: unknown): CredentialAnswer => ({
  type: 'unreachable',
  reason: error instanceof Error ? error.message : String(error),
});

function reasonOf(answer: CredentialAnswer): string {
  if (answer.type !== 'answered') return answer.reason;
  return answer.reply.type === 'refused' ? answer.reply.reason : '';
}

/**
 * Returns the identity of this worker on the bus: its stored credential, or a new one for the token of `worker.join`; null
 * for a worker with neither. A token replaces a credential only if that is not valid any more. Returns null too if
 * `stopping` is aborted while it waits for the bus.
 *
 * @throws Error with the reason if the credential cannot be used, or the token is refused.
 */
export async function openIdentity(
  config: WorkerConfig,
  logger: Logger,
  stopping: AbortSignal,
): Promise<BusIdentity | null> {
  const token = configuredToken(config);
  const stored = await readCredential(config.worker.credentialsFile);
  if (stored !== null && publicKeyOf(stored.seed) === null)
    throw new Error(
      `worker.credentials_file: the key in ${config.worker.credentialsFile} is damaged; ${NEW_TOKEN}`,
    );
  if (stored !== null && !(await mustJoinAgain(config, stored, token !== null, logger)))
    return new BusIdentity(config, stored, logger);
  if (token === null) return null;
  const credential = await joinBus(config, token, logger, stopping);
  return credential === null ? null : new BusIdentity(config, credential, logger);
}

/** Reports whether the credential is not valid any more, and a token can replace it. */
async function mustJoinAgain(
  config: WorkerConfig,
  stored: StoredCredential,
  hasToken: boolean,
  logger: Logger,
): Promise<boolean> {
  const expiresAt = stored.expires_at === null ? Infinity : Date.parse(stored.expires_at);
  const isExpired = expiresAt <= Date.now();
  if (!hasToken) {
    if (isExpired)
      throw new Error(
        `worker.credentials_file: the credential in ${config.worker.credentialsFile} expired at ${stored.expires_at ?? ''}; ${NEW_TOKEN}`,
      );
    return false;
  }
  const isRefused = isExpired || (await new BusIdentity(config, stored, logger).isRefused());
  if (!isRefused) logger.info('the worker has a credential already: the token is not used');
  return isRefused;
}
