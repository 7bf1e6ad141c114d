import { test } from 'tap';
import { TestFarm } from '../../../kit/test-farm.ts';

const names = (fixture: TestFarm): string[] => fixture.locations().map(({ name }) => name);

test('compute locations can be created, replaced and deleted', (t) => {
  const fixture = new TestFarm();
  const madeAt = fixture.now;
  fixture.createLocation('berlin', { description: 'first floor' });
  const made = fixture.location('berlin');
  t.strictSame(made, {
    version: 1,
    id: made.id,
    name: 'berlin',
    description: 'first floor',
    createdAt: madeAt,
    updatedAt: madeAt,
  });
  fixture.advance(5);
  fixture.replaceLocation('berlin', { name: 'potsdam' });
  const after = { ...made, name: 'potsdam', description: '', updatedAt: madeAt + 5 };
  t.strictSame(fixture.locations(), [after]);
  t.strictSame(fixture.answer('replace location berlin'), { ok: true, value: after });
  fixture.deleteLocation('potsdam');
  t.strictSame(fixture.locations(), []);
  fixture.replaceLocation('potsdam');
  fixture.deleteLocation('potsdam');
  fixture.expect(t, 'said', [
    'create location berlin: ok',
    'replace location berlin: ok',
    'delete location potsdam: ok',
    'replace location potsdam: not-found, there is no compute location potsdam',
    'delete location potsdam: not-found, there is no compute location potsdam',
  ]);
  t.end();
});

test('location names are unique, with case', (t) => {
  const fixture = new TestFarm();
  fixture.createLocation('berlin');
  fixture.createLocation('Berlin');
  fixture.createLocation('berlin');
  fixture.replaceLocation('Berlin', { name: 'berlin' });
  fixture.replaceLocation('Berlin', { description: 'the same name' });
  fixture.expect(t, 'two names that differ in case are two locations', [
    'create location berlin: ok',
    'create location Berlin: ok',
    'create location berlin: conflict, a compute location named "berlin" already exists',
    'replace location Berlin: conflict, a compute location named "berlin" already exists',
    'replace location Berlin: ok',
  ]);
  fixture.restart();
  fixture.createLocation('Berlin');
  fixture.expect(t, 'known after a restart', [
    'create location Berlin: conflict, a compute location named "Berlin" already exists',
  ]);
  t.strictSame(names(fixture), ['Berlin', 'berlin']);
  t.end();
});

test('a registering worker adds its compute location', (t) => {
  const fixture = new TestFarm();
  fixture.register('w', { compute_location: 'berlin' });
  const made = fixture.location('berlin');
  t.strictSame(made, {
    version: 1,
    id: made.id,
    name: 'berlin',
    description: '',
    createdAt: fixture.now,
    updatedAt: fixture.now,
  });
  fixture.replaceLocation('berlin', { description: 'first floor' });
  fixture.inOneWindow(() => {
    fixture.register('v', { compute_location: 'berlin' });
    fixture.register('u', { compute_location: 'Berlin' });
    fixture.register('x', { compute_location: 'Berlin' });
    fixture.register('y');
  });
  t.strictSame(names(fixture), ['Berlin', 'berlin'], 'once, and none for a worker without a location');
  t.equal(fixture.location('berlin').description, 'first floor', 'settings of a client stay');
  fixture.expect(t, 'the registration itself is unchanged', [
    'worker w online',
    'register w: registered as w',
    'replace location berlin: ok',
    'worker v online',
    'register v: registered as v',
    'worker u online',
    'register u: registered as u',
    'worker x online',
    'register x: registered as x',
    'worker y online',
    'register y: registered as y',
  ]);
  t.end();
});

test('a deleted location reappears when a worker registers or comes back online', (t) => {
  const fixture = new TestFarm();
  fixture.register('w', { compute_location: 'berlin' });
  const first = fixture.location('berlin').id;
  fixture.deleteLocation('berlin');
  fixture.heartbeat('w');
  fixture.advance(20_000);
  t.strictSame(names(fixture), [], 'heartbeats of an online worker do not restore it');
  fixture.register('w', { compute_location: 'berlin' });
  t.strictSame(names(fixture), ['berlin'], 'a repeated registration does');
  t.not(fixture.location('berlin').id, first, 'it is a new entry');
  fixture.deleteLocation('berlin');
  fixture.register('w', { compute_location: 'berlin', incarnation: 'start-2' });
  t.strictSame(names(fixture), ['berlin'], 'so does a start of the agent');
  fixture.deleteLocation('berlin');
  fixture.beating.delete('w');
  fixture.advance(60_000);
  t.equal(fixture.worker('w').status, 'offline');
  t.strictSame(names(fixture), []);
  fixture.heartbeat('w');
  t.equal(fixture.worker('w').status, 'online');
  t.strictSame(names(fixture), ['berlin'], 'so does a worker that sends heartbeats again');
  fixture.expectInvariants(t, 'at the end');
  t.end();
});

test('a worker with an invalid location name is registered', (t) => {
  const fixture = new TestFarm();
  for (const [at, place] of ['first floor', 'a/b', `it's`, 'a"b', 'a`b', 'x'.repeat(256)].entries()) {
    fixture.register(`w${at}`, { compute_location: place });
    t.equal(fixture.worker(`w${at}`).status, 'online', place.slice(0, 20));
    t.equal(fixture.worker(`w${at}`).computeLocation, place);
  }
  t.strictSame(names(fixture), []);
  const wrong = 'must not be empty or hold whitespace, slashes, quote or control characters';
  t.strictSame(fixture.takeWarnings(), [
    ...Array.from({ length: 5 }, () => `ignored the compute location of a worker: its name ${wrong}`),
    'ignored the compute location of a worker: its name must not have more than 255 characters',
  ]);
  t.end();
});

test('a refused worker adds no location', (t) => {
  const fixture = new TestFarm();
  fixture.register('w', { compute_location: 'berlin', queues: ['no such queue'] });
  fixture.expect(t, 'refused', ['register w: refused, the farm has no queue "no such queue"']);
  t.strictSame(names(fixture), []);
  t.end();
});
