import fc from 'fast-check';
import { test } from 'tap';
import { KEY_TRANSITIONS } from '../../../src/core/bus-identity/credential-keys.ts';
import {
  confirmedCredential,
  currentKey,
  hasExpired,
  isValidCredential,
  joinedCredential,
  KEYS_MAX,
  latestKey,
  refusedKeys,
  renewedCredential,
  REPLACED_GRACE_MS,
  revokeCredential,
  settledCredential,
} from '../../../src/core/bus-identity/credentials.ts';
import { workerId } from '../../../src/core/ids.ts';
import type { WorkerCredentialRecord } from '../../../src/core/records/worker-credential.ts';
import { joinToken } from './kit.ts';

const WORKER = workerId('01a206e1-4ada-7000-969c-c180114036ad');
const T0 = 1_795_000_000_000;
const LIFETIME = 3_600_000;

const joined = (key: string, now = T0, before?: WorkerCredentialRecord): WorkerCredentialRecord =>
  joinedCredential(
    before,
    { workerId: WORKER, name: 'n', farmId: null },
    joinToken(),
    { key, expiresAt: now + LIFETIME },
    now,
  );

test('a key is offered, confirmed, replaced and refused', (t) => {
  const first = joined('A');
  const renewed = renewedCredential(first, { key: 'B', expiresAt: T0 + 2 * LIFETIME }, T0 + 1);
  t.not(renewed, null);
  if (renewed === null) return t.end();
  t.equal(currentKey(renewed)?.key, 'A', 'the worker may never get the new one');
  t.strictSame(refusedKeys(renewed, T0 + 1), []);
  t.equal(renewedCredential(renewed, { key: 'B', expiresAt: 0 }, T0 + 2), renewed, 'a repeated request');
  const confirmed = confirmedCredential(renewed, 'B', T0 + 10);
  t.not(confirmed, null);
  if (confirmed === null) return t.end();
  t.equal(currentKey(confirmed)?.key, 'B');
  const before = T0 + 10 + REPLACED_GRACE_MS - 1;
  t.equal(settledCredential(confirmed, before), confirmed, 'the worker may still be connected with A');
  t.strictSame(refusedKeys(settledCredential(confirmed, before + 1), before + 1), ['A']);
  t.equal(confirmedCredential(confirmed, 'A', T0 + 11), null, 'A cannot come back');
  t.equal(renewedCredential(confirmed, { key: 'A', expiresAt: T0 }, T0 + 11), null, 'A is used up');
  t.equal(confirmedCredential(confirmed, 'B', T0 + 12), confirmed);
  return t.end();
});

test('a second offer refuses the first one at once', (t) => {
  const offered = renewedCredential(joined('A'), { key: 'B', expiresAt: T0 + LIFETIME }, T0);
  const again = offered && renewedCredential(offered, { key: 'C', expiresAt: T0 + LIFETIME }, T0);
  t.strictSame(again && refusedKeys(again, T0), ['B']);
  t.equal(again && confirmedCredential(again, 'B', T0), null);
  t.equal(again && currentKey(again)?.key, 'A');
  t.end();
});

test('a revoked credential stays revoked, and a worker that joins again keeps its keys refused', (t) => {
  const revoked = revokeCredential(joined('A'), T0 + 5);
  t.equal(revokeCredential(revoked, T0 + 9), revoked, 'with the time of the first revocation');
  t.notOk(isValidCredential(revoked, T0 + 5));
  t.strictSame(refusedKeys(revoked, T0 + 5), ['A']);
  t.strictSame(refusedKeys(revoked, T0 + LIFETIME), [], 'the bus checks the expiry itself');
  const again = joined('B', T0 + 6, revoked);
  t.ok(isValidCredential(again, T0 + 6));
  t.strictSame(refusedKeys(again, T0 + 6), ['A']);
  t.equal(again.registeredAt, null);
  t.end();
});

test('an expired credential is not valid, and keeps its last key for readers', (t) => {
  const first = joined('A');
  t.ok(isValidCredential(first, T0 + LIFETIME - 1));
  t.notOk(isValidCredential(first, T0 + LIFETIME));
  t.ok(hasExpired(first, T0 + LIFETIME));
  t.equal(latestKey(settledCredential(first, T0 + LIFETIME)).key, 'A');
  t.end();
});

test('the number of keys is bounded until some have expired', (t) => {
  let credential: WorkerCredentialRecord | null = joined('K0');
  for (let number = 1; number < KEYS_MAX; number += 1)
    credential =
      credential && renewedCredential(credential, { key: `K${number}`, expiresAt: T0 + LIFETIME }, T0);
  t.equal(credential?.keys.length, KEYS_MAX);
  const next = { key: 'next', expiresAt: T0 + 3 * LIFETIME };
  t.equal(credential && renewedCredential(credential, next, T0), null);
  t.not(credential && renewedCredential(credential, next, T0 + LIFETIME), null);
  t.end();
});

type Step = readonly ['renew' | 'confirm' | 'settle' | 'revoke' | 'join', number];

/** Applies a step; a step that the rules refuse changes nothing. */
function apply(credential: WorkerCredentialRecord, [kind, key]: Step, now: number): WorkerCredentialRecord {
  switch (kind) {
    case 'renew':
      return renewedCredential(credential, { key: `K${key}`, expiresAt: now + LIFETIME }, now) ?? credential;
    case 'confirm':
      return confirmedCredential(credential, `K${key}`, now) ?? credential;
    case 'settle':
      return settledCredential(credential, now);
    case 'revoke':
      return revokeCredential(credential, now);
    case 'join':
      return isValidCredential(credential, now) || credential.keys.some((each) => each.key === `K${key}`)
        ? credential
        : joined(`K${key}`, now, credential);
  }
}

test('whatever happens, statuses follow the table and refused keys stay refused', (t) => {
  const kind = fc.constantFrom('renew', 'confirm', 'settle', 'revoke', 'join');
  const steps = fc.array(fc.tuple(fc.tuple(kind, fc.nat(6)), fc.nat(200_000)), {
    maxLength: 40,
    size: 'max',
  });
  const rows = new Set(KEY_TRANSITIONS.map(({ from, to }) => `${from ?? ''} ${to}`));
  fc.assert(
    fc.property(steps, (all) => {
      let credential = joined('K0');
      let now = T0;
      for (const [step, delay] of all) {
        now += delay;
        const before = credential;
        credential = apply(before, step, now);
        const status = (key: string): string => before.keys.find((each) => each.key === key)?.status ?? '';
        for (const key of credential.keys) {
          const from = status(key.key);
          if (from !== key.status && !rows.has(`${from} ${key.status}`)) return false;
        }
        const refused = new Set(refusedKeys(credential, now));
        if (refusedKeys(before, now).some((key) => !refused.has(key))) return false;
        for (const single of ['current', 'offered'])
          if (credential.keys.filter((each) => each.status === single).length > 1) return false;
        if (credential.revokedAt !== null && currentKey(credential) !== null) return false;
        if (credential.keys.length === 0) return false;
      }
      return true;
    }),
  );
  t.end();
});
