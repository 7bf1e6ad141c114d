import type { RetryOverride } from '../../src/core/lifecycle/retry-policy.ts';
import type {
  AttributeRequirement,
  EnvironmentPlan,
  JobPlan,
  StepPlan,
} from '../../src/openjd/template/plan.ts';
import type { SimulationOptions } from './options.ts';
import type { Random } from './random.ts';

export const LOCATIONS = ['', '', 'north', 'south'] as const;
/** Names of usage pools that are registered at times; the last never is. Names are case-insensitive. */
export const POOL_NAMES = ['Nuke', 'seats'] as const;
const UNREGISTERED_POOL = 'ghost';
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
    const step = randomStep(order, random, options);
    steps.push(usesExpressions ? { ...step, requirements: { ...step.requirements, usesExpressions } } : step);
  }
  return { version: 1, jobName: name, parameters: {}, environments: randomEnvironments('J', random), steps };
}

function randomStep(order: number, random: Random, options: SimulationOptions): StepPlan {
  const taskCount = random.chance(0.2) ? 1 : random.between(1, options.tasksMax);
  const dependsOn = Array.from({ length: order }, (_, index) => index).filter(() => random.chance(0.5));
  return {
    name: `Step${order}`,
    order,
    dependsOn,
    taskCount,
    taskParameters: taskCount === 1 ? [] : [{ name: 'Frame', type: 'INT' }],
    space:
      taskCount === 1
        ? { kind: 'single' }
        : {
            kind: 'axis',
            name: 'Frame',
            values: { kind: 'runs', runs: [{ start: '1', step: '1', count: taskCount }] },
          },
    requirements: {
      cores: random.pick([null, 1, 1, 1, 2, 3, 0.5]),
      computeLocation: random.chance(0.15) ? random.pick(LOCATIONS) : '',
      amounts: random.chance(0.1)
        ? [{ name: 'amount.worker.memory', min: random.pick([1024, 4096, 8192]) }]
        : [],
      pools: options.pools && random.chance(0.35) ? randomPools(random) : [],
      attributes: random.chance(0.15) ? [randomAttribute(random)] : [],
    },
    environments: randomEnvironments('S', random),
    script: { onRun: { command: 'run', args: [] }, embeddedFiles: [] },
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
