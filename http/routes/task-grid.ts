import { stepIdOf } from '../../src/core/ids.ts';
import type { StepRecord } from '../../src/core/records/step.ts';
import { keys, lastNumberOfKey } from '../../src/core/records/tables.ts';
import { taskAxis } from '../views/task-axis.ts';
import { GRID_LEGEND, gridCells } from '../views/task-grid.ts';
import type { Schemas } from '../views/schemas.ts';
import { findStep, openTasks } from './find-task.ts';
import { invalid, type Handler } from './operation.ts';

type GridStep = Schemas['TaskGrid']['steps'][number];

/** Maximum number of tasks in one grid. */
const GRID_TASKS_MAX = 4_000_000;

export const getTaskGrid: Handler<'getTaskGrid'> = ({ path, query, principal }, ports) => {
  const { store } = ports;
  const opened = openTasks(ports, path.id, principal.ownerScope);
  if (!opened.ok) return { kind: 'problem', problem: opened.problem };
  const list = opened.value;
  const { job } = list;
  const only = query.step === undefined ? null : findStep(list.steps, query.step);
  if (query.step !== undefined && only === null) return invalid('/query/step', 'the job has no such step');
  const steps = only === null ? list.steps : [only];
  const total = steps.reduce((sum, step) => sum + step.taskCount, 0);
  if (total > GRID_TASKS_MAX) {
    const what = steps.length > 1 ? 'is required: the job' : 'the step';
    return invalid('/query/step', `${what} has ${total} tasks; a grid has at most ${GRID_TASKS_MAX}`);
  }
  const axisOf = (step: StepRecord): Partial<Pick<GridStep, 'axis'>> => {
    const shape = list.shapeOf(step);
    const axis = shape === undefined ? null : taskAxis(shape, step.taskCount);
    return axis === null ? {} : { axis };
  };
  return {
    kind: 'json',
    status: 200,
    body: {
      job_id: job.id,
      legend: GRID_LEGEND,
      steps: steps.map((step) => ({
        id: stepIdOf(job.id, step.order),
        name: step.name,
        order: step.order,
        ...axisOf(step),
        cells: gridCells(step, list.tasksOf(step), function* () {
          for (const { key, value } of store.scan('taskPage', {
            prefix: keys.taskPagesOf(job.id, step.order),
          })) {
            yield { number: lastNumberOfKey(key), page: value };
          }
        }),
      })),
    },
  };
};
