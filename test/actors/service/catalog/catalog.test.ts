import { test } from 'tap';
import { TestHouse } from '../../../kit/test-house.ts';

test('names of farms are unique', (t) => {
  const house = new TestHouse();
  const other = house.createFarm({ name: 'G' });
  house.heard();
  house.createFarm({ name: 'F' });
  house.replaceFarm({ name: 'F' }, other);
  house.replaceFarm({ name: 'G' }, other);
  house.replaceFarm({ name: 'H' }, other);
  house.createFarm({ name: 'G' });
  house.expect(t, 'a name that is given up is free', [
    'create farm F: conflict, there is a farm named "F" already',
    'replace farm: conflict, there is a farm named "F" already',
    'replace farm: ok',
    'replace farm: ok',
    'create farm G: ok',
  ]);
  t.strictSame([...house.store.scan('farm')].map((row) => row.value.name).sort(), ['F', 'G', 'H']);
  t.end();
});

test('two farms of one name at the same moment: one is made', (t) => {
  const house = new TestHouse();
  house.together(() => {
    house.createFarm({ name: 'G' });
    house.createFarm({ name: 'G' });
  });
  house.expect(t, 'the second is refused', [
    'create farm G: conflict, there is a farm named "G" already',
    'create farm G: ok',
  ]);
  t.end();
});

test('names are known after a restart of the service', (t) => {
  const house = new TestHouse();
  house.restart();
  house.createFarm({ name: 'F' });
  house.expect(t, 'from the store', ['create farm F: conflict, there is a farm named "F" already']);
  t.end();
});
