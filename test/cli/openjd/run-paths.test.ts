import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'tap';
import { runCallsheet } from '../run-callsheet.ts';

const TEMPLATE = {
  specificationVersion: 'jobtemplate-2023-09',
  name: 'Job',
  parameterDefinitions: [
    { name: 'In', type: 'PATH', dataFlow: 'IN' },
    { name: 'Out', type: 'PATH', dataFlow: 'OUT' },
  ],
  steps: [
    {
      name: 'S',
      script: {
        actions: {
          onRun: {
            command: 'bash',
            args: [
              '-c',
              'echo {{Param.In}} {{RawParam.In}} {{Session.HasPathMappingRules}}; cat {{Session.PathMappingRulesFile}}',
            ],
          },
        },
      },
    },
  ],
};

const VALUES = ['-p', 'In=/show/in', '-p', 'Out=/show/out'];

const rulesTo = (destination: string) => ({
  version: 'pathmapping-1.0',
  path_mapping_rules: [{ source_path_format: 'POSIX', source_path: '/show', destination_path: destination }],
});

void test('a run maps paths by rules that are given as JSON or as a file', async (t) => {
  const folder = t.testdir({ 'rules.json': JSON.stringify(rulesTo('/local')) });
  const file = join(folder, 'rules.json');
  for (const rules of [JSON.stringify(rulesTo('/local')), file, `file://${file}`]) {
    const { code, out } = await runCallsheet(
      ['openjd', 'run', '-', ...VALUES, '--path-mapping-rules', rules],
      {
        input: JSON.stringify(TEMPLATE),
      },
    );
    t.equal(code, 0);
    t.strictSame(out.split('\n'), [
      'S | /local/in /show/in true',
      `S | ${JSON.stringify(rulesTo('/local'))}`,
      '',
    ]);
  }
  const without = await runCallsheet(['openjd', 'run', '-', ...VALUES], { input: JSON.stringify(TEMPLATE) });
  t.strictSame(without.out.split('\n'), ['S | /show/in /show/in false', 'S | {}', '']);
});

void test('invalid rules end the run before it starts', async (t) => {
  for (const [rules, reason] of [
    ['/no/such/file', /--path-mapping-rules: ENOENT/],
    ['{"path_mapping_rules": 3}', /--path-mapping-rules: path_mapping_rules: must be a list/],
  ] as const) {
    const ran = await runCallsheet(['openjd', 'run', '-', ...VALUES, '--path-mapping-rules', rules], {
      input: JSON.stringify(TEMPLATE),
    });
    t.equal(ran.code, 2);
    t.match(ran.err, reason);
    t.equal(ran.out, '');
  }
});

void test('a run stages local files', async (t) => {
  const folder = t.testdir();
  await mkdir(join(folder, 'in'));
  await writeFile(join(folder, 'in/a.txt'), 'a');
  const [step] = TEMPLATE.steps;
  const staging = {
    ...TEMPLATE,
    extensions: ['SVC_PATH_TRANSLATION'],
    pathDelivery: [{ type: 'stage_locally' }],
    steps: [
      {
        ...step,
        parameterSpace: { taskParameterDefinitions: [{ name: 'F', type: 'INT', range: '1-2' }] },
        script: {
          actions: {
            onRun: {
              command: 'bash',
              args: ['-c', 'cat {{Param.In}}/a.txt > {{Param.Out}}/{{Task.Param.F}}.txt'],
            },
          },
        },
      },
    ],
  };
  const args = ['openjd', 'run', '-', ...VALUES, '--path-mapping-rules', JSON.stringify(rulesTo(folder))];
  const ran = await runCallsheet(args, { input: JSON.stringify(staging) });
  t.equal(ran.code, 0, ran.err);
  t.equal(await readFile(join(folder, 'out/1.txt'), 'utf8'), 'a');
  t.equal(await readFile(join(folder, 'out/2.txt'), 'utf8'), 'a');
});
