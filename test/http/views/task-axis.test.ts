import { test } from 'tap';
import { taskAxis } from '../../../http/views/task-axis.ts';
import type { StepPlan, TaskParameterType } from '../../../src/openjd/template/plan.ts';
import type { SpaceDescription } from '../../../src/openjd/template/space-description.ts';

const planOf = (
  space: SpaceDescription,
  type: TaskParameterType = 'INT',
  names: readonly string[] = ['Frame'],
): StepPlan => ({
  name: 'render',
  order: 0,
  dependsOn: [],
  taskCount: 5,
  taskParameters: names.map((name) => ({ name, type })),
  space,
  requirements: { cores: 1, computeLocation: '', amounts: [], pools: [], attributes: [] },
  environments: [],
  script: { onRun: { command: 'true', args: [] }, embeddedFiles: [] },
});

const axisOf = (plan: StepPlan): ReturnType<typeof taskAxis> =>
  taskAxis({ ...plan, sections: null }, plan.taskCount);

const runs = (start: string, step: string, count: number): SpaceDescription => ({
  kind: 'axis',
  name: 'Frame',
  values: { kind: 'runs', runs: [{ start, step, count }] },
});

void test('describes integer ranges by start, step and count', async (t) => {
  const told = { parameter: 'Frame', type: 'INT', runs: [{ start: 1001, step: 2, count: 5 }] };
  t.strictSame(axisOf(planOf(runs('1001', '2', 5))), told);
  t.strictSame(axisOf(planOf({ kind: 'product', parts: [runs('1001', '2', 5)] })), told);
});

void test('lists chunks and lists one by one', async (t) => {
  const chunked: SpaceDescription = {
    kind: 'axis',
    name: 'Frame',
    values: {
      kind: 'chunks',
      runs: [{ start: '1', step: '1', count: 6 }],
      cut: { size: 3, constraint: 'CONTIGUOUS', greedy: true },
    },
  };
  t.strictSame(axisOf({ ...planOf(chunked, 'CHUNK[INT]'), taskCount: 2 }), {
    parameter: 'Frame',
    type: 'CHUNK[INT]',
    values: ['1-3', '4-6'],
  });
  const list: SpaceDescription = {
    kind: 'axis',
    name: 'Frame',
    values: { kind: 'list', values: ['b', 'a'] },
  };
  t.strictSame(axisOf({ ...planOf(list, 'STRING'), taskCount: 2 }), {
    parameter: 'Frame',
    type: 'STRING',
    values: ['b', 'a'],
  });
  t.equal(axisOf({ ...planOf(list, 'STRING'), taskCount: 1001 }), null, 'too many');
});

void test('lists the chunks of the current sections', async (t) => {
  const space: SpaceDescription = {
    kind: 'axis',
    name: 'Frame',
    values: {
      kind: 'chunks',
      runs: [{ start: '1', step: '1', count: 6 }],
      cut: { size: 3, constraint: 'CONTIGUOUS', greedy: true },
    },
  };
  const sections = [
    { firstTask: 0, firstItem: 0, size: 3 },
    { firstTask: 1, firstItem: 3, size: 2 },
  ];
  t.strictSame(taskAxis({ ...planOf(space, 'CHUNK[INT]'), sections }, 3)?.values, ['1-3', '4-5', '6-6']);
});

void test('returns null without a parameter, with several, or with inexact integers', async (t) => {
  t.equal(axisOf(planOf({ kind: 'single' }, 'INT', [])), null);
  const product: SpaceDescription = { kind: 'product', parts: [runs('1', '1', 5), runs('1', '1', 1)] };
  t.equal(axisOf(planOf(product, 'INT', ['Frame', 'Layer'])), null);
  t.equal(axisOf(planOf(runs('9007199254740993', '1', 1))), null);
});

void test('a space of several parameters, or with too many or too large numbers, has no axis', async (t) => {
  t.equal(axisOf(planOf(runs('1', '1', 5), 'INT', ['Frame', 'Tile'])), null);
  t.equal(axisOf(planOf(runs('1', '1', 5), 'INT', [])), null);
  const ofRuns = (count: number) =>
    planOf({
      kind: 'axis',
      name: 'Frame',
      values: {
        kind: 'runs',
        runs: Array.from({ length: count }, (_, nth) => ({ start: String(10 * nth), step: '1', count: 2 })),
      },
    });
  t.equal(axisOf(ofRuns(1000))?.runs?.length, 1000);
  t.equal(axisOf(ofRuns(1001)), null);
  t.equal(axisOf(planOf(runs('9007199254740990', '1', 5))), null, 'not exact');
});
