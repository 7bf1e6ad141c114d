import { test } from 'tap';
import { decideJoin, type NameHolders } from '../../../src/core/bus-identity/join-decision.ts';
import {
  joinedCredential,
  revokeCredential,
  UNREGISTERED_HOLD_MS,
} from '../../../src/core/bus-identity/credentials.ts';
import { joinTokenStatus, revokeToken, useToken } from '../../../src/core/bus-identity/join-tokens.ts';
import { workerId } from '../../../src/core/ids.ts';
import type { WorkerCredentialRecord } from '../../../src/core/records/worker-credential.ts';
import type { WorkerStatus } from '../../../src/core/records/worker.ts';
import { joinToken } from './kit.ts';

const NOW = 1_795_000_000_000;
const W1 = workerId('01a206e1-0000-7000-969c-000000000001');
const W2 = workerId('01a206e1-0000-7000-969c-000000000002');
const NONE: NameHolders = { workers: [], unregistered: [] };

const credential = (id = W1, key = 'A', tokenId = joinToken().id): WorkerCredentialRecord =>
  joinedCredential(
    undefined,
    { workerId: id, name: 'n', farmId: null },
    joinToken({ id: tokenId }),
    { key, expiresAt: NOW + 3_600_000 },
    NOW,
  );

const named = (status: WorkerStatus, of?: WorkerCredentialRecord, id = W1): NameHolders => ({
  workers: [{ worker: { id, status }, credential: of }],
  unregistered: [],
});

test('a token admits as many workers as it has uses', (t) => {
  const two = joinToken({ uses: 2, usesLeft: 2 });
  const one = useToken(two, NOW);
  t.match(one, { usesLeft: 1, lastUsedAt: NOW });
  const none = one && useToken(one, NOW + 1);
  t.equal(none && joinTokenStatus(none), 'used_up');
  t.equal(none && useToken(none, NOW + 2), null);
  t.equal(useToken(joinToken(), joinToken().expiresAt), null, 'it has expired');
  const revoked = revokeToken(two, NOW);
  t.equal(joinTokenStatus(revoked), 'revoked');
  t.equal(revokeToken(revoked, NOW + 5), revoked);
  t.equal(useToken(revoked, NOW), null);
  t.end();
});

test('a refusal says what is wrong with the token', (t) => {
  const reason = (token: Parameters<typeof decideJoin>[0], now = NOW): unknown => {
    const decision = decideJoin(token, 'n', undefined, 'A', NONE, now);
    return decision.type === 'refused' ? decision.reason : decision.type;
  };
  t.match(reason(joinToken({ usesLeft: 0 })), /has no uses left/);
  t.match(reason(joinToken({ revokedAt: NOW })), /is revoked/);
  t.match(reason(joinToken(), joinToken().expiresAt), /has expired/);
  t.equal(reason(joinToken()), 'joins');
  t.end();
});

test('a repeated request with the same key costs no use', (t) => {
  const own = credential();
  const used = joinToken({ usesLeft: 0 });
  t.strictSame(decideJoin(used, 'n', own, 'A', NONE, NOW), { type: 'repeated', credential: own });
  const other = joinToken({ id: 'other' });
  t.match(decideJoin(other, 'n', own, 'A', NONE, NOW), { type: 'refused', reason: /used before/ });
  const revoked = revokeCredential(own, NOW);
  t.match(decideJoin(joinToken(), 'n', revoked, 'A', NONE, NOW), { type: 'refused' });
  t.end();
});

test('a name is taken over only from an offline worker without a valid credential', (t) => {
  const decide = (holders: NameHolders) => decideJoin(joinToken(), 'n', undefined, 'B', holders, NOW + 1);
  t.match(decide(named('offline')), { type: 'joins', takesOver: W1 });
  t.match(decide(named('offline', revokeCredential(credential(), NOW))), { type: 'joins', takesOver: W1 });
  t.match(decide(named('offline', credential())), { type: 'refused', reason: /has a credential/ });
  t.match(decide(named('online')), { type: 'refused', reason: /is online/ });
  t.match(decide(named('disabled')), { type: 'refused', reason: /is disabled/ });
  t.match(decide(NONE), { type: 'joins', takesOver: null });
  const both = [...named('offline').workers, ...named('offline', undefined, W2).workers];
  t.match(decide({ workers: both, unregistered: [] }), { type: 'refused', reason: /several farms/ });
  t.end();
});

test('a worker that joined and never registered holds its name for ten minutes', (t) => {
  const waiting = credential(W2, 'C');
  const holders = { workers: [], unregistered: [waiting] };
  const at = (now: number) => decideJoin(joinToken(), 'n', undefined, 'B', holders, now);
  t.match(at(NOW + UNREGISTERED_HOLD_MS - 1), { type: 'refused', reason: /has not registered yet/ });
  t.match(at(NOW + UNREGISTERED_HOLD_MS), { type: 'joins', takesOver: null, revokes: [waiting] });
  t.end();
});
