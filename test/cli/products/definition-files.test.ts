import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test, type Test } from 'tap';
import { answeringService } from '../answering-service.ts';
import { runCallsheet } from '../run-callsheet.ts';

/** A definition with what a re-serialised template could lose: comments, literal blocks, and quotes. */
const SAY = `
name: studio/say
title: "Say: something"
description: 'It''s short'
readme: |
  Says a text.

  - one
  - two
category: Basics
version: 1.2.0
template:
  # Kept with the template.
  specificationVersion: jobtemplate-2023-09
  name: say
  parameterDefinitions:
    - { name: Text, type: STRING, minLength: 1 } # required
    - { name: Count, type: INT, default: 1, minValue: 1, maxValue: 9 }
  steps:
    - name: Say
      script:
        actions: { onRun: { command: bash, args: ['{{Task.File.Run}}'] } }
        embeddedFiles:
          - name: Run
            type: TEXT
            data: |
              # A comment of the script.
              echo "{{Param.Text}}"
`;

const writeFiles = async (t: Test, files: Readonly<Record<string, string>>): Promise<string> => {
  const folder = t.testdir({});
  await mkdir(folder, { recursive: true });
  for (const [name, text] of Object.entries(files)) await writeFile(join(folder, name), text);
  return folder;
};

test('check reports valid files, and shows what the product would show', async (t) => {
  const folder = await writeFiles(t, { 'say.yaml': SAY });
  const file = join(folder, 'say.yaml');
  t.match(await runCallsheet(['products', 'check', file]), {
    code: 0,
    out: `${file}: valid: studio/say 1.2.0\n`,
  });
  t.match(await runCallsheet(['products', 'check', '-'], { input: SAY }), {
    code: 0,
    out: 'standard input: valid: studio/say 1.2.0\n',
  });
  const { out } = await runCallsheet(['products', 'check', '--show', file]);
  t.match(out, /^title {8}Say: something$/m);
  t.match(out, /Says a text\./);
  t.match(out, /^Text +STRING +\(required\) +length at least 1/m);
  t.match(out, /^Count +INT +1 +1 to 9/m);
  const checked = await runCallsheet(['products', 'check', '--json', file]);
  t.match(JSON.parse(checked.out), [{ file, name: 'studio/say', parameters: [{ name: 'Text' }, {}] }]);
});

const replaced = (from: string, to: string): string => {
  if (!SAY.includes(from)) throw new Error(`the definition has no ${from}`);
  return SAY.replace(from, to);
};

test('check names the file and the line of each error, of all files', async (t) => {
  const files = {
    'name.yaml': replaced('studio/say', '../say'),
    'version.yaml': replaced('1.2.0', 'latest'),
    'member.yaml': replaced('category:', 'categroy:'),
    'template.yaml': replaced('command: bash', 'comand: bash'),
    'reference.yaml': replaced('Param.Text', 'Param.Txt'),
    'syntax.yaml': replaced('title: "Say', 'title: ["Say'),
    'empty.yaml': '',
    'list.yaml': '- 1\n',
    'two.yaml': `${SAY}---\n${SAY}`,
    'missing.yaml': 'name: a\ntitle: b\n',
    'long.yaml': replaced('Says a text.', 'x'.repeat(8_001)),
    'text.yaml': 'name: a\ntitle: b\ntemplate: |\n  specificationVersion: jobtemplate-2023-09\n  steps: []\n',
  };
  const folder = await writeFiles(t, files);
  const paths = Object.keys(files).map((name) => join(folder, name));
  const { code, out, err } = await runCallsheet(['products', 'check', ...paths]);
  t.equal(code, 1);
  t.equal(out, '');
  const at = (name: string): string => join(folder, name);
  t.match(err, `${at('name.yaml')}:2:7: /name: must consist of lower-case letters`);
  t.match(err, `${at('version.yaml')}:11:10: /version: must be a semantic version`);
  t.match(err, `${at('member.yaml')}:10:1: /categroy: is not a member of a product definition`);
  t.match(err, `${at('template.yaml')}:22:`);
  t.match(err, `${at('reference.yaml')}:28:23:`);
  t.match(err, `${at('syntax.yaml')}:`);
  t.match(err, `${at('empty.yaml')}:1:1: is empty`);
  t.match(err, `${at('list.yaml')}:1:1: must be a mapping`);
  t.match(err, /two\.yaml:\d+:\d+: has more than one document/);
  t.match(err, `${at('missing.yaml')}:1:1: misses the member template`);
  t.match(err, /long\.yaml:5:\d+: \/readme: must not have more than 8000 characters/);
  t.match(err, /text\.yaml: \/template/);
  t.match(await runCallsheet(['products', 'check', at('none.yaml')]), {
    code: 2,
    err: /the definition file cannot be read: ENOENT/,
  });
  t.match(await runCallsheet(['products', 'check']), { code: 2 });
});

test('apply sends nothing while a file is invalid or two files define one product', async (t) => {
  const service = await answeringService({});
  t.teardown(() => service.close());
  const folder = await writeFiles(t, { 'a.yaml': SAY, 'b.yaml': SAY, 'bad.yaml': replaced('1.2.0', 'x') });
  const apply = (...names: readonly string[]) =>
    runCallsheet(['products', 'apply', '--url', service.url, ...names.map((name) => join(folder, name))]);
  t.match(await apply('a.yaml', 'bad.yaml'), { code: 1, err: /bad\.yaml:11:10: \/version/ });
  t.match(await apply('a.yaml', 'b.yaml'), { code: 2, err: /a\.yaml and .*b\.yaml both define the product/ });
  t.same(service.requests, []);
});

test('apply names the file of what the server refuses, and changes no built-in or installed product', async (t) => {
  const found = (source: string) => [{ body: [{ name: 'studio/say', source }] }];
  const folder = await writeFiles(t, { 'say.yaml': SAY });
  for (const source of ['builtin', 'installed']) {
    const service = await answeringService({ 'GET /api/v1/products': found(source) });
    const ran = await runCallsheet(['products', 'apply', join(folder, 'say.yaml'), '--url', service.url]);
    await service.close();
    t.match(ran, { code: 5, out: '', err: /say\.yaml: studio\/say is .* cannot be replaced/ });
    t.same(
      service.requests.map(({ method }) => method),
      ['GET'],
    );
  }
  const refusing = await answeringService({
    'GET /api/v1/products': [{ body: [] }],
    'POST /api/v1/products': [
      {
        status: 422,
        body: { title: 'Invalid', status: 422, errors: [{ pointer: '/steps/0', detail: 'is too much' }] },
      },
    ],
  });
  t.teardown(() => refusing.close());
  t.match(await runCallsheet(['products', 'apply', join(folder, 'say.yaml'), '--url', refusing.url]), {
    code: 2,
    err: /say\.yaml: Invalid:\n {2}\/steps\/0: is too much/,
  });
});

test('export writes a file that apply reads as the same product, and stays in its folder', async (t) => {
  const folder = await writeFiles(t, { 'say.yaml': SAY });
  const stored: Record<string, unknown>[] = [];
  const recording = await answeringService({
    'GET /api/v1/products': [{ body: [] }],
    'POST /api/v1/products': [{ status: 201, body: {} }],
  });
  const say = join(folder, 'say.yaml');
  t.match(await runCallsheet(['products', 'apply', say, '--url', recording.url]), { code: 0 });
  stored.push(JSON.parse(recording.requests.at(-1)?.body ?? '') as Record<string, unknown>);
  await recording.close();
  t.match(stored[0]?.['template'], '# Kept with the template.');

  const product = { ...stored[0], source: 'custom', revision: 1 };
  const service = await answeringService({
    'GET /api/v1/products': [{ body: [product] }],
    'GET /api/v1/products/studio%2Fsay': [{ body: product }],
    'GET /api/v1/products/other': [{ body: { ...product, name: '../../escaped' } }],
  });
  t.teardown(() => service.close());
  const exported = (...args: readonly string[]) =>
    runCallsheet(['products', 'export', ...args, '--url', service.url]);
  const { out } = await exported('studio/say');
  t.match(out, '\nreadme: |\n');
  t.match(out, '# Kept with the template.');
  t.match(out, '# A comment of the script.');
  t.match(await exported('studio/say', '--output', `${folder}/out/`), { code: 0 });
  const path = join(folder, 'out', 'studio', 'say.yaml');
  t.equal(await readFile(path, 'utf8'), out);
  t.match(await runCallsheet(['products', 'apply', path, '--url', service.url]), {
    code: 0,
    out: 'studio/say unchanged\n',
  });
  t.match(await exported('studio/say', '--output', path), { code: 5, err: /exists; --force replaces it/ });
  t.match(await exported('studio/say', '--output', path, '--force'), { code: 0, out: `${path}\n` });
  t.match(await exported('studio/say', 'other'), { code: 2, err: /several products need --output/ });
  t.match(await exported('studio/say', '--output', join(path, 'x')), { code: 2, err: /cannot be written/ });
  t.match(await exported('other', '--output', `${folder}/out/`), {
    code: 1,
    err: /invalid name of a product/,
  });
  t.match(await exported('none'), { code: 4 });
});
