import { test } from 'tap';
import { pathsAt } from '../../../src/core/delivery/place-paths.ts';

const STORAGE = [
  {
    roots: [
      { place: 'default', root: '/mnt/shows' },
      { place: 'annex', root: '/Volumes/shows' },
      { place: 'office', root: 'S:\\shows' },
    ],
  },
];

void test('maps a path of any location to that of one', (t) => {
  const office = pathsAt(STORAGE, 'office');
  t.equal(office('/mnt/shows/a/f.exr'), 'S:\\shows\\a\\f.exr');
  t.equal(office('/Volumes/shows/a'), 'S:\\shows\\a');
  t.equal(office('S:\\shows\\a'), 'S:\\shows\\a');
  t.equal(office('/tmp/f'), '/tmp/f', 'outside all locations');
  t.equal(pathsAt(STORAGE, 'annex')('S:\\shows\\a\\f.exr'), '/Volumes/shows/a/f.exr');
  t.equal(pathsAt(STORAGE, '')('S:\\shows\\a'), '/mnt/shows/a');
  t.equal(pathsAt(STORAGE, 'default')('S:\\shows\\a'), '/mnt/shows/a');
  t.equal(pathsAt([], 'office')('/mnt/shows/a'), '/mnt/shows/a');
  t.end();
});
