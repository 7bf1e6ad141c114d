import type { Names } from '../../src/core/explain/task-facts.ts';
import { workersGates } from '../../src/core/explain/worker-gate.ts';
import type { FarmId, QueueId } from '../../src/core/ids.ts';
import type { DemandExplanation } from '../../src/core/lease/explanation.ts';
import type { PlanInParts } from '../../src/core/ports/large-jobs.ts';
import type { CommandPreview, StepPreview } from '../../src/openjd/template/preview-command.ts';
import { nearestMissView, rejectedView } from './explanation-view.ts';
import type { Schemas } from './schemas.ts';

/** Facts about where a job would run. */
export interface DryRunFacts {
  readonly farmId: FarmId;
  readonly queueId: QueueId;
  /** In order of the steps; null if the scheduler has not answered. */
  readonly workers: readonly DemandExplanation[] | null;
  /** Names of the registered usage pools, in lower case. */
  readonly pools: readonly string[];
  readonly names: Names;
}

type PlanShape = PlanInParts['shape'];
type StepShape = PlanShape['steps'][number];

/** Returns the result of a dry run (docs/rest.md). */
export function dryRunView(
  plan: PlanShape,
  previews: readonly StepPreview[],
  facts: DryRunFacts,
): Schemas['DryRun'] {
  const parameters = Object.entries(plan.parameters);
  return {
    name: plan.jobName,
    task_count: plan.steps.reduce((sum, step) => sum + step.taskCount, 0),
    ...(parameters.length > 0 && {
      parameters: Object.fromEntries(parameters.map(([name, { value }]) => [name, value])),
    }),
    steps: plan.steps.map((step) => stepViewOf(step, plan, previews[step.order], facts)),
  };
}

function stepViewOf(
  step: StepShape,
  plan: PlanShape,
  preview: StepPreview | undefined,
  facts: DryRunFacts,
): Schemas['DryRunStep'] {
  // A program error: a dry run requests the preview of every step.
  if (preview === undefined) throw new Error(`the step ${step.name} has no preview`);
  const { first, last } = preview;
  const dependsOn = step.dependsOn.flatMap((order) => plan.steps[order]?.name ?? []);
  const workers = facts.workers?.[step.order];
  const unregistered = step.requirements.pools.filter((pool) => !facts.pools.includes(pool));
  return {
    name: step.name,
    order: step.order,
    task_count: step.taskCount,
    ...(dependsOn.length > 0 && { depends_on: dependsOn }),
    first: commandView(first),
    last: commandView(last),
    ...(workers !== undefined && { workers: workersView(step, workers, facts) }),
    ...(unregistered.length > 0 && { unregistered_pools: unregistered }),
  };
}

const commandView = ({
  task,
  parameters,
  command,
  args,
  isCut,
}: CommandPreview): Schemas['CommandPreview'] => ({
  task,
  ...(Object.keys(parameters).length > 0 && { parameters }),
  command,
  args,
  ...(isCut && { cut: true }),
});

function workersView(
  { requirements }: StepShape,
  workers: DemandExplanation,
  { farmId, queueId, names }: DryRunFacts,
): Schemas['DryRunWorkers'] {
  const sought = { job: { farmId, queueId }, task: { status: 'ready' }, requirements, names } as const;
  const [gate] = workersGates(sought, { workers });
  const { online, elsewhere, eligible, rejected } = workers;
  return {
    online,
    elsewhere,
    eligible,
    rejected: rejected.map(rejectedView),
    ...(gate !== undefined && { reason: gate.reason, sentence: gate.sentence }),
    ...(gate !== undefined &&
      gate.nearestMiss !== null && { nearest_miss: nearestMissView(gate.nearestMiss) }),
  };
}
