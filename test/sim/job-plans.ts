import type { RetryOverride } from '../../src/core/lifecycle/retry-policy.ts';
import type {
  AttributeRequirement,
  EnvironmentPlan,
  JobPlan,
  StepPlan,
} from '../../src/openjd/template/plan.ts';
import type { AxisValues, SpaceDescription } from '../../src/openjd/template/space-description.ts';
import type { IntegerRun } from '../../src/openjd/primitives/integer-set.ts';
import { memoryOfStep } from './retry-rule-plans.ts';
import { poolAmountsOf } from './cap-plans.ts';
import { randomAmounts } from './amount-plans.ts';
import type { SimulationOptions } from './options.ts';
import type { Random } from './random.ts';

export const LOCATIONS = ['', '', 'north', 'south'] as const;
/** Names of usage pools that are registered at times; the last never is. Names are case-insensitive. */
export const POOL_NAMES = ['Nuke', 'seats'] as const;
const UNREGISTERED_POOL = 'ghost';
/** Number of frames in a chunk of the default size. */
const CHUNK_SIZE = 3;
const SECOND_MS = 1000;
/** Share of jobs, and of steps, that have environments. */
const ENVIRONMENTS_SHARE = 0.3;
/** Share of jobs with expressions. */
const EXPRESSIONS_SHARE = 0.2;
export const TAG_VALUES = ['a4000', 'A5000'] as const;

/**
 * Expression memory that workers grant, relative to EXPR_MEMORY_BYTES of the service: enough, too little, or
 * alternating.
 */
export const EXPR_MEMORY_OF_WORKERS = [
  [2_000_000],
  [2_000_000, 3_000_000],
  [1_000_000],
  [1_999_999, 2_000_000],
] as const;

/** Returns a random job: dependent steps with one or several tasks and all kinds of requirements. */
export function randomPlan(name: string, random: Random, options: SimulationOptions): JobPlan {
  const steps: StepPlan[] = [];
  const count = random.between(1, 3);
  const usesExpressions = random.chance(EXPRESSIONS_SHARE);
  for (let order = 0; order < count; order++) {
    const step = withPoolAmounts(withMemory(randomStep(order, random, options), options), options);
    steps.push(usesExpressions ? { ...step, requirements: { ...step.requirements, usesExpressions } } : step);
  }
  return { version: 1, jobName: name, parameters: {}, environments: randomEnvironments('J', random), steps };
}

/** Steps of farms with retry rules request memory: there is something to raise. */
function withMemory(step: StepPlan, { rules }: SimulationOptions): StepPlan {
  if (!rules || step.requirements.amounts.length > 0) return step;
  const amounts = [{ name: 'amount.worker.memory', min: memoryOfStep(step.taskCount) }];
  return { ...step, requirements: { ...step.requirements, amounts } };
}

/** Some steps of farms with caps require two slots of their pools. */
function withPoolAmounts(step: StepPlan, { caps }: SimulationOptions): StepPlan {
  const poolAmounts = poolAmountsOf(step.order, step.requirements.pools);
  if (!caps || poolAmounts === undefined || step.requirements.pools.length === 0) return step;
  return { ...step, requirements: { ...step.requirements, poolAmounts } };
}

function randomStep(order: number, random: Random, options: SimulationOptions): StepPlan {
  const taskCount = random.chance(0.2) ? 1 : random.between(1, options.tasksMax);
  const dependsOn = Array.from({ length: order }, (_, index) => index).filter(() => random.chance(0.5));
  return {
    name: `Step${order}`,
    order,
    dependsOn,
    taskCount,
    ...(options.chunks && taskCount > 1
      ? chunkedTasks(taskCount, order, options.taskMs)
      : {
          taskParameters: taskCount === 1 ? [] : [{ name: 'Frame', type: 'INT' }],
          space: taskCount === 1 ? { kind: 'single' } : frames({ kind: 'runs', runs: runOf(taskCount) }),
        }),
    requirements: {
      cores: random.pick([null, 1, 1, 1, 2, 3, 0.5]),
      computeLocation: random.chance(0.15) ? random.pick(LOCATIONS) : '',
      amounts: random.chance(0.1)
        ? [{ name: 'amount.worker.memory', min: random.pick([1024, 4096, 8192]) }]
        : options.amounts
          ? randomAmounts(random)
          : [],
      pools: options.pools && random.chance(0.35) ? randomPools(random) : [],
      attributes: random.chance(0.15) ? [randomAttribute(random)] : [],
    },
    environments: randomEnvironments('S', random),
    script: { onRun: { command: 'run', args: [] }, embeddedFiles: [] },
  };
}

const frames = (values: AxisValues): SpaceDescription => ({ kind: 'axis', name: 'Frame', values });

const runOf = (count: number): IntegerRun[] => [{ start: '1', step: '1', count }];

/**
 * Chunks of three frames with a target run time. Draws nothing, so that the other properties of a seed stay the same:
 * chunks of even steps should take three times as long as they do, others a third. Some steps have a second parameter.
 */
function chunkedTasks(
  taskCount: number,
  order: number,
  taskMs: number,
): Pick<StepPlan, 'taskParameters' | 'space' | 'chunks'> {
  const eyes = taskCount % 2 === 0 ? ['left', 'right'] : [];
  const constraint = order === 1 ? 'NONCONTIGUOUS' : 'CONTIGUOUS';
  const count = (CHUNK_SIZE * taskCount) / Math.max(1, eyes.length);
  const cut = { size: CHUNK_SIZE, constraint, greedy: true } as const;
  const chunks = frames({ kind: 'chunks', runs: runOf(count), cut });
  const eye: SpaceDescription = { kind: 'axis', name: 'Eye', values: { kind: 'list', values: eyes } };
  const isLonger = order % 2 === 0;
  return {
    taskParameters: [
      ...(eyes.length > 0 ? [{ name: 'Eye', type: 'STRING' } as const] : []),
      { name: 'Frame', type: 'CHUNK[INT]' },
    ],
    space: eyes.length > 0 ? { kind: 'product', parts: [eye, chunks] } : chunks,
    chunks: {
      parameter: 'Frame',
      defaultTaskCount: CHUNK_SIZE,
      targetRuntimeSeconds: Math.max(1, Math.round((taskMs / SECOND_MS) * (isLonger ? 3 : 1 / 3))),
      rangeConstraint: constraint,
    },
  };
}

/** Usually none. task-processes-model.ts implements the actions. */
function randomEnvironments(prefix: string, random: Random): EnvironmentPlan[] {
  if (!random.chance(ENVIRONMENTS_SHARE)) return [];
  return Array.from({ length: random.between(1, 2) }, (_unused, index) => {
    const name = `${prefix}${index}`;
    return {
      name,
      variables: {},
      onEnter: { command: 'enter', args: [name] },
      onExit: { command: 'exit', args: [name] },
      embeddedFiles: [],
    };
  });
}

function randomPools(random: Random): string[] {
  if (random.chance(0.03)) return [UNREGISTERED_POOL];
  const names = POOL_NAMES.map((name) => name.toLowerCase());
  return random.chance(0.3) ? names : [random.pick(names)];
}

function randomAttribute(random: Random): AttributeRequirement {
  const value = random.pick([...TAG_VALUES, 'none']);
  return random.chance(0.5)
    ? { name: 'attr.worker.tag.gpu', anyOf: [value, random.pick(TAG_VALUES)] }
    : { name: 'attr.worker.tag.gpu', allOf: [value.toUpperCase()] };
}

/** Returns random retry settings of one level, usually none. */
export function randomRetry(random: Random): RetryOverride {
  return {
    ...(random.chance(0.3) ? { maxAttempts: random.between(1, 4) } : {}),
    ...(random.chance(0.3) ? { retryDelaySeconds: random.pick([0, 1, 20]) } : {}),
    ...(random.chance(0.2) ? { failureLimit: random.between(1, 5) } : {}),
  };
}
