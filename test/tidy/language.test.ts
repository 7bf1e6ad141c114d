import { test } from 'tap';
import { EXPRESSIONS, hitsIn, type ExpressionId } from './expressions-to-avoid.ts';
import { contentOf, projectFiles } from './project-files.ts';

/** Hits that remain, by expression and top folder. A count may only fall: lower it here when you remove a hit. */
const BASELINE = JSON.parse(contentOf('test/tidy/language-baseline.json')) as Readonly<
  Record<string, Readonly<Record<string, number>>>
>;

/** These expressions are not allowed anywhere. */
const NEVER: readonly ExpressionId[] = [
  ...([
    'anew',
    'told',
    'many',
    'isno',
    'odd',
    'ride',
    'house',
    'letgo',
    'toend',
    'goon',
    'over',
    'gone',
  ] as const),
  ...(['takeup', 'stand', 'beside', 'words', 'again', 'handout', 'most', 'works', 'press'] as const),
];

const FILES = projectFiles().filter(
  (file) =>
    /\.(tsx?|md)$/.test(file) &&
    !file.startsWith('bench/results/') &&
    !file.startsWith('test/tidy/') &&
    !['docs/writing.md', 'http/openapi/generated.ts'].includes(file) &&
    !file.endsWith('character-name-table.ts'),
);

/** Returns `src/core`, `http` and so on: the unit of the baseline. */
const folderOf = (file: string): string =>
  /^src\/[^/]+/.exec(file)?.[0] ?? (file.includes('/') ? (file.split('/')[0] ?? '') : '.');

const HITS = FILES.flatMap((file) => hitsIn(file, contentOf(file)).map((hit) => ({ file, ...hit })));

test('the text of the project uses plain expressions', async (t) => {
  const counts = new Map<string, number>();
  for (const { id, file } of HITS) {
    const key = `${id} ${folderOf(file)}`;
    counts.set(key, (counts.get(key) ?? 0) + 1);
  }
  const risen = [...counts]
    .filter(([key, count]) => {
      const [id = '', folder = ''] = key.split(' ');
      return count > (BASELINE[id]?.[folder] ?? 0);
    })
    .flatMap(([key]) =>
      HITS.filter(({ id, file }) => `${id} ${folderOf(file)}` === key).map(
        ({ id, file, line, text }) => `${file}:${line} ${id}: ${text} (write: ${EXPRESSIONS[id].instead})`,
      ),
    );
  t.same(risen, [], 'no folder has more hits of an expression than the baseline allows');
});

test('the baseline of the language check is tight', async (t) => {
  const loose = Object.entries(BASELINE).flatMap(([id, folders]) =>
    Object.entries(folders)
      .filter(
        ([folder, allowed]) =>
          HITS.filter((hit) => hit.id === id && folderOf(hit.file) === folder).length < allowed,
      )
      .map(([folder, allowed]) => `${id} ${folder}: ${allowed} allowed`),
  );
  t.same(loose, [], 'a count that fell is lowered in language-baseline.json');
  t.same(
    NEVER.filter((id) => Object.keys(BASELINE[id] ?? {}).length > 0),
    [],
    'these expressions have no exceptions',
  );
});

test('the language check finds expressions in comments, strings, JSX and pages', async (t) => {
  const found = (file: string, content: string): string[] =>
    hitsIn(file, content).map(({ id, line }) => `${id} ${line}`);
  t.same(found('a.ts', '/** What a lease holds. */\nconst a = 1;'), ['what 1']);
  t.same(found('a.ts', "const text = 'the job is over.';"), ['over 1']);
  t.same(found('a.ts', 'const text = `${house} and nobody`;'), ['body 1'], 'a placeholder is not text');
  t.same(found('web/a.tsx', 'const a = <p>Press to go on</p>;'), ['goon 1', 'press 1']);
  t.same(found('a.md', 'Seen anew.\n\n```\nanew\n```\nand `anew`'), ['anew 1'], 'code is not prose');
  t.same(found('a.ts', "const text = 'nobody'; // wording-ok: a quote"), [], 'a justified hit stays');
  t.same(found('a.ts', '// a ready task\nconst nobody = 1;'), [], 'identifiers are not text');
});
