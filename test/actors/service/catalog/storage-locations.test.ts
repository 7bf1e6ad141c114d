import { test } from 'tap';
import { STORAGE_LIMITS } from '../../../../src/core/records/storage-location.ts';
import { TestHouse } from '../../../kit/test-house.ts';

const ROOTS = [
  { place: 'default', root: '/mnt/projects' },
  { place: 'berlin', root: 's3://bucket/projects' },
];

test('storage locations are created, replaced and deleted', (t) => {
  const house = new TestHouse();
  const madeAt = house.now;
  house.createStorage('projects', { description: 'all shows', roots: ROOTS });
  const made = { description: 'all shows', roots: ROOTS, createdAt: madeAt, updatedAt: madeAt };
  const id = house.storage()[0]?.id;
  t.type(id, 'string');
  t.strictSame(house.storage(), [{ version: 1, id, name: 'projects', ...made }]);
  house.advance(5);
  house.replaceStorage('projects', { name: 'shows' });
  const after = {
    version: 1,
    id,
    name: 'shows',
    description: '',
    roots: [],
    createdAt: madeAt,
    updatedAt: madeAt + 5,
  };
  t.strictSame(house.storage(), [after], 'what is left out is as in the beginning');
  t.strictSame(house.answer('replace storage projects'), { ok: true, value: after });
  house.deleteStorage('shows');
  t.strictSame(house.storage(), []);
  house.replaceStorage('shows');
  house.deleteStorage('shows');
  house.expect(t, 'said', [
    'create storage projects: ok',
    'replace storage projects: ok',
    'delete storage shows: ok',
    'replace storage shows: not-found, there is no storage location shows',
    'delete storage shows: not-found, there is no storage location shows',
  ]);
  t.end();
});

test('names of storage locations are unique as written, also after a restart', (t) => {
  const house = new TestHouse();
  house.createStorage('projects', { roots: ROOTS });
  house.createStorage('Projects');
  house.createStorage('projects');
  house.replaceStorage('Projects', { name: 'projects' });
  house.replaceStorage('Projects', { roots: ROOTS });
  house.createLocation('projects');
  house.expect(t, 'two names that differ in case are two locations', [
    'create storage projects: ok',
    'create storage Projects: ok',
    'create storage projects: conflict, there is a storage location named "projects" already',
    'replace storage Projects: conflict, there is a storage location named "projects" already',
    'replace storage Projects: ok',
    'create location projects: ok',
  ]);
  const before = house.storage();
  house.restart();
  t.strictSame(house.storage(), before);
  house.createStorage('projects');
  house.deleteStorage('projects');
  house.createStorage('projects');
  house.expect(t, 'known after a restart', [
    'create storage projects: conflict, there is a storage location named "projects" already',
    'delete storage projects: ok',
    'create storage projects: ok',
  ]);
  t.end();
});

test('the roots of all storage locations together fit a lease', (t) => {
  const house = new TestHouse();
  const rootsOf = (count: number) =>
    Array.from({ length: count }, (_, place) => ({
      place: `p${place}`,
      root: `/${'x'.repeat(STORAGE_LIMITS.rootLength - 1)}`,
    }));
  const most = STORAGE_LIMITS.rootsLength / STORAGE_LIMITS.rootLength;
  house.createStorage('a', { roots: rootsOf(most) });
  house.createStorage('b', { roots: rootsOf(1) });
  house.createStorage('c');
  house.replaceStorage('c', { roots: rootsOf(1) });
  house.replaceStorage('a', { roots: rootsOf(most) });
  house.replaceStorage('a', { roots: rootsOf(most - 1) });
  house.createStorage('b', { roots: rootsOf(1) });
  const noRoom =
    'conflict, the roots of all storage locations together must not have more than 131072 characters: they travel with every lease';
  house.expect(t, 'what is replaced makes room', [
    'create storage a: ok',
    `create storage b: ${noRoom}`,
    'create storage c: ok',
    `replace storage c: ${noRoom}`,
    'replace storage a: ok',
    'replace storage a: ok',
    'create storage b: ok',
  ]);
  t.end();
});
