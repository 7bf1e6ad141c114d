import type { CommandFlags, EnvironmentVariable, PathDelivery } from '../../openjd/template/deliveries.ts';
import type { MappedLocation, PathSource } from '../delivery/path-map.ts';
import type { PathFormat } from '../../openjd/template/path-mapping.ts';
import type {
  ActionPlan,
  CancelationPlan,
  DataFlow,
  EmbeddedFilePlan,
  EndOfLine,
  EnvironmentPlan,
  HookFormats,
  HookPlan,
  ObjectType,
  LetPlan,
  LetValue,
  ParameterType,
  ParameterValue,
  ScriptPlan,
  TaskParameterType,
  TaskParameterValue,
  WrapPlan,
} from '../../openjd/template/plan.ts';
import type {
  Assignment,
  CancelMessage,
  IsolationIdentity,
  LeaseReply,
  OwnerMessage,
  PathMapMessage,
  PresenceReply,
  StepAssignment,
} from './bus-messages.ts';
import {
  checked,
  messageParser,
  finite,
  flag,
  integer,
  line,
  list,
  literal,
  map,
  oneOf,
  optional,
  record,
  text,
  variant,
  type Reader,
} from './field-readers.ts';
import {
  attemptFault,
  readAttemptId,
  readFarmId,
  readJobId,
  readQueueId,
  readStepId,
  readTaskId,
  readWorkerId,
} from './identifiers.ts';
import type { Parsed } from './json-text.ts';
import { WIRE_LIMITS as LIMITS } from './limits.ts';

/**
 * Parsers of the messages that the service sends to workers (docs/contract/bus.md). Each takes the text of a message.
 * None throws.
 */

const reason = text(LIMITS.message);
const service = text(LIMITS.name);
const closed = list(readAttemptId, LIMITS.openAttempts);
const DAY_MS = 86_400_000;
const heartbeatTimeout = integer(1, DAY_MS);
const terms = {
  reclaim_after_ms: optional(integer(1, LIMITS.reclaimAfterMs)),
  single_bus: optional(flag),
  bus: optional(line(LIMITS.name, 1)),
  absence_limit_ms: optional(integer(0, LIMITS.absenceMs)),
  mark: optional(integer(0, Number.MAX_SAFE_INTEGER)),
  previews: optional(flag),
  epoch: optional(integer(1, Number.MAX_SAFE_INTEGER)),
} as const;

/** The reply to a presence message. */
export const parsePresenceReply: (text: string) => Parsed<PresenceReply> = messageParser(
  variant<PresenceReply>('type', {
    registered: record<Extract<PresenceReply, { type: 'registered' }>>({
      v: literal(1),
      type: literal('registered'),
      worker_id: readWorkerId,
      farm_id: readFarmId,
      queue_ids: list(readQueueId, LIMITS.queues),
      heartbeat_timeout_ms: heartbeatTimeout,
      service,
      closed,
      ...terms,
    }),
    refused: record<Extract<PresenceReply, { type: 'refused' }>>({
      v: literal(1),
      type: literal('refused'),
      reason,
    }),
    alive: record<Extract<PresenceReply, { type: 'alive' }>>({
      v: literal(1),
      type: literal('alive'),
      heartbeat_timeout_ms: optional(heartbeatTimeout),
      service,
      closed,
      ...terms,
    }),
    unknown: record<Extract<PresenceReply, { type: 'unknown' }>>({ v: literal(1), type: literal('unknown') }),
    departed: record<Extract<PresenceReply, { type: 'departed' }>>({
      v: literal(1),
      type: literal('departed'),
    }),
  }),
  { length: LIMITS.presenceReplyText, nesting: LIMITS.nesting },
);

/** `service.owner` */
export const parseOwner: (text: string) => Parsed<OwnerMessage> = messageParser(
  record<OwnerMessage>({
    v: literal(1),
    type: literal('owner'),
    service,
    epoch: integer(1, Number.MAX_SAFE_INTEGER),
  }),
  { length: LIMITS.cancelText, nesting: LIMITS.nesting },
);

/** `task.cancel.<task id>` */
export const parseCancel: (text: string) => Parsed<CancelMessage> = messageParser(
  checked(
    record<CancelMessage>({ v: literal(1), task_id: readTaskId, attempt_id: readAttemptId, reason }),
    attemptFault,
  ),
  { length: LIMITS.cancelText, nesting: LIMITS.nesting },
);

const planText = text(LIMITS.planText);
const planList = <T>(read: Reader<T>): Reader<readonly T[]> => list(read, LIMITS.planEntries);
const planMap = <T>(read: Reader<T>): Reader<Readonly<Record<string, T>>> =>
  map(planText, read, LIMITS.planEntries);

const parameterValue = record<ParameterValue>({
  type: oneOf<ParameterType>({
    INT: true,
    FLOAT: true,
    STRING: true,
    PATH: true,
    BOOL: true,
    RANGE_EXPR: true,
    'LIST[STRING]': true,
    'LIST[PATH]': true,
    'LIST[INT]': true,
    'LIST[FLOAT]': true,
    'LIST[BOOL]': true,
    'LIST[LIST[INT]]': true,
  }),
  value: planText,
  dataFlow: optional(oneOf<DataFlow>({ IN: true, OUT: true, INOUT: true })),
  objectType: optional(oneOf<ObjectType>({ FILE: true, DIRECTORY: true })),
});

const taskParameterValue = record<TaskParameterValue>({
  type: oneOf<TaskParameterType>({ INT: true, FLOAT: true, STRING: true, PATH: true, 'CHUNK[INT]': true }),
  value: planText,
});

const cancelation = variant<CancelationPlan>('mode', {
  TERMINATE: record<Extract<CancelationPlan, { mode: 'TERMINATE' }>>({ mode: literal('TERMINATE') }),
  NOTIFY_THEN_TERMINATE: record<Extract<CancelationPlan, { mode: 'NOTIFY_THEN_TERMINATE' }>>({
    mode: literal('NOTIFY_THEN_TERMINATE'),
    notifyPeriodSeconds: optional(finite),
  }),
});

const action = record<ActionPlan>({
  command: planText,
  args: planList(planText),
  timeoutSeconds: optional(finite),
  cancelation: optional(cancelation),
});

const hook = record<HookPlan>({
  command: planText,
  args: planList(planText),
  timeoutSeconds: optional(finite),
  cancelation: optional(cancelation),
  formats: optional(
    record<HookFormats>({
      timeout: optional(planText),
      mode: optional(planText),
      notifyPeriod: optional(planText),
    }),
  ),
});

const embeddedFile = record<EmbeddedFilePlan>({
  name: planText,
  filename: optional(planText),
  runnable: flag,
  data: planText,
  endOfLine: optional(oneOf<EndOfLine>({ LF: true, CRLF: true })),
});

const lets = optional(planList(record<LetPlan>({ name: planText, expression: planText })));

const script = record<ScriptPlan>({ onRun: action, embeddedFiles: planList(embeddedFile), lets });

const environment = record<EnvironmentPlan>({
  name: planText,
  variables: planMap(planText),
  onEnter: optional(action),
  onExit: optional(action),
  wrap: optional(record<WrapPlan>({ onEnvEnter: hook, onTaskRun: hook, onEnvExit: hook })),
  embeddedFiles: planList(embeddedFile),
  extensions: optional(list(text(LIMITS.name), LIMITS.extensions)),
  lets,
});

const delivery = variant<PathDelivery>('type', {
  swap_in_place: record<Extract<PathDelivery, { type: 'swap_in_place' }>>({ type: literal('swap_in_place') }),
  translation_file: record<Extract<PathDelivery, { type: 'translation_file' }>>({
    type: literal('translation_file'),
  }),
  command_flags: record<CommandFlags>({
    type: literal('command_flags'),
    args: planList(planText),
    position: oneOf<CommandFlags['position']>({ START: true, END: true }),
  }),
  environment: record<EnvironmentVariable>({
    type: literal('environment'),
    variable: planText,
    entry: optional(planText),
    separator: optional(planText),
  }),
  stage_locally: record<Extract<PathDelivery, { type: 'stage_locally' }>>({ type: literal('stage_locally') }),
});

const pathMap = record<PathMapMessage>({
  compute_location: text(LIMITS.name),
  locations: list(
    record<MappedLocation>({
      root: planText,
      sources: list(
        record<PathSource>({
          format: oneOf<PathFormat>({ POSIX: true, WINDOWS: true, URI: true }),
          path: planText,
        }),
        LIMITS.pathMapEntries,
      ),
    }),
    LIMITS.pathMapEntries,
  ),
});

const assignment = checked(
  record<Assignment>({
    task_id: readTaskId,
    job_id: readJobId,
    step_id: readStepId,
    attempt_id: readAttemptId,
    name: planText,
    cores: checked(finite, (value) => (value >= 0 ? null : 'must not be negative')),
    parameters: planMap(taskParameterValue),
    gpus: optional(list(integer(0, LIMITS.gpus - 1), LIMITS.gpus)),
  }),
  (value) => {
    if (!value.task_id.startsWith(`${value.step_id}-`)) return 'task_id must be a task of step_id';
    if (!value.step_id.startsWith(`${value.job_id}-`)) return 'step_id must be a step of job_id';
    return attemptFault(value);
  },
);

const stepAssignment = record<StepAssignment>({
  job_name: planText,
  step_name: planText,
  job_parameters: planMap(parameterValue),
  job_environments: planList(environment),
  step_environments: planList(environment),
  script,
  lets: optional(planList(record<LetValue>({ name: planText, type: planText, value: planText }))),
  compute_location: planText,
  memory_mib: optional(checked(finite, (value) => (value > 0 ? null : 'must be positive'))),
  extensions: optional(list(text(LIMITS.name), LIMITS.extensions)),
  deliveries: optional(planList(delivery)),
  log_patterns: optional(list(text(LIMITS.logPattern), LIMITS.logPatterns)),
  isolation: optional(
    record<IsolationIdentity>({ user: text(LIMITS.name), group: optional(text(LIMITS.name)) }),
  ),
  ready_left: optional(integer(0, Number.MAX_SAFE_INTEGER)),
});

const leases = checked(
  record<Extract<LeaseReply, { type: 'leases' }>>({
    v: literal(1),
    type: literal('leases'),
    assignments: list(assignment, LIMITS.assignments),
    steps: map(readStepId, stepAssignment, LIMITS.assignments),
    path_map: optional(pathMap),
    confirmed: optional(list(readAttemptId, LIMITS.reportsPerRequest)),
  }),
  (value) =>
    value.assignments.every((one) => Object.hasOwn(value.steps, one.step_id))
      ? null
      : 'steps must hold the step of every assignment',
);

/** The reply to a lease request. */
export const parseLeaseReply: (text: string) => Parsed<LeaseReply> = messageParser(
  variant<LeaseReply>('type', {
    leases,
    unknown: record<Extract<LeaseReply, { type: 'unknown' }>>({ v: literal(1), type: literal('unknown') }),
  }),
  { length: LIMITS.leaseReplyText, nesting: LIMITS.nesting },
);
