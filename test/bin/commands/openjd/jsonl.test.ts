import { test } from 'tap';
import { runOpenjdJsonl } from '../../../../src/bin/commands/openjd/jsonl.ts';

async function answers(kind: 'check' | 'expand', ...lines: string[]): Promise<unknown[]> {
  const written: unknown[] = [];
  async function* input(): AsyncGenerator<string> {
    yield* lines;
  }
  await runOpenjdJsonl(kind, input(), (line) => void written.push(JSON.parse(line)));
  return written;
}

const TEMPLATE = {
  specificationVersion: 'jobtemplate-2023-09',
  name: '{{Param.N}}',
  parameterDefinitions: [{ name: 'N', type: 'INT' }],
  steps: [
    {
      name: 'S',
      parameterSpace: { taskParameterDefinitions: [{ name: 'F', type: 'INT', range: '1-{{Param.N}}' }] },
      script: { actions: { onRun: { command: 'x' } } },
    },
  ],
};

void test('check answers each line, in order', async (t) => {
  t.same(
    await answers(
      'check',
      JSON.stringify({ template: TEMPLATE }),
      '',
      JSON.stringify({ template: 'name: [' }),
      JSON.stringify({ template: TEMPLATE, params: { N: 'x' } }),
      JSON.stringify({ template: TEMPLATE, params: { N: 3 } }),
      'nothing',
      '{}',
      JSON.stringify({ template: TEMPLATE, params: { N: [] } }),
    ),
    [
      { ok: true },
      {
        ok: false,
        error:
          ': is not YAML: Flow sequence in block collection must be sufficiently indented and end with a ]',
      },
      { ok: false, error: '/parameterDefinitions/0: the value of "N": "x" is not an integer' },
      { ok: true },
      { ok: false, error: ': is not JSON: a value is expected, not "n"' },
      { ok: false, error: 'the line has no "template"' },
      { ok: false, error: '"params" must be a mapping of names to text' },
    ],
  );
});

void test('expand lists the tasks of each step', async (t) => {
  const [small, large, missing] = await answers(
    'expand',
    JSON.stringify({ template: TEMPLATE, params: { N: '2' } }),
    JSON.stringify({ template: TEMPLATE, params: { N: '3000000' } }),
    JSON.stringify({ template: TEMPLATE }),
  );
  t.same(small, {
    ok: true,
    job: { name: '2', steps: [{ name: 'S', task_count: 2, tasks: [{ F: '1' }, { F: '2' }] }] },
  });
  const tasks = Array.from({ length: 10_000 }, (_, index) => ({ F: `${index + 1}` }));
  t.same(large, { ok: true, job: { name: '3000000', steps: [{ name: 'S', task_count: 3_000_000, tasks }] } });
  t.same(missing, {
    ok: false,
    error: '/parameterDefinitions/0: the parameter "N" has no default and needs a value',
  });
});
