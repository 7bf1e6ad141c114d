import { test } from 'tap';
import { refusedKeys } from '../../../../src/core/bus-identity/credentials.ts';
import { TestFarm } from '../../../kit/test-farm.ts';

const HOUR = 3_600_000;
const refused = (fixture: TestFarm): string[] =>
  fixture.credentials().flatMap((each) => refusedKeys(each, fixture.now));

/** A farm on whose bus workers have credentials. */
function authenticatedFarm(): TestFarm {
  const fixture = new TestFarm();
  fixture.identity = 'joined';
  fixture.takeOutputs();
  return fixture;
}

/** Joins a worker and registers it under its id. */
function joined(fixture: TestFarm, name: string, key = `key-${name}`) {
  fixture.join(name, key, fixture.createToken().id);
  const credential = fixture.credentials().find((each) => each.name === name);
  if (credential === undefined) throw new Error('the worker did not join');
  fixture.workerIds.set(name, credential.workerId);
  fixture.register(name);
  return credential;
}

test('a token admits a worker, which registers with its forced tags', (t) => {
  const fixture = authenticatedFarm();
  const token = fixture.createToken({ tags: { gpu: 'rtx' } });
  t.match(token, { usesLeft: 1, createdAt: fixture.now, expiresAt: fixture.now + HOUR, createdBy: 'ada' });
  fixture.join('w1', 'K1', token.id);
  const [credential] = fixture.credentials();
  t.match(credential, { name: 'w1', tokenId: token.id, registeredAt: null });
  t.match(fixture.tokens(), [{ usesLeft: 0, lastUsedAt: fixture.now }]);
  t.match(fixture.answer('join w1'), { ok: true, value: credential });
  fixture.join('w1', 'K1', token.id);
  t.match(fixture.answer('join w1'), { ok: true, value: { workerId: credential?.workerId } }, 'repeated');
  fixture.join('w2', 'K2', token.id);
  t.match(fixture.answer('join w2'), { ok: false, problem: { detail: /has no uses left/ } });
  t.equal(fixture.credentials().length, 1);
  if (credential !== undefined) fixture.workerIds.set('w1', credential.workerId);
  fixture.register('w1', { tags: { gpu: 'mine' } });
  t.match(fixture.worker('w1'), { id: credential?.workerId, tags: { gpu: 'rtx' } });
  t.equal(fixture.credentials()[0]?.registeredAt, fixture.now);
  t.end();
});

test('only the worker of a valid credential registers', (t) => {
  const fixture = authenticatedFarm();
  const reason = (): unknown =>
    fixture
      .takeOutputs()
      .filter((line) => line.includes('refused'))
      .join();
  fixture.register('stranger');
  t.match(reason(), /no valid credential/);
  const one = joined(fixture, 'w1');
  fixture.takeOutputs();
  fixture.register('w2', { worker_id: one.workerId });
  t.equal(reason(), '', 'a worker may change its name');
  const two = joined(fixture, 'w3');
  fixture.deregister('w3');
  fixture.takeOutputs();
  fixture.register('w3', { worker_id: one.workerId, incarnation: 'start-2' });
  t.match(reason(), /another worker named/, 'not even the name of an offline worker');
  fixture.revokeCredential(two.workerId);
  fixture.takeOutputs();
  fixture.register('w3', { worker_id: two.workerId, incarnation: 'start-3' });
  t.match(reason(), /no valid credential/, 'it was revoked');
  t.end();
});

test('a deleted worker loses its credential, and an offline one is taken over after a revocation', (t) => {
  const fixture = authenticatedFarm();
  const one = joined(fixture, 'w1', 'K1');
  fixture.deregister('w1');
  const namesake = { id: one.workerId, status: 'offline' } as const;
  fixture.join('w1', 'K2', fixture.createToken().id, [namesake]);
  t.match(fixture.answer('join w1'), { ok: false, problem: { detail: /has a credential/ } });
  fixture.revokeCredential(one.workerId);
  t.strictSame(refused(fixture), ['K1']);
  fixture.revokeCredential(one.workerId);
  t.match(fixture.answer('revoke credential'), { ok: true, value: { revokedAt: fixture.now } });
  fixture.join('w1', 'K2', fixture.tokens().find(({ usesLeft }) => usesLeft > 0)?.id ?? '', [namesake]);
  t.match(fixture.answer('join w1'), { ok: true, value: { workerId: one.workerId, revokedAt: null } });
  t.strictSame(refused(fixture), ['K1']);
  fixture.takeOutputs();
  fixture.deleteWorker('w1');
  t.ok(fixture.takeOutputs().includes('refuse keys'));
  t.strictSame(refused(fixture).sort(), ['K1', 'K2']);
  fixture.advance(HOUR + 60_000);
  t.strictSame(fixture.credentials(), [], 'nothing is left to refuse');
  t.end();
});

test('a renewed key is confirmed, and the one before is refused two minutes later', (t) => {
  const fixture = authenticatedFarm();
  const { workerId } = joined(fixture, 'w1', 'K1');
  fixture.renew(workerId, 'K9', 'K2');
  t.match(fixture.answer('renew K2'), { ok: false, problem: { kind: 'forbidden' } }, 'not its key');
  fixture.renew(workerId, 'K1', 'K2');
  t.match(fixture.answer('renew K2'), { ok: true });
  fixture.advance(600_000);
  t.strictSame(refused(fixture), [], 'the worker may not have got it');
  fixture.confirm(workerId, 'K3');
  t.match(fixture.answer('confirm K3'), { ok: false });
  fixture.confirm(workerId, 'K2');
  fixture.takeOutputs();
  fixture.advance(119_000);
  t.strictSame(refused(fixture), []);
  fixture.advance(20_000);
  t.strictSame(refused(fixture), ['K1']);
  t.ok(fixture.takeOutputs().includes('refuse keys'));
  fixture.renew(workerId, 'K1', 'K4');
  t.match(fixture.answer('renew K4'), { ok: false }, 'an old key renews nothing');
  const other = joined(fixture, 'w2', 'L1');
  fixture.renew(other.workerId, 'L1', 'K2');
  t.match(fixture.answer('renew K2'), { ok: false }, 'the key of another worker');
  t.end();
});

test('tokens expire, are revoked, and are limited in number', (t) => {
  const fixture = authenticatedFarm();
  const { id } = fixture.createToken();
  fixture.revokeToken(id);
  fixture.revokeToken(id);
  t.match(fixture.answer('revoke token'), { ok: true });
  fixture.join('w1', 'K1', id);
  t.match(fixture.answer('join w1'), { ok: false, problem: { detail: /is revoked/ } });
  fixture.revokeToken('unknown');
  t.match(fixture.answer('revoke token'), { ok: false, problem: { kind: 'not-found' } });
  for (let number = 1; number < 1000; number += 1) fixture.createToken();
  t.throws(() => fixture.createToken());
  t.match(fixture.answer('create token'), { ok: false, problem: { kind: 'conflict' } });
  fixture.advance(HOUR + 15_000);
  t.strictSame(fixture.tokens(), []);
  fixture.createToken();
  t.end();
});
