import { existsSync, mkdirSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { test, type Test } from 'tap';
import { givenValues, readJobBundle } from '../../../cli/bundles/read-bundle.ts';
import { sharedFolder } from '../../spec/shared-folder.ts';

const TEMPLATE = `
specificationVersion: jobtemplate-2023-09
name: bundle
parameterDefinitions:
  - { name: Scripts, type: PATH, objectType: DIRECTORY, dataFlow: IN, default: scripts }
  - { name: Scene, type: PATH, objectType: FILE, dataFlow: IN }
  - { name: Kind, type: PATH, allowedValues: [low, high], default: low }
  - { name: Textures, type: 'LIST[PATH]', default: [a.exr, /lib/b.exr] }
  - { name: Empty, type: PATH, default: '' }
  - { name: Title, type: STRING, default: scripts }
steps: []
`;

const terminal = { errorColors: false };

const bundleOf = (t: Test, files: Readonly<Record<string, string>>): string => {
  const folder = t.testdir({ template: TEMPLATE });
  const bundle = join(folder, 'bundle');
  mkdirSync(bundle);
  for (const [name, text] of Object.entries({ 'template.yaml': TEMPLATE, ...files }))
    writeFileSync(join(bundle, name), text);
  return bundle;
};

test('relative paths of values and defaults are in the folder of the bundle', async (t) => {
  const folder = bundleOf(t, {
    'parameter_values.yaml':
      'parameterValues:\n- { name: Scene, value: shot.blend }\n- { name: Title, value: scripts/x }\n',
  });
  const { parameters, notes } = await readJobBundle(folder, false, terminal);
  t.strictSame(Object.fromEntries(parameters), {
    Scripts: join(folder, 'scripts'),
    Scene: join(folder, 'shot.blend'),
    Textures: JSON.stringify([join(folder, 'a.exr'), '/lib/b.exr']),
    Title: 'scripts/x',
  });
  t.strictSame(notes, ['the default of Textures is not in the bundle: /lib/b.exr']);
});

test('a value of parameter_values precedes the default, and stays if it is absolute or fixed', async (t) => {
  const folder = bundleOf(t, {
    'parameter_values.json': JSON.stringify({
      parameterValues: [
        { name: 'Scripts', value: '/studio/scripts' },
        { name: 'Scene', value: 'C:\\shots\\a.blend' },
        { name: 'Kind', value: 'high' },
        { name: 'Textures', value: '["b.exr"]' },
      ],
    }),
  });
  const { parameters } = await readJobBundle(folder, false, terminal);
  t.strictSame(Object.fromEntries(parameters), {
    Scripts: '/studio/scripts',
    Scene: 'C:\\shots\\a.blend',
    Kind: 'high',
    Textures: JSON.stringify([join(folder, 'b.exr')]),
  });
});

test('paths of the command line are relative to the working directory', async (t) => {
  const bundle = await readJobBundle(bundleOf(t, {}), false, terminal);
  const given = new Map([
    ['Scene', 'shot.blend'],
    ['Title', 'shot.blend'],
    ['Kind', 'high'],
  ]);
  t.strictSame(
    [...givenValues(bundle, given, '/home/ann')],
    [
      ['Scene', '/home/ann/shot.blend'],
      ['Title', 'shot.blend'],
      ['Kind', 'high'],
    ],
  );
});

test('a default that leads out of the bundle is an error with its line, also behind a link', async (t) => {
  const folder = bundleOf(t, { 'template.yaml': TEMPLATE.replace('default: scripts }', 'default: ../x }') });
  await t.rejects(readJobBundle(folder, false, terminal), {
    exitCode: 2,
    message: /template\.yaml:5:\d+: .*\.\.\/x leads out of the bundle/,
  });
  const linked = bundleOf(t, {});
  symlinkSync('/tmp', join(linked, 'scripts'));
  await t.rejects(readJobBundle(linked, false, terminal), { message: /scripts leads out of the bundle/ });
});

test('reserved values are settings of the job, and unknown ones are noted', async (t) => {
  const values = [
    ['deadline:priority', 70],
    ['deadline:maxRetriesPerTask', 5],
    ['deadline:maxFailedTasksCount', 0],
    ['deadline:targetTaskRunStatus', 'SUSPENDED'],
    ['deadline:maxWorkerCount', 3],
  ].map(([name, value]) => ({ name, value }));
  const folder = bundleOf(t, { 'parameter_values.json': JSON.stringify({ parameterValues: values }) });
  const bundle = await readJobBundle(folder, false, terminal);
  t.match(bundle, { priority: 70, maxAttempts: 6, failureLimit: 1, paused: true });
  t.ok(bundle.notes.includes('the value of deadline:maxWorkerCount is ignored'), bundle.notes.join('; '));
});

test('missing inputs and files with two extensions are errors', async (t) => {
  const missing = bundleOf(t, {
    'asset_references.yaml': 'assetReferences: { inputs: { filenames: [shot.blend] } }\n',
  });
  await t.rejects(readJobBundle(missing, false, terminal), { message: /shot\.blend does not exist/ });
  t.match(await readJobBundle(missing, true, terminal), { template: join(missing, 'template.yaml') });
  const doubled = bundleOf(t, { 'template.json': '{}' });
  await t.rejects(readJobBundle(doubled, false, terminal), { message: /contains both/ });
});

const shared = sharedFolder('templates');

test('bundles of existing submitters are read', { skip: shared === null }, async (t) => {
  const root = shared ?? '';
  const folders = readdirSync(root, { recursive: true, encoding: 'utf8' })
    .filter((path) => /\/parameter_values\.(yaml|json)$/.test(path))
    .map((path) => join(root, dirname(path)))
    .filter((folder) => ['yaml', 'json'].some((ending) => existsSync(join(folder, `template.${ending}`))));
  t.ok(folders.length > 20, `${folders.length} bundles`);
  for (const folder of folders) {
    if (/FileReferencing-bundle_comparison$/.test(folder)) {
      await t.rejects(readJobBundle(folder, true, terminal), { message: /Tabs are not allowed/ });
      continue;
    }
    const { parameters, paths } = await readJobBundle(folder, true, terminal);
    const values = paths.filter(({ isFixed }) => !isFixed).map(({ name }) => parameters.get(name) ?? '');
    const relative = values.filter((value) => value !== '' && !/^(\/|[A-Z]:)/.test(value));
    t.strictSame(relative, [], folder);
  }
});

test('a bundle with hooks is read with a note', async (t) => {
  const folder = bundleOf(t, {
    'parameter_values.yaml': 'parameterValues: [{ name: Scene, value: shot.blend }]\n',
    'hooks.yaml': 'version: "1.0"\npreSubmission: [{ command: python3, args: [scripts/expand.py] }]\n',
  });
  const { notes } = await readJobBundle(folder, false, terminal);
  t.match(notes.at(-1), `the hooks of the bundle do not run: ${join(folder, 'hooks.yaml')}`);
});
