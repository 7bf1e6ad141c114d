import { test } from 'tap';
import { TestFarm } from '../../../kit/test-farm.ts';

test('farm names are unique', (t) => {
  const fixture = new TestFarm();
  const other = fixture.createFarm({ name: 'G' });
  fixture.takeOutputs();
  fixture.createFarm({ name: 'F' });
  fixture.replaceFarm({ name: 'F' }, other);
  fixture.replaceFarm({ name: 'G' }, other);
  fixture.replaceFarm({ name: 'H' }, other);
  fixture.createFarm({ name: 'G' });
  fixture.expect(t, 'a released name can be used again', [
    'create farm F: conflict, a farm named "F" already exists',
    'replace farm: conflict, a farm named "F" already exists',
    'replace farm: ok',
    'replace farm: ok',
    'create farm G: ok',
  ]);
  t.strictSame([...fixture.store.scan('farm')].map((row) => row.value.name).sort(), ['F', 'G', 'H']);
  t.end();
});

test('of two farms created with one name at the same moment, one is refused', (t) => {
  const fixture = new TestFarm();
  fixture.inOneWindow(() => {
    fixture.createFarm({ name: 'G' });
    fixture.createFarm({ name: 'G' });
  });
  fixture.expect(t, 'the second is refused', [
    'create farm G: conflict, a farm named "G" already exists',
    'create farm G: ok',
  ]);
  t.end();
});

test('farm names are known after a restart of the service', (t) => {
  const fixture = new TestFarm();
  fixture.restart();
  fixture.createFarm({ name: 'F' });
  fixture.expect(t, 'from the store', ['create farm F: conflict, a farm named "F" already exists']);
  t.end();
});
