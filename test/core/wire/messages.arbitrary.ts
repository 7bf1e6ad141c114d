import fc from 'fast-check';
import { typeNames } from '../../../src/openjd/template/parameter-types.ts';
import type { PathDelivery } from '../../../src/openjd/template/deliveries.ts';
import { attemptIdOf, farmId, jobId, queueId, stepIdOf, taskIdOf, workerId } from '../../../src/core/ids.ts';
import type {
  CancelMessage,
  LeaseReply,
  LeaseRequest,
  LogMessage,
  PathMapMessage,
  PresenceMessage,
  PresenceReply,
  StatusMessage,
  TerminalReport,
} from '../../../src/core/wire/bus-messages.ts';
import type { EnvironmentPlan, ScriptPlan } from '../../../src/openjd/template/plan.ts';

/** Generators of valid messages of every kind. */

const uuid = fc.uuid();
const attempt = fc.record({
  jobId: uuid.map(jobId),
  stepOrder: fc.nat(500),
  index: fc.nat(1_000_000),
  attemptNumber: fc.integer({ min: 1, max: 1000 }),
});
const token = fc.stringMatching(/^[A-Za-z0-9_-]{1,40}$/);
const inbox = fc.stringMatching(/^_INBOX\.[A-Za-z0-9]{22}\.[0-9]{1,5}$/);
const name = fc.stringMatching(/^[ -~]{1,40}$/);
const time = fc
  .date({ min: new Date('2000-01-01'), max: new Date('2100-01-01'), noInvalidDate: true })
  .map((date) => date.toISOString());
const openAttempts = fc.array(attempt.map(attemptIdOf), { maxLength: 5 });
const version = fc.constant(1 as const);

const presence: fc.Arbitrary<PresenceMessage> = fc.oneof(
  fc.record(
    {
      v: version,
      type: fc.constant('register' as const),
      worker_id: uuid.map(workerId),
      incarnation: fc.uuid({ version: 7 }),
      name,
      hostname: name,
      farm: fc.oneof(fc.constant(''), name),
      queues: fc.array(name, { maxLength: 4 }),
      cpu_count: fc.integer({ min: 1, max: 256 }),
      memory_mib: fc.nat(),
      amounts: fc.dictionary(fc.constantFrom('amount.a', 'amount.b.c'), fc.nat()),
      gpu_count: fc.nat({ max: 64 }),
      gpu_memory_mib: fc.nat(),
      gpu_models: fc.array(name, { maxLength: 4 }),
      scratch_mib: fc.nat(),
      os: name,
      os_version: name,
      arch: name,
      software_version: name,
      compute_location: fc.oneof(fc.constant(''), name),
      tags: fc.dictionary(name, fc.stringMatching(/^[ -~]{0,20}$/), { maxKeys: 4 }),
      expr_memory_limit: fc.integer({ min: 1, max: 1_000_000_000 }),
      extensions: fc.array(name, { maxLength: 3 }),
      open_attempts: openAttempts,
      reply_to: inbox,
    },
    {
      requiredKeys: [
        'v',
        'type',
        'worker_id',
        'incarnation',
        'name',
        'hostname',
        'farm',
        'queues',
        'cpu_count',
        'memory_mib',
        'os',
        'arch',
        'software_version',
        'compute_location',
        'tags',
        'open_attempts',
        'reply_to',
      ],
    },
  ),
  fc.record({
    v: version,
    type: fc.constant('heartbeat' as const),
    worker_id: uuid.map(workerId),
    farm_id: uuid.map(farmId),
    incarnation: token,
    open_attempts: openAttempts,
    reply_to: inbox,
  }),
  fc.record({
    v: version,
    type: fc.constant('deregister' as const),
    worker_id: uuid.map(workerId),
    farm_id: uuid.map(farmId),
    incarnation: token,
    reply_to: inbox,
  }),
);

const outputs = fc.array(fc.stringMatching(/^\/[A-Za-z0-9 ._/-]{0,40}$/), { maxLength: 3 });

const terminalReport: fc.Arbitrary<TerminalReport> = fc.record(
  {
    attempt_id: attempt.map(attemptIdOf),
    status: fc.constantFrom('succeeded' as const, 'failed' as const, 'canceled' as const),
    exit_code: fc.integer({ min: -(2 ** 31), max: 2 ** 31 }),
    message: fc.string({ unit: 'binary' }),
    failure_excerpt: fc.string({ unit: 'binary' }),
    timestamp: time,
    session_id: fc.oneof(fc.constant(''), token),
    progress: fc.double({ min: 0, max: 100, noNaN: true }),
    status_message: fc.string({ unit: 'binary' }),
    outputs,
    max_rss_mib: fc.nat(),
    cpu_seconds: fc.double({ min: 0, max: 1e9, noNaN: true }),
  },
  { requiredKeys: ['attempt_id', 'status', 'timestamp', 'session_id'] },
);

const leaseRequest: fc.Arbitrary<LeaseRequest> = fc.record(
  {
    v: version,
    worker_id: uuid.map(workerId),
    farm_id: uuid.map(farmId),
    incarnation: token,
    reports: fc.array(terminalReport, { maxLength: 3 }),
  },
  { requiredKeys: ['v', 'worker_id', 'farm_id', 'incarnation'] },
);

const status: fc.Arbitrary<StatusMessage> = attempt.chain((address) =>
  fc.record(
    {
      v: version,
      task_id: fc.constant(taskIdOf(address)),
      attempt_id: fc.constant(attemptIdOf(address)),
      worker_id: uuid.map(workerId),
      status: fc.constantFrom(
        'running' as const,
        'succeeded' as const,
        'failed' as const,
        'canceled' as const,
      ),
      exit_code: fc.integer({ min: -(2 ** 31), max: 2 ** 31 }),
      max_rss_mib: fc.nat(),
      cpu_seconds: fc.double({ min: 0, max: 1e9, noNaN: true }),
      message: fc.string(),
      failure_excerpt: fc.string({ unit: 'binary' }),
      timestamp: time,
      session_id: fc.oneof(fc.constant(''), token),
      progress: fc.double({ min: 0, max: 100, noNaN: true }),
      status_message: fc.string(),
      outputs,
    },
    { requiredKeys: ['v', 'task_id', 'attempt_id', 'worker_id', 'status', 'timestamp', 'session_id'] },
  ),
);

const log: fc.Arbitrary<LogMessage> = attempt.chain((address) =>
  fc.record({
    v: version,
    task_id: fc.constant(taskIdOf(address)),
    attempt_id: fc.constant(attemptIdOf(address)),
    seq_num: fc.integer({ min: 1 }),
    stream: fc.constantFrom('stdout' as const, 'stderr' as const),
    data: fc.string({ unit: 'grapheme', maxLength: 200, size: 'max' }),
    at: time,
  }),
);

const cancel: fc.Arbitrary<CancelMessage> = attempt.chain((address) =>
  fc.record({
    v: version,
    task_id: fc.constant(taskIdOf(address)),
    attempt_id: fc.constant(attemptIdOf(address)),
    reason: fc.string(),
  }),
);

const presenceReply: fc.Arbitrary<PresenceReply> = fc.oneof(
  fc.record({
    v: version,
    type: fc.constant('registered' as const),
    worker_id: uuid.map(workerId),
    farm_id: uuid.map(farmId),
    queue_ids: fc.array(uuid.map(queueId), { maxLength: 3 }),
    heartbeat_timeout_ms: fc.integer({ min: 1000, max: 60_000 }),
    service: uuid,
    closed: openAttempts,
  }),
  fc.record({ v: version, type: fc.constant('refused' as const), reason: fc.string() }),
  fc.record({ v: version, type: fc.constant('alive' as const), service: uuid, closed: openAttempts }),
  fc.record({ v: version, type: fc.constant('unknown' as const) }),
  fc.record({ v: version, type: fc.constant('departed' as const) }),
);

const value = fc.record({
  type: fc.constantFrom('INT' as const, 'FLOAT' as const, 'STRING' as const, 'PATH' as const),
  value: fc.string(),
});
const named = <T>(of: fc.Arbitrary<T>): fc.Arbitrary<Record<string, T>> =>
  fc.dictionary(fc.oneof(name, fc.constant('__proto__')), of, { maxKeys: 3, noNullPrototype: true });
const taskValue = fc.oneof(
  value,
  fc.record({ type: fc.constant('CHUNK[INT]' as const), value: fc.string() }),
);
const file = fc.record(
  {
    name,
    filename: name,
    runnable: fc.boolean(),
    data: fc.string(),
    endOfLine: fc.constantFrom('LF' as const, 'CRLF' as const),
  },
  { requiredKeys: ['name', 'runnable', 'data'] },
);
const actionFields = {
  command: fc.string(),
  args: fc.array(fc.string(), { maxLength: 3 }),
  timeoutSeconds: fc.integer({ min: 1, max: 1000 }),
  cancelation: fc.oneof(
    fc.record({ mode: fc.constant('TERMINATE' as const) }),
    fc.record(
      { mode: fc.constant('NOTIFY_THEN_TERMINATE' as const), notifyPeriodSeconds: fc.nat(600) },
      { requiredKeys: ['mode'] },
    ),
  ),
};
const action = fc.record(actionFields, { requiredKeys: ['command', 'args'] });
const formats = fc.record(
  { timeout: fc.string(), mode: fc.string(), notifyPeriod: fc.string() },
  { requiredKeys: [] },
);
const hook = fc.record({ ...actionFields, formats }, { requiredKeys: ['command', 'args'] });
const wrap = fc.record({ onEnvEnter: hook, onTaskRun: hook, onEnvExit: hook });
const lets = fc.array(fc.record({ name, expression: fc.string() }), { maxLength: 2 });
const script: fc.Arbitrary<ScriptPlan> = fc.record(
  { onRun: action, embeddedFiles: fc.array(file, { maxLength: 2 }), lets },
  { requiredKeys: ['onRun', 'embeddedFiles'] },
);
const environment: fc.Arbitrary<EnvironmentPlan> = fc.record(
  {
    name,
    variables: fc.dictionary(name, fc.string(), { maxKeys: 2, noNullPrototype: true }),
    onEnter: action,
    onExit: action,
    wrap,
    embeddedFiles: fc.array(file, { maxLength: 2 }),
    lets,
  },
  { requiredKeys: ['name', 'variables', 'embeddedFiles'] },
);
const delivery: fc.Arbitrary<PathDelivery> = fc.oneof(
  fc.constantFrom({ type: 'swap_in_place' }, { type: 'translation_file' }, { type: 'stage_locally' }),
  fc.record({
    type: fc.constant('command_flags' as const),
    args: fc.array(fc.string(), { maxLength: 2 }),
    position: fc.constantFrom('START' as const, 'END' as const),
  }),
  fc.record(
    {
      type: fc.constant('environment' as const),
      variable: name,
      entry: fc.string(),
      separator: fc.string(),
    },
    { requiredKeys: ['type', 'variable'] },
  ),
);
const jobValue = fc.record(
  {
    type: fc.constantFrom(...typeNames(true)),
    value: fc.string(),
    dataFlow: fc.constantFrom('IN' as const, 'OUT' as const, 'INOUT' as const),
    objectType: fc.constantFrom('FILE' as const, 'DIRECTORY' as const),
  },
  { requiredKeys: ['type', 'value'] },
);
const step = fc.record(
  {
    job_name: fc.string(),
    step_name: fc.string(),
    job_parameters: named(jobValue),
    job_environments: fc.array(environment, { maxLength: 2 }),
    step_environments: fc.array(environment, { maxLength: 2 }),
    script,
    lets: fc.array(fc.record({ name, type: fc.string(), value: fc.string() }), { maxLength: 2 }),
    compute_location: fc.string(),
    extensions: fc.array(name, { maxLength: 2 }),
    deliveries: fc.array(delivery, { maxLength: 3 }),
    isolation: fc.record({ user: name, group: name }, { requiredKeys: ['user'] }),
    ready_left: fc.nat(),
  },
  {
    requiredKeys: [
      'job_name',
      'step_name',
      'job_parameters',
      'job_environments',
      'step_environments',
      'script',
      'compute_location',
    ],
  },
);
const pathMap: fc.Arbitrary<PathMapMessage> = fc.record({
  compute_location: name,
  locations: fc.array(
    fc.record({
      root: fc.string(),
      sources: fc.array(
        fc.record({
          format: fc.constantFrom('POSIX' as const, 'WINDOWS' as const, 'URI' as const),
          path: fc.string(),
        }),
        { maxLength: 2 },
      ),
    }),
    { maxLength: 2 },
  ),
});

const gpus = fc.option(fc.uniqueArray(fc.nat(7), { maxLength: 3 }), { nil: null });

const leaseReply: fc.Arbitrary<LeaseReply> = fc.oneof(
  fc.record({ v: version, type: fc.constant('unknown' as const) }),
  fc
    .tuple(
      fc.array(fc.tuple(attempt, name, fc.nat(64), named(taskValue), step, gpus), { maxLength: 3 }),
      fc.option(pathMap, { nil: null }),
      fc.option(openAttempts, { nil: null }),
    )
    .map(([rows, map, confirmed]): LeaseReply => ({
      v: 1,
      type: 'leases',
      assignments: rows.map(([address, taskName, cores, values, , indices]) => ({
        task_id: taskIdOf(address),
        job_id: address.jobId,
        step_id: stepIdOf(address.jobId, address.stepOrder),
        attempt_id: attemptIdOf(address),
        name: taskName,
        cores,
        parameters: values,
        ...(indices !== null && { gpus: indices }),
      })),
      steps: Object.fromEntries(
        rows.map(([address, , , , plan]) => [stepIdOf(address.jobId, address.stepOrder), plan]),
      ),
      ...(map === null ? {} : { path_map: map }),
      ...(confirmed === null ? {} : { confirmed }),
    })),
);

export const messages = { presence, leaseRequest, status, log, cancel, presenceReply, leaseReply };
