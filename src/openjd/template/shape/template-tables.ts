import { DELIVERY_ORDER, type DeliveryType } from '../deliveries.ts';
import type { TaskParameterType } from '../plan.ts';
import type { ObjectKeys } from './object-reader.ts';

/**
 * Keys and words of every object of a template, as data: the readers check templates by them, and the JSON Schema for
 * editors is made from them (src/openjd/template/schema).
 */

/** Specification, section 1.1. */
export const TEMPLATE_KEYS = {
  specificationVersion: 'required',
  $schema: 'optional',
  extensions: 'optional',
  name: 'required',
  description: 'optional',
  parameterDefinitions: 'optional',
  jobEnvironments: 'optional',
  steps: 'required',
  pathDelivery: { needs: 'SVC_PATH_TRANSLATION' },
} as const satisfies ObjectKeys;

/** Section 1.2. */
export const ENVIRONMENT_TEMPLATE_KEYS = {
  specificationVersion: 'required',
  $schema: 'optional',
  extensions: 'optional',
  parameterDefinitions: 'optional',
  environment: 'required',
} as const satisfies ObjectKeys;

/** Sections 2.1 to 2.16: keys of every type of job parameter. */
export const PARAMETER_KEYS = {
  name: 'required',
  type: 'required',
  description: 'optional',
  default: 'optional',
  userInterface: 'optional',
} as const satisfies ObjectKeys;
/** Additional keys of a type whose values are paths. */
export const PATH_PARAMETER_KEYS = {
  objectType: 'optional',
  dataFlow: 'optional',
} as const satisfies ObjectKeys;
export const OBJECT_TYPES = ['FILE', 'DIRECTORY'] as const;
export const DATA_FLOWS = ['NONE', 'IN', 'OUT', 'INOUT'] as const;
/** Keys of `userInterface`, in addition to the settings of the type. */
export const INTERFACE_KEYS = {
  control: 'optional',
  label: 'optional',
  groupLabel: 'optional',
} as const satisfies ObjectKeys;
/** Section 2.7. */
export const FILE_FILTER_KEYS = { label: 'required', patterns: 'required' } as const satisfies ObjectKeys;

/** Section 3. */
export const STEP_KEYS = {
  name: 'required',
  description: 'optional',
  dependencies: 'optional',
  stepEnvironments: 'optional',
  hostRequirements: 'optional',
  parameterSpace: 'optional',
  let: { needs: 'EXPR' },
  script: { requiredWithout: 'FEATURE_BUNDLE_1' },
  bash: { needs: 'FEATURE_BUNDLE_1' },
  cmd: { needs: 'FEATURE_BUNDLE_1' },
  node: { needs: 'FEATURE_BUNDLE_1' },
  powershell: { needs: 'FEATURE_BUNDLE_1' },
  python: { needs: 'FEATURE_BUNDLE_1' },
  pathDelivery: { needs: 'SVC_PATH_TRANSLATION' },
} as const satisfies ObjectKeys;
/** Section 8: keys of a step with a script for an interpreter. */
export const SIMPLE_ACTIONS = [
  'bash',
  'cmd',
  'node',
  'powershell',
  'python',
] as const satisfies readonly (keyof typeof STEP_KEYS)[];
export type SimpleActionName = (typeof SIMPLE_ACTIONS)[number];
/** A step has exactly one of these. */
export const STEP_SCRIPTS = ['script', ...SIMPLE_ACTIONS] as const;
export const SIMPLE_ACTION_KEYS = {
  let: { needs: 'EXPR' },
  script: 'required',
  args: 'optional',
  timeout: 'optional',
  cancelation: 'optional',
} as const satisfies ObjectKeys;
/** Section 3.2. */
export const DEPENDENCY_KEYS = { dependsOn: 'required' } as const satisfies ObjectKeys;
/** Section 3.3. */
export const HOST_REQUIREMENTS_KEYS = {
  amounts: 'optional',
  attributes: 'optional',
} as const satisfies ObjectKeys;
export const AMOUNT_KEYS = {
  name: 'required',
  min: 'optional',
  max: 'optional',
} as const satisfies ObjectKeys;
export const ATTRIBUTE_KEYS = {
  name: 'required',
  anyOf: 'optional',
  allOf: 'optional',
} as const satisfies ObjectKeys;
/** Section 3.4. */
export const SPACE_KEYS = {
  taskParameterDefinitions: 'required',
  combination: 'optional',
} as const satisfies ObjectKeys;
export const TASK_PARAMETER_KEYS = {
  name: 'required',
  type: 'required',
  range: 'required',
} as const satisfies ObjectKeys;
export const TASK_PARAMETER_TYPES = [
  'INT',
  'FLOAT',
  'STRING',
  'PATH',
  'CHUNK[INT]',
] as const satisfies readonly TaskParameterType[];
/** Additional keys of a task parameter of type CHUNK[INT]. */
export const CHUNKED_PARAMETER_KEYS = { chunks: 'required' } as const satisfies ObjectKeys;
/** Section 3.4.1.5. */
export const CHUNKS_KEYS = {
  defaultTaskCount: 'required',
  targetRuntimeSeconds: 'optional',
  rangeConstraint: 'required',
} as const satisfies ObjectKeys;
export const RANGE_CONSTRAINTS = ['CONTIGUOUS', 'NONCONTIGUOUS'] as const;

/** Sections 3.5 and 4.2: script of a step, and of an environment. */
export const SCRIPT_KEYS = {
  let: { needs: 'EXPR' },
  actions: 'required',
  embeddedFiles: 'optional',
} as const satisfies ObjectKeys;
export const STEP_ACTIONS_KEYS = { onRun: 'required' } as const satisfies ObjectKeys;
export const ENVIRONMENT_ACTIONS_KEYS = {
  onEnter: 'optional',
  onWrapEnvEnter: { needs: 'WRAP_ACTIONS' },
  onWrapTaskRun: { needs: 'WRAP_ACTIONS' },
  onWrapEnvExit: { needs: 'WRAP_ACTIONS' },
  onExit: 'optional',
} as const satisfies ObjectKeys;
/** Section 4.3: an environment has all of them or none. */
export const WRAP_HOOKS = [
  'onWrapEnvEnter',
  'onWrapTaskRun',
  'onWrapEnvExit',
] as const satisfies readonly (keyof typeof ENVIRONMENT_ACTIONS_KEYS)[];
/** Section 4. */
export const ENVIRONMENT_KEYS = {
  name: 'required',
  description: 'optional',
  variables: 'optional',
  script: 'optional',
} as const satisfies ObjectKeys;
/** Section 5. */
export const ACTION_KEYS = {
  command: 'required',
  args: 'optional',
  timeout: 'optional',
  cancelation: 'optional',
} as const satisfies ObjectKeys;
/** Section 5.3. */
export const CANCELATION_MODES = ['TERMINATE', 'NOTIFY_THEN_TERMINATE'] as const;
export const CANCELATION_KEYS = { mode: 'required' } as const satisfies ObjectKeys;
/** Additional keys of a cancelation that does not terminate at once. */
export const NOTIFY_KEYS = { notifyPeriodInSeconds: 'optional' } as const satisfies ObjectKeys;
/** Section 6. */
export const EMBEDDED_FILE_KEYS = {
  name: 'required',
  type: 'required',
  filename: 'optional',
  runnable: 'optional',
  data: 'required',
  endOfLine: { needs: 'FEATURE_BUNDLE_1' },
} as const satisfies ObjectKeys;
export const EMBEDDED_FILE_TYPES = ['TEXT'] as const;
export const LINE_ENDS = ['AUTO', 'LF', 'CRLF'] as const;

/** docs/decisions/path-delivery.md: the keys depend on the type. */
export const DELIVERY_TYPES = DELIVERY_ORDER;
export const DELIVERY_KEYS = {
  swap_in_place: { type: 'required' },
  translation_file: { type: 'required' },
  command_flags: { type: 'required', args: 'required', position: 'optional' },
  environment: { type: 'required', variable: 'required', entry: 'optional', separator: 'optional' },
  stage_locally: { type: 'required' },
} as const satisfies Record<DeliveryType, ObjectKeys>;
export const FLAG_POSITIONS = ['START', 'END'] as const;
