import { basename, dirname } from 'node:path';
import { test } from 'tap';
import { projectFiles } from './project-files.ts';

/** Files for which a tool, a reader or a standard requires another name. */
const NAMED_BY_OTHERS =
  /^([A-Z]+(\.md)?|Dockerfile|\..*|package-lock\.json|THIRD-PARTY-NOTICES|tsconfig\.base\.json|[a-z0-9_]+\.py)$/;

const KEBAB_CASE = /^[a-z0-9]+(-[a-z0-9]+)*(\.[a-z0-9]+)*$/;

test('files and folders are named in kebab-case', async (t) => {
  const wrong = projectFiles().filter((file) => {
    const folders = dirname(file) === '.' ? [] : dirname(file).split('/');
    const name = basename(file);
    return (
      !(NAMED_BY_OTHERS.test(name) || KEBAB_CASE.test(name)) ||
      folders.some((folder) => !folder.startsWith('.') && !KEBAB_CASE.test(folder))
    );
  });
  t.same(wrong, [], 'names are in lower case with words joined by hyphens');
});

const VAGUE = /(^|[/-])(utils?|helpers?)(\/|\.[jt]s$)|(^|\/)(common|misc|shared|types)(\/|\.[jt]s$)/;

test('no file has a meaningless name', async (t) => {
  const vague = projectFiles().filter((file) => VAGUE.test(file));
  t.same(vague, [], 'name a file with shared functions after its subject, such as duration.ts');
});

test('no barrel files', async (t) => {
  const barrels = projectFiles().filter((file) =>
    /^(src|actors|http|client|daemons|cli|web|bench|test)\/(.*\/)?index\.ts$/.test(file),
  );
  t.same(barrels, [], 'import from the defining module: index files hide dependencies');
});
