import { test } from 'tap';
import { EXPRESSIONS } from '../../../src/adapters/regex/default-expressions.ts';
import { displayOf } from '../../../src/openjd/expr/values/display.ts';
import { hostSymbols, unmappedPath, type HostContext } from '../../../src/openjd/template/host-symbols.ts';
import { hostResolver } from '../../../src/openjd/template/language/host-texts.ts';

const context: HostContext = {
  parameters: { Scene: { type: 'PATH', value: '/mnt/scene.ma' }, Count: { type: 'INT', value: '3' } },
  session: {
    workingDirectory: '/session',
    pathMappingRulesFile: '/session/rules.json',
    hasPathMappingRules: false,
  },
  scope: {
    kind: 'task',
    task: {
      definitions: [
        { name: 'Frame', type: 'INT' },
        { name: 'Out', type: 'PATH' },
      ],
      values: { Frame: '7', Out: '/mnt/out' },
    },
  },
  files: new Map([['Run', '/session/files/run.sh']]),
  mapPath: (path) => path.replace('/mnt', '/data'),
};

void test('a task has parameters, its own values, its files and the session', (t) => {
  const symbols = hostSymbols(context);
  const names = [
    'Param.Scene',
    'RawParam.Scene',
    'Param.Count',
    'Task.Param.Frame',
    'Task.RawParam.Frame',
    'Task.Param.Out',
    'Task.RawParam.Out',
    'Task.File.Run',
    'Env.File.Run',
    'Session.WorkingDirectory',
    'Session.PathMappingRulesFile',
    'Session.HasPathMappingRules',
    'Param.constructor',
  ];
  t.same(
    names.map((name) => symbols.get(name)),
    [
      '/data/scene.ma',
      '/mnt/scene.ma',
      '3',
      '7',
      '7',
      '/data/out',
      '/mnt/out',
      '/session/files/run.sh',
      undefined,
      '/session',
      '/session/rules.json',
      'false',
      undefined,
    ],
  );
  t.end();
});

void test('an environment has no task', (t) => {
  const symbols = hostSymbols({ ...context, scope: { kind: 'environment' }, mapPath: unmappedPath });
  t.same(
    ['Env.File.Run', 'Task.File.Run', 'Task.Param.Frame', 'Param.Scene'].map((name) => symbols.get(name)),
    ['/session/files/run.sh', undefined, undefined, '/mnt/scene.ma'],
  );
  t.end();
});

void test('a chunk has a first and a last integer', (t) => {
  const bounds = (value: string): unknown[] => {
    const symbols = hostSymbols({
      ...context,
      scope: {
        kind: 'task',
        task: { definitions: [{ name: 'C', type: 'CHUNK[INT]' }], values: { C: value } },
      },
    });
    return ['Task.Param.C', 'Task.Param.C.Start', 'Task.Param.C.End'].map((name) => symbols.get(name));
  };
  t.same(bounds('1-10'), ['1-10', '1', '10']);
  t.same(bounds('5-5'), ['5-5', '5', '5']);
  t.same(bounds('-20--17'), ['-20--17', '-20', '-17']);
  t.same(bounds('-5'), ['-5', '-5', '-5']);
  t.same(bounds('7,8'), ['7,8', '7', '8']);
  t.same(bounds('1,3-9:2'), ['1,3-9:2', '1', '9']);
  t.same(bounds('-9--3:2,-1,4'), ['-9--3:2,-1,4', '-9', '4']);
  t.end();
});

void test('values that the server has created are accepted, for any number of parts', (t) => {
  const typed = { jobName: 'J', pathStyle: 'posix' } as const;
  const gaps = Array.from({ length: 12_000 }, (_, index) => index * index).join(',');
  const ones = `[${Array.from({ length: 150_000 }, () => '1').join(', ')}]`;
  const symbols = hostSymbols({
    ...context,
    scope: {
      kind: 'task',
      task: { definitions: [{ name: 'C', type: 'CHUNK[INT]' }], values: { C: gaps } },
    },
    typed: {
      ...typed,
      lets: [
        { name: 'squares', type: 'range_expr', value: gaps },
        { name: 'ones', type: 'list[int]', value: ones },
      ],
    },
  });
  t.same(
    ['Task.Param.C', 'squares', 'ones'].map((name) => displayOf(symbols.get(name) ?? null)),
    [gaps, gaps, ones],
  );
  t.end();
});

void test('a chunk of consecutive integers is a range in the form first-last', (t) => {
  const written = (value: string, expression = 'Task.Param.C'): string => {
    const host: HostContext = {
      ...context,
      scope: {
        kind: 'task',
        task: { definitions: [{ name: 'C', type: 'CHUNK[INT]' }], values: { C: value } },
      },
      typed: { jobName: 'J', pathStyle: 'posix' },
    };
    const resolved = hostResolver(host, EXPRESSIONS).text(`{{ ${expression} }}.`);
    return resolved.ok ? resolved.text.slice(0, -1) : resolved.detail;
  };
  t.same(
    ['1-10', '4-5', '5-5', '-3--2', '5', '4,5', '1-9:2'].map((value) => written(value)),
    ['1-10', '4-5', '5-5', '-3--2', '5', '4,5', '1-9:2'],
  );
  t.equal(written('5-5', 'Task.RawParam.C'), '5-5');
  t.equal(written('5-5', 'repr_sh(string(Task.Param.C) + " " + Task.Param.C)'), `'5-5 5-5'`);
  t.equal(written('5-5', 'Task.Param.C == range_expr("5")'), 'true');
  t.equal(written('4-6', 'Task.Param.C[:2]'), '4,5');
  t.equal(written('5-5', '[len(Task.Param.C), min(Task.Param.C)]'), '[1, 5]');
  t.end();
});
