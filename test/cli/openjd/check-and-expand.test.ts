import { join } from 'node:path';
import { test } from 'tap';
import { findingsText } from '../../../cli/openjd/findings-text.ts';
import { inputLines } from '../../../cli/openjd/input-lines.ts';
import { templateSchema } from '../../../src/openjd/template/schema/template-schema.ts';
import { runCallsheet } from '../run-callsheet.ts';

const GOOD = `specificationVersion: jobtemplate-2023-09
name: Hello {{Param.Who}}
parameterDefinitions:
  - {name: Who, type: STRING}
  - {name: Last, type: INT, default: 2}
steps:
  - name: Greet
    parameterSpace:
      taskParameterDefinitions:
        - {name: N, type: INT, range: '1-{{Param.Last}}'}
        - {name: Tone, type: STRING, range: [loud, 'very soft']}
    script: {actions: {onRun: {command: echo, args: ['{{Task.Param.N}}']}}}
  - name: Leave
    dependencies: [{dependsOn: Greet}]
    script: {actions: {onRun: {command: echo}}}
`;

const BAD = `specificationVersion: jobtemplate-2023-09
name: 12
steps:
\t- name
`;

const WRONG = `specificationVersion: jobtemplate-2023-09
name: Hello
steps:
  - name: Greet
    script: {actions: {onRun: {command: 'echo {{Param.Whom}}'}}}
    dependency: []
`;

const folder = (t: { testdir: (files: Record<string, string>) => string }): string =>
  t.testdir({ 'good.yaml': GOOD, 'bad.yaml': BAD, 'wrong.yaml': WRONG, 'empty.json': '' });

test('check prints the name, the steps and the task counts of a valid template', async (t) => {
  const file = join(folder(t), 'good.yaml');
  t.same(await runCallsheet(['openjd', 'check', file, '-p', 'Who=you', '-p', 'Last=3']), {
    code: 0,
    out: `${file}: valid\nHello you\nSTEP   TASKS  AFTER\nGreet      6\nLeave      1  Greet\n`,
    err: '',
  });
  t.same(await runCallsheet(['openjd', 'check', file]), {
    code: 0,
    out: [
      `${file}: valid`,
      'Hello {{Param.Who}}',
      'STEP   TASKS  AFTER',
      'Greet      ?',
      'Leave      ?  Greet',
      'the tasks cannot be counted without values for Who (give them with -p)',
      '',
    ].join('\n'),
    err: '',
  });
  const value = await runCallsheet(['openjd', 'check', file, '-p', 'Who=you', '-p', 'Last=x']);
  t.same(value, {
    code: 1,
    out: '',
    err: [
      `${file}:5:5: /parameterDefinitions/1: the value of "Last": "x" is not an integer`,
      '  5 |   - {name: Last, type: INT, default: 2}',
      '    |     ^',
      '1 error',
      '',
    ].join('\n'),
  });
});

test('check prints the location, message, line and a caret for each error', async (t) => {
  const directory = folder(t);
  const wrong = join(directory, 'wrong.yaml');
  t.same(await runCallsheet(['openjd', 'check', wrong]), {
    code: 1,
    out: '',
    err: [
      `${wrong}:5:41: /steps/0/script/actions/onRun/command: unknown value "Param.Whom"`,
      "  5 |     script: {actions: {onRun: {command: 'echo {{Param.Whom}}'}}}",
      '    |                                         ^',
      `${wrong}:6:5: /steps/0/dependency: unknown key "dependency"; did you mean "dependencies"?`,
      '  6 |     dependency: []',
      '    |     ^',
      '2 errors',
      '',
    ].join('\n'),
  });
  const bad = join(directory, 'bad.yaml');
  const { code, err } = await runCallsheet(['openjd', 'expand', bad]);
  t.equal(code, 1);
  t.match(
    err,
    `${bad}:4:1: /steps: is not YAML: Tabs are not allowed as indentation; use spaces\n  4 |  - name\n    | ^\n`,
  );
  const empty = join(directory, 'empty.json');
  t.same(await runCallsheet(['openjd', 'check', empty]), {
    code: 1,
    out: '',
    err: `${empty}:1:1: is not JSON: a value is expected, not the end of the text\n1 error\n`,
  });
});

test('expand lists the tasks in order, and only the first ones of many', async (t) => {
  const file = join(folder(t), 'good.yaml');
  const parameters = ['-p', 'Who=you'];
  t.same(await runCallsheet(['openjd', 'expand', file, ...parameters]), {
    code: 0,
    out: [
      'Hello you',
      'Greet: 4 tasks',
      '  0  N=1  Tone=loud',
      '  1  N=1  Tone="very soft"',
      '  2  N=2  Tone=loud',
      '  3  N=2  Tone="very soft"',
      'Leave: 1 task',
      '  0',
      '',
    ].join('\n'),
    err: '',
  });
  const many = await runCallsheet(['openjd', 'expand', file, ...parameters, '-p', 'Last=1000000000000']);
  t.equal(many.code, 0);
  const lines = many.out.split('\n');
  t.equal(lines.length, 10_006);
  t.same(lines.slice(10_001), [
    '  9999  N=5000  Tone="very soft"',
    '  ... 1999999990000 more, not listed',
    'Leave: 1 task',
    '  ... 1 more, not listed',
    '',
  ]);
});

test('the templates come from standard input, as one document or one per line', async (t) => {
  const read = await runCallsheet(['openjd', 'check', '-', '-p', 'Who=x'], { input: GOOD });
  t.match(read, { code: 0, out: /^standard input: valid\nHello x\n/ });
  const minimal = {
    specificationVersion: 'jobtemplate-2023-09',
    name: 'line\u2028separator',
    steps: [{ name: 'S', script: { actions: { onRun: { command: 'x' } } } }],
  };
  const input = `${JSON.stringify({ template: minimal })}\n{}\n`;
  t.same(await runCallsheet(['openjd', 'expand', '--jsonl'], { input }), {
    code: 0,
    out: `${JSON.stringify({ ok: true, job: { name: 'line\u2028separator', steps: [{ name: 'S', task_count: 1, tasks: [{}] }] } })}\n{"ok":false,"error":"the line has no \\"template\\""}\n`,
    err: '',
  });
});

test('invalid usage exits with 2', async (t) => {
  t.match(await runCallsheet(['openjd', 'check']), { code: 2, err: /give a template/ });
  t.match(await runCallsheet(['openjd', 'check', 'x', '--jsonl']), { code: 2, err: /--jsonl: templates/ });
  t.match(await runCallsheet(['openjd', 'check', '/nowhere/x']), { code: 2, err: /cannot be read: ENOENT/ });
  t.match(await runCallsheet(['openjd', 'eval']), { code: 2, err: /give an expression/ });
});

test('an error excerpt marks the location and contains no control characters', (t) => {
  const text = (line: string, column: number, colors = false): string =>
    findingsText(
      { name: 'f.yaml', text: `first\n${line}\r\nlast` },
      [{ pointer: '/a\u001b', detail: 'is\rwrong\n  here\u001b', line: 2, column }],
      colors,
    );
  t.equal(
    text('\tx: \u001b[31m', 5),
    'f.yaml:2:5: /a\ufffd: is\ufffdwrong\n  here\ufffd\n  2 |  x: \ufffd[31m\n    |     ^\n1 error',
  );
  const [, shown = '', caret = ''] = text(`${'é😀'.repeat(100)}X${'y'.repeat(300)}`, 301)
    .split('\n')
    .slice(1);
  t.equal([...shown][[...caret].indexOf('^')], 'X');
  t.equal([...shown].length < 130, true);
  t.equal(
    text('x', 1, true),
    'f.yaml:2:1: \u001b[36m/a\ufffd\u001b[39m: is\ufffdwrong\n  here\ufffd\n  \u001b[90m2 | \u001b[39mx\n  \u001b[90m  | \u001b[39m\u001b[31m^\u001b[39m\n\u001b[31m1 error\u001b[39m',
  );
  t.equal(findingsText({ name: 'f', text: '' }, [{ pointer: '', detail: 'x' }], false), 'f: x\n1 error');
  t.end();
});

test('schema prints the schema of templates', async (t) => {
  const { code, out } = await runCallsheet(['openjd', 'schema']);
  t.equal(code, 0);
  t.same(JSON.parse(out), JSON.parse(JSON.stringify(templateSchema())));
});

test('only line feeds end lines, at any chunk boundary', async (t) => {
  async function* chunks(): AsyncGenerator<string> {
    yield* ['a\u2028', 'b\r', '\n\nc', '', 'd\ne', 'f'];
  }
  const lines: string[] = [];
  for await (const line of inputLines(chunks())) lines.push(line);
  t.same(lines, ['a\u2028b\r', '', 'cd', 'ef']);
});
