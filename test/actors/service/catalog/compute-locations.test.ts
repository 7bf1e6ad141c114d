import { test } from 'tap';
import { TestHouse } from '../../../kit/test-house.ts';

const names = (house: TestHouse): string[] => house.locations().map(({ name }) => name);

test('locations are created, replaced and deleted', (t) => {
  const house = new TestHouse();
  const madeAt = house.now;
  house.createLocation('berlin', { description: 'first floor' });
  const made = house.location('berlin');
  t.strictSame(made, {
    version: 1,
    id: made.id,
    name: 'berlin',
    description: 'first floor',
    createdAt: madeAt,
    updatedAt: madeAt,
  });
  house.advance(5);
  house.replaceLocation('berlin', { name: 'potsdam' });
  const after = { ...made, name: 'potsdam', description: '', updatedAt: madeAt + 5 };
  t.strictSame(house.locations(), [after]);
  t.strictSame(house.answer('replace location berlin'), { ok: true, value: after });
  house.deleteLocation('potsdam');
  t.strictSame(house.locations(), []);
  house.replaceLocation('potsdam');
  house.deleteLocation('potsdam');
  house.expect(t, 'said', [
    'create location berlin: ok',
    'replace location berlin: ok',
    'delete location potsdam: ok',
    'replace location potsdam: not-found, there is no compute location potsdam',
    'delete location potsdam: not-found, there is no compute location potsdam',
  ]);
  t.end();
});

test('names of locations are unique as written', (t) => {
  const house = new TestHouse();
  house.createLocation('berlin');
  house.createLocation('Berlin');
  house.createLocation('berlin');
  house.replaceLocation('Berlin', { name: 'berlin' });
  house.replaceLocation('Berlin', { description: 'the same name' });
  house.expect(t, 'two names that differ in case are two locations', [
    'create location berlin: ok',
    'create location Berlin: ok',
    'create location berlin: conflict, there is a compute location named "berlin" already',
    'replace location Berlin: conflict, there is a compute location named "berlin" already',
    'replace location Berlin: ok',
  ]);
  house.restart();
  house.createLocation('Berlin');
  house.expect(t, 'known after a restart', [
    'create location Berlin: conflict, there is a compute location named "Berlin" already',
  ]);
  t.strictSame(names(house), ['Berlin', 'berlin']);
  t.end();
});

test('a worker that registers enters its place', (t) => {
  const house = new TestHouse();
  house.register('w', { compute_location: 'berlin' });
  const made = house.location('berlin');
  t.strictSame(made, {
    version: 1,
    id: made.id,
    name: 'berlin',
    description: '',
    createdAt: house.now,
    updatedAt: house.now,
  });
  house.replaceLocation('berlin', { description: 'first floor' });
  house.together(() => {
    house.register('v', { compute_location: 'berlin' });
    house.register('u', { compute_location: 'Berlin' });
    house.register('x', { compute_location: 'Berlin' });
    house.register('y');
  });
  t.strictSame(names(house), ['Berlin', 'berlin'], 'once, and none for a worker without a place');
  t.equal(house.location('berlin').description, 'first floor', 'what a client has set stays');
  house.expect(t, 'registration is as ever', [
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

test('a deleted location is back when a worker registers or comes back online', (t) => {
  const house = new TestHouse();
  house.register('w', { compute_location: 'berlin' });
  const first = house.location('berlin').id;
  house.deleteLocation('berlin');
  house.heartbeat('w');
  house.advance(20_000);
  t.strictSame(names(house), [], 'heartbeats of a worker that is online do not bring it back');
  house.register('w', { compute_location: 'berlin' });
  t.strictSame(names(house), ['berlin'], 'a repeated registration does');
  t.not(house.location('berlin').id, first, 'it is a new entry');
  house.deleteLocation('berlin');
  house.register('w', { compute_location: 'berlin', incarnation: 'start-2' });
  t.strictSame(names(house), ['berlin'], 'so does a start of the daemon');
  house.deleteLocation('berlin');
  house.beating.delete('w');
  house.advance(60_000);
  t.equal(house.worker('w').status, 'offline');
  t.strictSame(names(house), []);
  house.heartbeat('w');
  t.equal(house.worker('w').status, 'online');
  t.strictSame(names(house), ['berlin'], 'so does a worker that is heard again');
  house.checkAtRest(t, 'in the end');
  t.end();
});

test('a worker is registered whatever it calls its place', (t) => {
  const house = new TestHouse();
  for (const [at, place] of ['first floor', 'a/b', `it's`, 'a"b', 'a`b', 'x'.repeat(256)].entries()) {
    house.register(`w${at}`, { compute_location: place });
    t.equal(house.worker(`w${at}`).status, 'online', place.slice(0, 20));
    t.equal(house.worker(`w${at}`).computeLocation, place);
  }
  t.strictSame(names(house), []);
  const wrong = 'must not be empty or hold whitespace, slashes, quote or control characters';
  t.strictSame(house.warned(), [
    ...Array.from({ length: 5 }, () => `a worker reports a compute location whose name ${wrong}`),
    'a worker reports a compute location whose name must not have more than 255 characters',
  ]);
  t.end();
});

test('a worker that is refused enters nothing', (t) => {
  const house = new TestHouse();
  house.register('w', { compute_location: 'berlin', queues: ['no such queue'] });
  house.expect(t, 'refused', ['register w: refused, the farm has no queue "no such queue"']);
  t.strictSame(names(house), []);
  t.end();
});
