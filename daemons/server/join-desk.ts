import { timingSafeEqual } from 'node:crypto';
import { isSigned } from '../../src/adapters/nats/user-keys.ts';
import type { Actors } from '../../http/ports.ts';
import { CATALOG_ID, type CatalogMessage } from '../../actors/service/catalog/messages.ts';
import type { ReplyTo } from '../../actors/kernel/address.ts';
import { currentKey } from '../../src/core/bus-identity/credentials.ts';
import type { Namesake } from '../../src/core/bus-identity/join-decision.ts';
import { workerId, type FarmId } from '../../src/core/ids.ts';
import type { BusAuthority } from '../../src/core/ports/bus-authority.ts';
import type { Secrets } from '../../src/core/ports/secrets.ts';
import type { StoreReader } from '../../src/core/ports/store.ts';
import type { Outcome } from '../../src/core/problems.ts';
import { FailureBudget } from '../../src/core/rate-limit/failure-budget.ts';
import type { JoinTokenRecord } from '../../src/core/records/join-token.ts';
import { keys } from '../../src/core/records/tables.ts';
import type { WorkerCredentialRecord } from '../../src/core/records/worker-credential.ts';
import { timestampOf } from '../../src/core/timestamp.ts';
import {
  confirmationText,
  parseJoin,
  parseRenewal,
  renewalText,
  type ConfirmMessage,
  type JoinMessage,
  type JoinReply,
  type RenewMessage,
} from '../../src/core/wire/join-messages.ts';

/** Parts of the service that the desk uses. */
interface DeskPorts {
  readonly store: StoreReader;
  readonly actors: Pick<Actors, 'ask'>;
  readonly secrets: Pick<Secrets, 'digest'>;
  readonly authority: Pick<BusAuthority, 'issueWorker' | 'caPem' | 'urls'>;
  /** `bus.auth.credential_lifetime`. */
  readonly lifetimeMs: number;
  /** Returns milliseconds of a clock that never goes back. */
  readonly steadyNow: () => number;
  readonly log: (level: 'info' | 'warn', text: string, attributes: Readonly<Record<string, string>>) => void;
}

/** Requests in progress at the same time. Further ones are asked to repeat it. */
const IN_PROGRESS_MAX = 256;
const BUSY_MS = 2000;
/** Failed requests of one token or worker, and of all of them. */
const EACH = { max: 20, forgetMs: 3000, keysMax: 2048 } as const;
const ALL = { max: 1000, forgetMs: 20, keysMax: 1 } as const;
/** Warnings about failed requests: the first ones, then one in each minute. */
const WARNINGS = { max: 5, forgetMs: 60_000, keysMax: 1 } as const;

const refusal = (reason: string, retryAfterMs?: number): JoinReply => ({
  v: 1,
  type: 'refused',
  reason,
  ...(retryAfterMs === undefined ? {} : { retry_after_ms: retryAfterMs }),
});

/**
 * Exchanges join tokens for credentials, and renews those (docs/decisions/bus-identity.md). Failures are counted in a fixed
 * amount of memory; a token or worker with many failures is refused for a time.
 */
export class JoinDesk {
  readonly #ports: DeskPorts;
  readonly #each = new FailureBudget(EACH);
  readonly #all = new FailureBudget(ALL);
  readonly #warnings = new FailureBudget(WARNINGS);
  #inProgress = 0;

  constructor(ports: DeskPorts) {
    this.#ports = ports;
  }

  /** Handles a request for a first credential. `tokenId` is that of its subject. Never rejects. */
  joinRequested(tokenId: string, text: string): Promise<JoinReply> {
    return this.#handle(tokenId, 'a worker could not join', async () => {
      const read = parseJoin(text);
      if (!read.ok) return refusal(`the request is invalid: ${read.reason}`);
      if (read.value.token_id !== tokenId) return refusal('the request is for another token');
      const token = this.#ports.store.get('joinToken', keys.joinToken(tokenId));
      if (token === undefined || !this.#hasSecret(token, read.value.secret))
        return refusal('the token does not exist, or has expired; create a new one');
      return this.#join(token, read.value);
    });
  }

  /** Handles a request of the worker of the subject for a credential with another key. Never rejects. */
  renewalRequested(worker: string, text: string): Promise<JoinReply> {
    return this.#handle(worker, 'a worker could not renew its credential', () => {
      const read = parseRenewal(text);
      if (!read.ok) return Promise.resolve(refusal(`the request is invalid: ${read.reason}`));
      if (read.value.worker_id !== worker)
        return Promise.resolve(refusal('the request is for another worker'));
      return read.value.type === 'renew' ? this.#renew(read.value) : this.#confirm(read.value);
    });
  }

  async #handle(id: string, what: string, work: () => Promise<JoinReply>): Promise<JoinReply> {
    const now = this.#ports.steadyNow();
    const blockedMs = Math.max(this.#each.blockedMs(id, now), this.#all.blockedMs('', now));
    if (blockedMs > 0) return refusal('too many requests have failed; try again later', blockedMs);
    if (this.#inProgress >= IN_PROGRESS_MAX) return refusal('the service is busy', BUSY_MS);
    this.#inProgress += 1;
    try {
      const reply = await work();
      if (reply.type === 'refused') this.#failed(id, what, reply.reason);
      return reply;
    } catch (error) {
      this.#failed(id, what, error instanceof Error ? error.message : String(error));
      return refusal('the service could not create the credential', BUSY_MS);
    } finally {
      this.#inProgress -= 1;
    }
  }

  #failed(id: string, what: string, reason: string): void {
    const now = this.#ports.steadyNow();
    this.#each.failed(id, now);
    this.#all.failed('', now);
    if (this.#warnings.blockedMs('', now) > 0) return;
    this.#warnings.failed('', now);
    this.#ports.log('warn', what, { id: id.slice(0, 100), reason });
  }

  #hasSecret(token: JoinTokenRecord, secret: string): boolean {
    const given = Buffer.from(this.#ports.secrets.digest(secret), 'hex');
    const known = Buffer.from(token.digest, 'hex');
    return given.length === known.length && timingSafeEqual(given, known);
  }

  async #join(token: JoinTokenRecord, request: JoinMessage): Promise<JoinReply> {
    const { name, nkey: key } = request;
    const namesakes = await this.#namesakes(name, this.#farmsOf(token, request.farm ?? ''));
    const outcome = await this.#ask<WorkerCredentialRecord>((replyTo) => ({
      type: 'credential.join',
      request: { tokenId: token.id, name, key, namesakes, lifetimeMs: this.#ports.lifetimeMs },
      replyTo,
    }));
    if (!outcome.ok) return refusal(outcome.problem.detail);
    this.#ports.log('info', 'a worker has joined', {
      worker_id: outcome.value.workerId,
      worker: name,
      token_id: token.id,
    });
    return this.#issue(outcome.value, key);
  }

  /** Returns the farms in which a worker with the token may register. */
  #farmsOf(token: JoinTokenRecord, given: string): FarmId[] {
    if (token.farmId !== null) return [token.farmId];
    const farms = [...this.#ports.store.scan('farm')].map(({ value }) => value);
    const named = farms.filter(({ id, name }) => id === given || name === given);
    return (given === '' ? farms : named).map(({ id }) => id);
  }

  /** Returns the registered workers of a name. */
  async #namesakes(name: string, farms: readonly FarmId[]): Promise<Namesake[]> {
    const outcomes = await Promise.all(
      farms.map((id) =>
        this.#ports.actors.ask<Namesake | null>((replyTo) => ({
          actor: 'farm',
          id,
          message: { type: 'worker.find', name, replyTo },
        })),
      ),
    );
    return outcomes.flatMap((outcome) => {
      if (!outcome.ok) throw new Error(outcome.problem.detail);
      return outcome.value === null ? [] : [outcome.value];
    });
  }

  async #renew({ worker_id: id, nkey: key, issued_at: at, signature }: RenewMessage): Promise<JoinReply> {
    const credential = this.#ports.store.get('workerCredential', keys.workerCredential(id));
    const by = credential === undefined ? null : currentKey(credential);
    if (by === null || !isSigned(by.key, renewalText(id, key, at), signature))
      return refusal('the credential is not valid; the worker needs a new token to join again');
    const outcome = await this.#ask<WorkerCredentialRecord>((replyTo) => ({
      type: 'credential.renew',
      workerId: workerId(id),
      by: by.key,
      key,
      lifetimeMs: this.#ports.lifetimeMs,
      replyTo,
    }));
    return outcome.ok ? this.#issue(outcome.value, key) : refusal(outcome.problem.detail);
  }

  async #confirm({ worker_id: id, nkey: key, issued_at: at, signature }: ConfirmMessage): Promise<JoinReply> {
    if (!isSigned(key, confirmationText(id, key, at), signature)) return refusal('the signature is invalid');
    const outcome = await this.#ask<WorkerCredentialRecord>((replyTo) => ({
      type: 'credential.confirm',
      workerId: workerId(id),
      key,
      replyTo,
    }));
    return outcome.ok ? this.#reply(outcome.value, key, null) : refusal(outcome.problem.detail);
  }

  async #issue(credential: WorkerCredentialRecord, key: string): Promise<JoinReply> {
    const found = credential.keys.find((each) => each.key === key);
    if (found === undefined) throw new Error(`worker ${credential.workerId} has lost its key`);
    const jwt = await this.#ports.authority.issueWorker(credential.workerId, key, found.expiresAt);
    return this.#reply(credential, key, jwt);
  }

  #reply(credential: WorkerCredentialRecord, key: string, jwt: string | null): JoinReply {
    const expiresAt = credential.keys.find((each) => each.key === key)?.expiresAt ?? 0;
    return {
      v: 1,
      type: 'joined',
      worker_id: credential.workerId,
      farm_id: credential.farmId,
      jwt,
      expires_at: timestampOf(expiresAt),
      ca: this.#ports.authority.caPem,
      urls: this.#ports.authority.urls,
    };
  }

  async #ask<Answer>(make: (replyTo: ReplyTo<Outcome<Answer>>) => CatalogMessage): Promise<Outcome<Answer>> {
    return this.#ports.actors.ask<Answer>((replyTo) => ({
      actor: 'catalog',
      id: CATALOG_ID,
      message: make(replyTo),
    }));
  }
}
