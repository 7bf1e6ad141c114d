/** Templates at the limits of a submission, each large in one respect. */

const VERSION = 'jobtemplate-2023-09';
const ONE_CORE = { amounts: [{ name: 'amount.worker.vcpu', min: 1 }] };
const NOOP = { actions: { onRun: { command: 'true' } } };

interface Axis {
  readonly name: string;
  readonly type: string;
  readonly range: string | readonly (number | string)[];
  readonly chunks?: object;
}

const spaceOf = (...taskParameterDefinitions: readonly Axis[]) => ({ taskParameterDefinitions });

const jobOf = (name: string, parameterSpace: object, more: object = {}) => ({
  specificationVersion: VERSION,
  ...more,
  name,
  steps: [{ name: 'Noop', parameterSpace, hostRequirements: ONE_CORE, script: NOOP }],
});

const MILLION = 1_000_000;
const LIST = 1_000;

/** Returns a job with a task for each number up to `count`. */
export const rangeOf = (count: number): object =>
  jobOf(`${count} tasks`, spaceOf({ name: 'I', type: 'INT', range: `1-${count}` }));

/** Jobs of a million tasks, by the construct that makes them. */
export const MILLION_TASKS: Readonly<Record<string, object>> = {
  'a million of a range': rangeOf(MILLION),
  'of three ranges': jobOf(
    'a product of ranges',
    spaceOf(
      { name: 'A', type: 'INT', range: '1-100' },
      { name: 'B', type: 'INT', range: '1-100' },
      { name: 'C', type: 'INT', range: '1-100' },
    ),
  ),
  'of two lists': jobOf(
    'of two lists',
    spaceOf(
      { name: 'A', type: 'STRING', range: Array.from({ length: LIST }, (_, nth) => `shot_${nth}_layer`) },
      { name: 'B', type: 'INT', range: Array.from({ length: LIST }, (_, nth) => nth * 7) },
    ),
  ),
  'of chunks': jobOf(
    'chunks',
    spaceOf(
      {
        name: 'Frames',
        type: 'CHUNK[INT]',
        range: `1-${10 * LIST}`,
        chunks: { defaultTaskCount: 10, rangeConstraint: 'CONTIGUOUS' },
      },
      { name: 'B', type: 'INT', range: `1-${LIST}` },
    ),
    { extensions: ['TASK_CHUNKING'] },
  ),
};

/** Returns a job of n consecutive steps, each with a task for every frame. */
export const manySteps = (count: number): object => ({
  specificationVersion: VERSION,
  name: `${count} steps`,
  steps: Array.from({ length: count }, (_, nth) => ({
    name: `Step${nth}`,
    ...(nth > 0 && { dependencies: [{ dependsOn: `Step${nth - 1}` }] }),
    parameterSpace: spaceOf({ name: 'Frame', type: 'INT', range: '1-100' }),
    hostRequirements: ONE_CORE,
    script: NOOP,
  })),
});

/** Returns a template of about n bytes as JSON, mostly embedded files of its steps. */
export function largeText(bytes: number): object {
  const steps = 1_000;
  const data = 'x'.repeat(Math.floor(bytes / steps) - 300);
  return {
    specificationVersion: VERSION,
    name: 'a large text',
    steps: Array.from({ length: steps }, (_, nth) => ({
      name: `Step${nth}`,
      parameterSpace: spaceOf({ name: 'Frame', type: 'INT', range: '1-100' }),
      hostRequirements: ONE_CORE,
      script: { ...NOOP, embeddedFiles: [{ name: 'Data', type: 'TEXT', data }] },
    })),
  };
}
