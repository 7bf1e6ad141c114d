import { test } from 'tap';
import { STORAGE_LIMITS } from '../../../../src/core/records/storage-location.ts';
import { TestFarm } from '../../../kit/test-farm.ts';

const ROOTS = [
  { place: 'default', root: '/mnt/projects' },
  { place: 'berlin', root: 's3://bucket/projects' },
];

test('storage locations can be created, replaced and deleted', (t) => {
  const farm = new TestFarm();
  const madeAt = farm.now;
  farm.createStorage('projects', { description: 'all shows', roots: ROOTS });
  const made = { description: 'all shows', roots: ROOTS, createdAt: madeAt, updatedAt: madeAt };
  const id = farm.storage()[0]?.id;
  t.type(id, 'string');
  t.strictSame(farm.storage(), [{ version: 1, id, name: 'projects', ...made }]);
  farm.advance(5);
  farm.replaceStorage('projects', { name: 'shows' });
  const after = {
    version: 1,
    id,
    name: 'shows',
    description: '',
    roots: [],
    createdAt: madeAt,
    updatedAt: madeAt + 5,
  };
  t.strictSame(farm.storage(), [after], 'absent settings get their defaults');
  t.strictSame(farm.answer('replace storage projects'), { ok: true, value: after });
  farm.deleteStorage('shows');
  t.strictSame(farm.storage(), []);
  farm.replaceStorage('shows');
  farm.deleteStorage('shows');
  farm.expect(t, 'said', [
    'create storage projects: ok',
    'replace storage projects: ok',
    'delete storage shows: ok',
    'replace storage shows: not-found, there is no storage location shows',
    'delete storage shows: not-found, there is no storage location shows',
  ]);
  t.end();
});

test('names of storage locations are unique with case, also after a restart', (t) => {
  const farm = new TestFarm();
  farm.createStorage('projects', { roots: ROOTS });
  farm.createStorage('Projects');
  farm.createStorage('projects');
  farm.replaceStorage('Projects', { name: 'projects' });
  farm.replaceStorage('Projects', { roots: ROOTS });
  farm.createLocation('projects');
  farm.expect(t, 'two names that differ in case are two locations', [
    'create storage projects: ok',
    'create storage Projects: ok',
    'create storage projects: conflict, a storage location named "projects" already exists',
    'replace storage Projects: conflict, a storage location named "projects" already exists',
    'replace storage Projects: ok',
    'create location projects: ok',
  ]);
  const before = farm.storage();
  farm.restart();
  t.strictSame(farm.storage(), before);
  farm.createStorage('projects');
  farm.deleteStorage('projects');
  farm.createStorage('projects');
  farm.expect(t, 'known after a restart', [
    'create storage projects: conflict, a storage location named "projects" already exists',
    'delete storage projects: ok',
    'create storage projects: ok',
  ]);
  t.end();
});

test('the total size of all storage roots is limited', (t) => {
  const farm = new TestFarm();
  const rootsOf = (count: number) =>
    Array.from({ length: count }, (_, place) => ({
      place: `p${place}`,
      root: `/${'x'.repeat(STORAGE_LIMITS.rootLength - 1)}`,
    }));
  const most = STORAGE_LIMITS.rootsLength / STORAGE_LIMITS.rootLength;
  farm.createStorage('a', { roots: rootsOf(most) });
  farm.createStorage('b', { roots: rootsOf(1) });
  farm.createStorage('c');
  farm.replaceStorage('c', { roots: rootsOf(1) });
  farm.replaceStorage('a', { roots: rootsOf(most) });
  farm.replaceStorage('a', { roots: rootsOf(most - 1) });
  farm.createStorage('b', { roots: rootsOf(1) });
  const noRoom =
    'conflict, the roots of all storage locations together exceed 131072 characters; every lease contains them';
  farm.expect(t, 'a replaced location frees capacity', [
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
