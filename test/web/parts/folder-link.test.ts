import { test } from 'tap';
import { folderLink } from '../../../web/parts/outputs/folder-link.ts';

void test('links the folder of a path, and nothing else', (t) => {
  t.equal(folderLink('/mnt/a b/f#1.exr', false), 'file:///mnt/a%20b/');
  t.equal(folderLink('/mnt/a?b', true), 'file:///mnt/a%3Fb');
  t.equal(folderLink('//host/f', false), 'file:///host/', 'names no other host');
  t.equal(folderLink('C:\\out\\f.exr', false), 'file:///C:/out/');
  t.equal(folderLink('\\\\nas\\shows\\f.exr', false), 'file://nas/shows/');
  for (const path of ['s3://bucket/key', 'javascript:alert(1)', 'a/b', ''])
    t.equal(folderLink(path, true), null, path);
  t.end();
});
