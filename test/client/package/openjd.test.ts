import {
  checkTemplate,
  createJob,
  LANGUAGE_FEATURES,
  openSpace,
  pathMapper,
  readTemplate,
  scriptResolver,
  textOfErrors,
  type CreatedJob,
  type DocumentNode,
  type JobPlan,
} from 'callsheet/openjd';
import { test } from 'tap';

const TEXT = `specificationVersion: jobtemplate-2023-09
name: Shot {{Param.Shot}}
parameterDefinitions:
  - {name: Shot, type: STRING}
  - {name: Scene, type: PATH, default: /mnt/show/a.blend}
steps:
  - name: Render
    parameterSpace:
      taskParameterDefinitions: [{name: Frame, type: INT, range: 1-1000}]
    script: {actions: {onRun: {command: render, args: ['{{Param.Scene}}', '{{Task.Param.Frame}}']}}}
`;

function documentOf(text: string): DocumentNode {
  const read = readTemplate(text);
  if (!read.ok) throw new Error(textOfErrors(read.errors));
  return read.document;
}

function planOf(made: CreatedJob): JobPlan {
  if (!made.ok) throw new Error(textOfErrors(made.errors));
  return made.job.plan;
}

test('a template is read, and its tasks get their arguments', (t) => {
  const document = documentOf(TEXT);
  t.same(checkTemplate(document), { ok: true, farmNotes: [] });
  const plan = planOf(createJob(document, { Shot: 'x10' }));
  t.equal(plan.jobName, 'Shot x10');
  const [step] = plan.steps;
  if (step === undefined) throw new Error('no step');
  const space = openSpace(step.space);
  t.same([space.length, space.at(999), space.indexOf({ Frame: '7' })], [1000, { Frame: '1000' }, 6]);
  const script = scriptResolver({
    parameters: plan.parameters,
    session: { workingDirectory: '/w', pathMappingRulesFile: '/w/rules', hasPathMappingRules: true },
    scope: { kind: 'task', task: { definitions: step.taskParameters, values: space.at(6) } },
    files: new Map(),
    mapPath: pathMapper([{ sourceFormat: 'POSIX', source: '/mnt', destination: '/vol' }], 'POSIX'),
  });
  const args = step.script.onRun.args.map((text) => script.listed(text));
  t.same(args, [
    { ok: true, texts: ['/vol/show/a.blend'], operations: 0 },
    { ok: true, texts: ['7'], operations: 0 },
  ]);
  t.end();
});

test('reading, checking and creating return errors in the same form', (t) => {
  t.match(readTemplate('{', { format: 'json' }), { ok: false, errors: [{ line: 1, column: 2 }] });
  t.match(readTemplate(TEXT, { limits: { maxNodes: 3 } }), {
    ok: false,
    errors: [{ detail: 'has more than 3 nodes' }],
  });
  t.same(checkTemplate(documentOf(TEXT.replace('onRun', 'onRan'))), {
    ok: false,
    errors: [
      {
        pointer: '/steps/0/script/actions',
        detail: '"onRun" is required',
        line: 10,
        column: 23,
      },
      {
        pointer: '/steps/0/script/actions/onRan',
        detail: 'unknown key "onRan"; did you mean "onRun"?',
        line: 10,
        column: 24,
      },
    ],
  });
  const made = createJob(documentOf(TEXT), { Shot: 'x' }, { limits: { maxTasksPerStep: 999 } });
  t.equal(
    made.ok ? '' : textOfErrors(made.errors),
    '/steps/0/parameterSpace: the step has 1000 tasks, and the limit is 999',
  );
  t.end();
});

test('the caller names the supported extensions', (t) => {
  const document = documentOf(`extensions: [TASK_CHUNKING, REDACTED_ENV_VARS]\n${TEXT}`);
  t.same(checkTemplate(document), { ok: true, farmNotes: [] });
  const supported = { ...LANGUAGE_FEATURES, extensions: ['TASK_CHUNKING' as const] };
  t.match(checkTemplate(document, { supported }), { ok: false, errors: [{ pointer: '/extensions/1' }] });
  t.end();
});
