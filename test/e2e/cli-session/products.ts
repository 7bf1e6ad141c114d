import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Test } from 'tap';
import type { Case } from '../../kit/cases.ts';
import { until } from '../../kit/until.ts';
import type { CliSession } from './kit.ts';

/** A definition with a comment and a literal block in its template. */
const definition = (version: string): string => `
name: studio/say
title: Say
readme: |
  Says a *text*.
category: Studio tools
version: ${version}
template:
  # Kept with the template.
  specificationVersion: jobtemplate-2023-09
  extensions: [EXPR]
  name: say
  parameterDefinitions:
    - { name: Text, type: STRING, minLength: 1 }
    - { name: More, type: 'LIST[STRING]', default: [] }
  steps:
    - name: Say
      hostRequirements: { amounts: [{ name: amount.worker.vcpu, min: 1 }] }
      script:
        actions: { onRun: { command: bash, args: ['{{Task.File.Run}}'] } }
        embeddedFiles:
          - name: Run
            type: TEXT
            data: |
              # A comment of the script.
              echo {{ repr_sh(Param.Text) }} {{ repr_sh(join(Param.More, '+')) }}
`;

const temporaryFolder = async (t: Test): Promise<string> => {
  const folder = await mkdtemp(join(tmpdir(), 'callsheet-products-'));
  t.teardown(() => rm(folder, { recursive: true, force: true }));
  return folder;
};

const PLACE = ['--farm', 'north', '--queue', 'render'];

/** Commands on products and presets, and submissions of products. */
export const productCommands: readonly Case<CliSession>[] = [
  [
    'applies, shows, exports and deletes products of definition files',
    async (t, session) => {
      const { run, json } = session.commandsOf(t);
      const folder = await temporaryFolder(t);
      const file = join(folder, 'say.yaml');
      const apply = async (version: string, ...more: readonly string[]): Promise<string> => {
        await writeFile(file, definition(version));
        return (await run(0, 'products', 'apply', file, ...more)).out;
      };
      await run(0, 'products', 'check', join('products', 'script.yaml'));
      t.equal(await apply('1.0.0', '--dry-run'), 'studio/say would be created\n');
      await run(4, 'products', 'get', 'studio/say');
      t.equal(await apply('1.0.0'), 'studio/say created\n');
      t.equal(await apply('1.0.0'), 'studio/say unchanged\n');
      t.match(
        await apply('1.1.0', '--dry-run'),
        /would be replaced\n(.*\n)*-version: 1\.0\.0\n\+version: 1\.1\.0\n/,
      );
      t.equal(await apply('1.1.0'), 'studio/say replaced\n');

      const shown = await run(0, 'products', 'get', 'studio/say');
      t.match(shown.out, /^revision +2$/m);
      t.match(shown.out, /^Says a text\.$/m);
      t.match(shown.out, /^Text +STRING +\(required\) +length at least 1/m);
      t.match((await run(0, 'products')).out, /^studio\/say +Say +Studio tools +1\.1\.0 +custom$/m);
      t.match((await run(0, 'products', 'list', '--names')).out, /^script\n(.*\n)*studio\/say\n/m);

      await run(0, 'products', 'export', 'studio/say', 'script', '--output', join(folder, 'out'));
      const exported = join(folder, 'out', 'studio', 'say.yaml');
      const text = await readFile(exported, 'utf8');
      t.match(text, '# Kept with the template.');
      t.match(text, 'data: |\n');
      t.equal((await run(0, 'products', 'apply', exported)).out, 'studio/say unchanged\n');
      await run(5, 'products', 'apply', join(folder, 'out', 'script.yaml'));
      await run(3, 'products', 'delete', 'script');
      await run(4, 'products', 'delete', 'studio/say', 'studio/none');
      t.match(await json(0, 'products', 'list'), { length: 8 }, 'a wrong name prevents all deletions');
    },
  ],
  [
    'submits products, and lists their jobs',
    async (t, session) => {
      const { run, json } = session.commandsOf(t);
      const folder = await temporaryFolder(t);
      const values = join(folder, 'values.yaml');
      await writeFile(values, 'Text: from the file\nMore: [a, "b c"]\n');
      await session.startWorker();
      const submit = ['submit', '--product', 'studio/say', ...PLACE];
      const preview = await run(0, ...submit, '--param-file', values, '--dry-run');
      t.match(preview.out, /^say: 1 task; nothing was stored\n/);
      const refused = await run(2, ...submit, '-p', 'Txet=x');
      t.match(refused.err, /^-p Txet=x: there is no parameter Txet/m);
      t.match(refused.err, /^-p Text=VALUE is missing: the parameter has no default$/m);
      t.notMatch(refused.err, /parameterDefinitions|studio\/say (has|needs)/, 'each fault is named once');
      await run(4, 'submit', '--product', 'studio/none', ...PLACE);
      const ended = await run(
        0,
        ...submit,
        '--param-file',
        values,
        '-p',
        "Text=it's",
        '--name',
        'said',
        '--watch',
      );
      t.match(ended.err, /said: 1\/1, completed\n/);
      t.match((await run(0, 'logs', 'said/Say')).out, "it's a+b c\n");
      t.match((await run(0, 'job', 'said')).out, /^product +studio\/say 1\.1\.0$/m);
      const paused = ['--paused', '--name', 'parked'];
      t.match(await json(0, ...submit, '-p', 'Text=x', ...paused), {
        name: 'parked',
        status: 'paused',
      });
      t.match(await json(0, ...session.submit, '-p', 'Name=held too', '--paused'), { status: 'paused' });
      t.match(await json(0, 'jobs', '--product', 'studio/say', '--sort-by', 'name'), {
        items: [{ name: 'said' }, { name: 'parked' }],
        total: 2,
      });
      await run(0, 'products', 'delete', 'studio/say');
      await run(4, ...submit, '-p', 'Text=x');
      t.match((await run(0, 'job', 'said')).out, /^product +studio\/say 1\.1\.0$/m, 'jobs keep it');
    },
  ],
  [
    'lists, installs and updates presets, and creates the usage pools that they need',
    async (t, session) => {
      const { run, json } = session.commandsOf(t);
      const publish = async (version: string): Promise<void> => {
        await session.publishPreset(version);
        await until(`the library has version ${version}`, async () => {
          const presets = (await json(0, 'presets', 'list', '--search', 'licensed')) as { version: string }[];
          return presets.some((preset) => preset.version === version);
        });
      };
      await publish('1.0.0');
      t.match((await run(0, 'presets')).out, /^NAME +TITLE +CATEGORY +VERSION +INSTALLED +UPDATE$/m);
      t.equal((await run(0, 'presets', '--category', 'studio tools', '--names')).out, 'studio/licensed\n');
      const shown = await run(0, 'presets', 'show', 'studio/licensed');
      t.match(shown.out, /^usage pools +studio \(does not exist\)$/m);
      t.match(shown.out, /^- a license$/m);
      await run(5, 'presets', 'update', 'studio/licensed');
      await run(4, 'presets', 'install', 'studio/none');

      const installed = await run(0, 'presets', 'install', 'studio/licensed', '--create-pools', '2');
      t.equal(installed.out, 'studio/licensed 1.0.0 installed\n');
      t.equal(installed.err, 'usage pool studio created with 2 slots\n');
      await run(5, 'presets', 'install', 'studio/licensed');
      t.equal((await run(0, 'presets', 'update')).out, 'All installed presets are up to date.\n');

      await publish('1.1.0');
      const tried = await run(0, 'presets', 'update', '--dry-run');
      t.match(tried.out, /^studio\/licensed 1\.0\.0 -> 1\.1\.0\n@@ /);
      t.match(tried.out, /^-.*version 1\.0\.0.*\n\+.*version 1\.1\.0/m);
      t.match(await json(0, 'products', 'get', 'studio/licensed'), {
        version: '1.0.0',
        source: 'installed',
      });
      await run(0, 'presets', 'update', 'studio/licensed', '--yes');
      t.match(await json(0, 'products', 'get', 'studio/licensed'), {
        version: '1.1.0',
        source: 'installed',
      });
      t.match((await run(0, 'presets', '--installed')).out, /^studio\/licensed .* 1\.1\.0 +1\.1\.0$/m);
      const ended = ['submit', '--product', 'studio/licensed', ...PLACE, '--wait'];
      t.match((await run(0, ...ended)).out, / completed\n$/);
    },
  ],
];
