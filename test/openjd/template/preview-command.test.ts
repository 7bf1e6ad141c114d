import { test } from 'tap';
import type { StepPlan } from '../../../src/openjd/template/plan.ts';
import {
  PREVIEW_CHARACTERS_MAX,
  previewCommands,
  type PreviewedJob,
} from '../../../src/openjd/template/preview-command.ts';
import { FRAMES, stepPlan } from '../../http/kit/records.ts';

const step = (command: string, args: readonly string[], some: Partial<StepPlan> = {}): StepPlan => ({
  ...stepPlan(0, 'render', 12, FRAMES(12)),
  script: {
    onRun: { command, args },
    embeddedFiles: [{ name: 'Run', runnable: true, data: 'echo {{Task.Param.Frame}}' }],
  },
  ...some,
});

const BASE = { jobName: 'Shot', expressions: null };
const JOB: PreviewedJob = {
  ...BASE,
  parameters: {
    Scene: { type: 'PATH', value: '/mnt/scene.ma' },
    Out: { type: 'STRING', value: 'beauty' },
  },
};

void test('the first and last command are shown, with references that only a worker can resolve', async (t) => {
  const args = [
    '-s',
    '{{Param.Scene}}',
    '{{ RawParam.Scene }}',
    '{{Param.Out}}.{{Task.Param.Frame}}.exr',
    '{{Task.File.Run}}',
    '{{ Session.WorkingDirectory }}/{{Session.HasPathMappingRules}}',
  ];
  const { first, last } = previewCommands(step('render-{{Param.Out}}', args), JOB);
  t.strictSame(first, {
    task: 'render[Frame=1]',
    parameters: { Frame: '1' },
    command: 'render-beauty',
    args: [
      '-s',
      '/mnt/scene.ma',
      '/mnt/scene.ma',
      'beauty.1.exr',
      '{{Task.File.Run}}',
      '{{Session.WorkingDirectory}}/{{Session.HasPathMappingRules}}',
    ],
    isCut: false,
  });
  t.strictSame([last.task, last.args[3]], ['render[Frame=12]', 'beauty.12.exr']);
});

void test('a step without parameters has one command', async (t) => {
  const { first, last } = previewCommands(
    step('true', [], { space: { kind: 'single' }, taskCount: 1, taskParameters: [] }),
    { ...BASE, parameters: {} },
  );
  t.strictSame(first, { task: 'render', parameters: {}, command: 'true', args: [], isCut: false });
  t.strictSame(last, first);
});

void test('a command that becomes very long is truncated between arguments', async (t) => {
  const long = { type: 'STRING', value: 'x'.repeat(PREVIEW_CHARACTERS_MAX / 2) } as const;
  const { first } = previewCommands(step('', ['{{Param.L}}', '{{Param.L}}', 'a', '{{Param.L}}']), {
    ...BASE,
    parameters: { L: long },
  });
  t.strictSame(
    [first.args.map((arg) => arg.length), first.isCut],
    [[PREVIEW_CHARACTERS_MAX / 2, PREVIEW_CHARACTERS_MAX / 2], true],
  );
});
