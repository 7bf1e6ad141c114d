import type { WorkerIdentity } from '../../actors/service/farm/messages.ts';
import {
  confirmedCredential,
  isValidCredential,
  joinedCredential,
  latestKey,
  renewedCredential,
  revokeCredential,
} from '../../src/core/bus-identity/credentials.ts';
import type { WorkerId } from '../../src/core/ids.ts';
import type { JoinTokenRecord } from '../../src/core/records/join-token.ts';
import type { WorkerCredentialRecord } from '../../src/core/records/worker-credential.ts';

/** Lifetime of a key: longer than a simulation, because a scenario renews and revokes. */
const LIFETIME_MS = 720 * 3_600_000;

/** Returns the keys of a credential that the bus must refuse. */
export type RefusedKeys = (credential: WorkerCredentialRecord, now: number) => readonly string[];

/** The credentials of the workers on a simulated bus with authentication, by the rules of the service. */
export class BusCredentials {
  private readonly now: () => number;
  private readonly refusedKeys: RefusedKeys;
  private readonly records = new Map<WorkerId, WorkerCredentialRecord>();
  private keys = 0;

  constructor(now: () => number, refused: RefusedKeys) {
    this.now = now;
    this.refusedKeys = refused;
  }

  /** Gives the worker a credential with a new key. An earlier one is revoked. */
  join(workerId: WorkerId, name: string): void {
    const token: JoinTokenRecord = {
      version: 1,
      id: 'token',
      digest: '',
      farmId: null,
      tags: {},
      uses: 1_000,
      usesLeft: 1_000,
      createdAt: this.now(),
      expiresAt: this.now() + LIFETIME_MS,
      createdBy: 'test',
      revokedAt: null,
      lastUsedAt: null,
    };
    const joined = { workerId, name, farmId: null };
    const record = joinedCredential(this.records.get(workerId), joined, token, this.newKey(), this.now());
    this.records.set(workerId, record);
  }

  /** Replaces the key of the worker, which confirms the new one. */
  renew(workerId: WorkerId): void {
    const key = this.newKey();
    const before = this.records.get(workerId);
    const offered = before === undefined ? null : renewedCredential(before, key, this.now());
    const renewed = offered === null ? null : confirmedCredential(offered, key.key, this.now());
    if (renewed !== null) this.records.set(workerId, renewed);
  }

  revoke(workerId: WorkerId): void {
    const record = this.records.get(workerId);
    if (record !== undefined) this.records.set(workerId, revokeCredential(record, this.now()));
  }

  isValid(workerId: WorkerId): boolean {
    const record = this.records.get(workerId);
    return record !== undefined && isValidCredential(record, this.now());
  }

  /** Reports whether the bus refuses the latest key of the worker. */
  isRefused(workerId: WorkerId): boolean {
    const record = this.records.get(workerId);
    return record !== undefined && this.refusedKeys(record, this.now()).includes(latestKey(record).key);
  }

  identityOf(workerId: WorkerId): WorkerIdentity {
    return { kind: 'joined', credential: this.records.get(workerId) ?? null };
  }

  private newKey(): { readonly key: string; readonly expiresAt: number } {
    return { key: `U${this.keys++}`, expiresAt: this.now() + LIFETIME_MS };
  }
}
