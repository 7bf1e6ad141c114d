import type { JobPlan, StepPlan, StepRequirements } from '../../src/openjd/template/plan.ts';
import { requirements } from './lease-parts.ts';

/** A step of a test plan: its name, its number of tasks, and optional settings. */
export interface PlannedStep {
  readonly name: string;
  readonly tasks: number;
  /** Names of the steps that it depends on. */
  readonly after?: readonly string[];
  readonly needs?: Partial<StepRequirements>;
  /** Tasks are contiguous chunks of `size` frames, which should take `targetSeconds`. */
  readonly chunks?: { readonly size: number; readonly targetSeconds: number };
}

/** Returns the plan of a job with these steps. Task i of a step has the parameter Frame with the value i + 1. */
export function jobPlan(jobName: string, steps: readonly PlannedStep[]): JobPlan {
  const order = new Map(steps.map((step, at) => [step.name, at]));
  return {
    version: 1,
    jobName,
    parameters: { Scene: { type: 'STRING', value: 'forest' } },
    environments: [],
    steps: steps.map((step, at) => stepPlan(step, at, order)),
  };
}

function stepPlan(step: PlannedStep, at: number, order: ReadonlyMap<string, number>): StepPlan {
  return {
    name: step.name,
    order: at,
    dependsOn: (step.after ?? []).map((name) => {
      const upstream = order.get(name);
      if (upstream === undefined) throw new Error(`there is no step ${name}`);
      return upstream;
    }),
    taskCount: step.tasks,
    ...tasksOf(step),
    requirements: requirements(step.needs),
    environments: [],
    script: { onRun: { command: 'render', args: ['{{Task.Param.Frame}}'] }, embeddedFiles: [] },
  };
}

function tasksOf({ tasks, chunks }: PlannedStep): Pick<StepPlan, 'taskParameters' | 'space' | 'chunks'> {
  const runs = [{ start: '1', step: '1', count: tasks * (chunks?.size ?? 1) }];
  if (chunks === undefined) {
    const space = { kind: 'axis', name: 'Frame', values: { kind: 'runs', runs } } as const;
    return { taskParameters: [{ name: 'Frame', type: 'INT' }], space };
  }
  const { size, targetSeconds } = chunks;
  const cut = { size, constraint: 'CONTIGUOUS', greedy: targetSeconds > 0 } as const;
  return {
    taskParameters: [{ name: 'Frame', type: 'CHUNK[INT]' }],
    space: { kind: 'axis', name: 'Frame', values: { kind: 'chunks', runs, cut } },
    chunks: {
      parameter: 'Frame',
      defaultTaskCount: size,
      targetRuntimeSeconds: targetSeconds,
      rangeConstraint: 'CONTIGUOUS',
    },
  };
}
