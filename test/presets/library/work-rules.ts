import { KNOWN_APPLICATIONS } from '../../../src/core/applications/known-applications.ts';
import type {
  ActionShape,
  EnvironmentShape,
  StepShape,
} from '../../../src/openjd/template/shape/template-shape.ts';
import type { Preset } from './preset-files.ts';

const TAG = 'attr.worker.tag.';
const POOL = 'amount.worker.usagepool.';
/** Pools of licences that no application has as its tag. */
const OTHER_POOLS = ['houdini_engine', 'karma'];
const AMOUNTS = [
  'amount.worker.vcpu',
  'amount.worker.gpu',
  'amount.worker.memory',
  'amount.worker.gpu.memory',
];

const tags: ReadonlySet<string> = new Set(KNOWN_APPLICATIONS.map(({ tag }) => tag));

/** The actions of a template and their places. */
export function actionsOf({ template: { shape } }: Preset): readonly (readonly [string, ActionShape])[] {
  const environments = [...shape.jobEnvironments, ...shape.steps.flatMap((step) => step.environments)];
  return [
    ...shape.steps.map(({ name, onRun }): [string, ActionShape | undefined] => [
      `step ${name?.value ?? ''}`,
      onRun,
    ]),
    ...environments.flatMap(({ name, onEnter, onExit }): [string, ActionShape | undefined][] => [
      [`environment ${name?.value ?? ''}, onEnter`, onEnter],
      [`environment ${name?.value ?? ''}, onExit`, onExit],
    ]),
  ].flatMap(([place, action]): [string, ActionShape][] => (action === undefined ? [] : [[place, action]]));
}

/** Returns what is wrong with the actions and host requirements of a preset. */
export function workProblems(preset: Preset): readonly string[] {
  return [
    ...actionsOf(preset).flatMap(([place, action]) =>
      limitProblems(action).map((text) => `${place}: ${text}`),
    ),
    ...preset.template.shape.steps.flatMap((step) =>
      [
        ...requirementProblems(step, preset.definition.readme),
        ...placeProblems(step, preset.template.shape.jobEnvironments),
      ].map((text) => `step ${step.name?.value ?? ''}: ${text}`),
    ),
  ];
}

/**
 * A worker reports a tag for a program in an install directory too, so the preset has to look there as well. Returns
 * the directories that no file of the step and of its environments names. The names of the programs in them differ.
 */
function placeProblems(
  { hostRequirements, embeddedFiles, environments }: StepShape,
  jobEnvironments: readonly EnvironmentShape[],
): readonly string[] {
  const wanted = new Set((hostRequirements?.attributes ?? []).map(({ name }) => name?.value ?? ''));
  const files = [...environments, ...jobEnvironments].flatMap((environment) => environment.embeddedFiles);
  const code = [...embeddedFiles, ...files].map(({ data }) => data?.value ?? '').join('\n');
  return KNOWN_APPLICATIONS.filter(({ tag }) => wanted.has(`${TAG}${tag}`)).flatMap(
    ({ tag, places = {}, variables = [] }) => [
      ...Object.values(places)
        .flat()
        .map(directoryOf)
        .filter((place) => !code.includes(place))
        .map((place) => `does not look for ${tag} in ${place}`),
      ...variables
        .filter((name) => !code.includes(name))
        .map((name) => `does not look for ${tag} in $${name}`),
    ],
  );
}

const directoryOf = (place: string): string => place.slice(0, place.lastIndexOf('/') + 1);

function limitProblems({ timeout, cancelation }: ActionShape): readonly string[] {
  const period = cancelation?.notifyPeriod?.node;
  return [
    ...(timeout?.node.kind === 'integer' ? [] : ['has no timeout']),
    ...(cancelation?.mode?.value === 'NOTIFY_THEN_TERMINATE' ? [] : ['is not notified before it is ended']),
    ...(period?.kind === 'integer' && period.text === '30' ? [] : ['has no notify period of 30 seconds']),
  ];
}

function requirementProblems({ hostRequirements }: StepShape, readme: string): readonly string[] {
  const attributes = hostRequirements?.attributes ?? [];
  const amounts = (hostRequirements?.amounts ?? []).map(({ name }) => name?.value ?? '');
  const wanted = attributes.flatMap(({ name, anyOf }) =>
    name?.value.startsWith(TAG) === true
      ? [{ tag: name.value.slice(TAG.length), values: (anyOf ?? []).map(({ value }) => value).join() }]
      : [],
  );
  const pools = amounts.filter((name) => name.startsWith(POOL)).map((name) => name.slice(POOL.length));
  return [
    ...(amounts.length + wanted.length === 0 ? ['has no host requirements'] : []),
    ...wanted.filter(({ tag }) => !tags.has(tag)).map(({ tag }) => `requires the unknown tag ${tag}`),
    ...wanted.filter(({ tag }) => tag === 'python3').map(() => 'requires python3, which all workers have'),
    ...wanted
      .filter(({ values }) => values !== 'true')
      .map(({ tag }) => `does not require ${tag} to be true`),
    ...wanted
      .filter(({ tag }) => !readme.includes(`\`${tag}\``))
      .map(({ tag }) => `readme does not name the tag ${tag}`),
    ...pools
      .filter((pool) => !tags.has(pool) && !OTHER_POOLS.includes(pool))
      .map((pool) => `requires the unknown pool ${pool}`),
    ...pools
      .filter((pool) => !readme.includes(`\`${pool}\``))
      .map((pool) => `readme does not name the pool ${pool}`),
    ...amounts
      .filter((name) => !name.startsWith(POOL) && !AMOUNTS.includes(name))
      .map((name) => `requires the unknown amount ${name}`),
  ];
}
