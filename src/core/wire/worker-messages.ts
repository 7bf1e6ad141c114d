import { NOTE_LIMITS, type DiagnosticLevel } from '../diagnostics/record.ts';
import { PREVIEW_LIMITS } from '../previews/preview-limits.ts';
import { OUTPUT_LIMITS, outputPathWrong } from '../records/task-output.ts';
import { EXPR_MEMORY_MAX } from '../../openjd/expr/expr-limits.ts';
import type {
  DeregisterMessage,
  DiagnosticMessage,
  HeartbeatMessage,
  LogMessage,
  PresenceMessage,
  PreviewMessage,
  RegisterMessage,
  ReportedStatus,
  StatusMessage,
  StopCause,
} from './bus-messages.ts';
import {
  checked,
  finite,
  messageParser,
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
} from './field-readers.ts';
import {
  attemptFault,
  readAttemptId,
  readFarmId,
  readInbox,
  readIncarnation,
  readTaskId,
  readTimestamp,
  readToken,
  readWorkerId,
} from './identifiers.ts';
import type { Parsed } from './json-text.ts';
import {
  readCpuSeconds,
  readExitCode,
  readOutputs,
  readPercent,
  readSessionToken,
  readUsedMemory,
} from './lease-request.ts';
import { WIRE_LIMITS as LIMITS } from './limits.ts';

/** Parsers of the messages that workers send (docs/contract/bus.md). Each takes the text of a message. None throws. */

const openAttempts = list(readAttemptId, LIMITS.openAttempts);
const name = line(LIMITS.name, 1);
const nameOrNone = line(LIMITS.name);

const register = record<RegisterMessage>({
  v: literal(1),
  type: literal('register'),
  worker_id: readWorkerId,
  incarnation: readIncarnation,
  name,
  hostname: name,
  farm: nameOrNone,
  queues: list(name, LIMITS.queues),
  cpu_count: integer(1, LIMITS.cpuCount),
  memory_mib: integer(0, LIMITS.memoryMib),
  amounts: optional(
    map(
      name,
      checked(finite, (value) => (value >= 0 && value <= LIMITS.amount ? null : 'must be an amount')),
      LIMITS.amounts,
    ),
  ),
  gpu_count: optional(integer(0, LIMITS.gpus)),
  gpu_memory_mib: optional(integer(0, LIMITS.memoryMib)),
  gpu_models: optional(list(nameOrNone, LIMITS.gpus)),
  scratch_mib: optional(integer(0, LIMITS.memoryMib)),
  os: nameOrNone,
  os_version: optional(nameOrNone),
  isolation: optional(list(name, LIMITS.isolationParts)),
  arch: nameOrNone,
  software_version: nameOrNone,
  compute_location: nameOrNone,
  tags: map(name, line(LIMITS.tagValue), LIMITS.tags),
  expr_memory_limit: optional(integer(1, EXPR_MEMORY_MAX)),
  extensions: optional(list(name, LIMITS.extensions)),
  open_attempts: openAttempts,
  stopped: optional(oneOf<StopCause>({ 'no-contact': true, interrupted: true })),
  reply_to: readInbox,
});

const heartbeat = record<HeartbeatMessage>({
  v: literal(1),
  type: literal('heartbeat'),
  worker_id: readWorkerId,
  farm_id: readFarmId,
  incarnation: readToken,
  open_attempts: openAttempts,
  draining: optional(flag),
  reclaim_after_ms: optional(integer(1, LIMITS.reclaimAfterMs)),
  service: optional(nameOrNone),
  bus: optional(nameOrNone),
  mark: optional(integer(0, Number.MAX_SAFE_INTEGER)),
  reply_to: readInbox,
});

const deregister = record<DeregisterMessage>({
  v: literal(1),
  type: literal('deregister'),
  worker_id: readWorkerId,
  farm_id: readFarmId,
  incarnation: readToken,
  reply_to: readInbox,
});

/** `worker.register`, `worker.heartbeat` and `worker.deregister`. */
export const parsePresence: (text: string) => Parsed<PresenceMessage> = messageParser(
  variant<PresenceMessage>('type', { register, heartbeat, deregister }),
  { length: LIMITS.presenceText, nesting: LIMITS.nesting },
);

/** `task.status.<job id>` */
export const parseStatus: (text: string) => Parsed<StatusMessage> = messageParser(
  checked(
    record<StatusMessage>({
      v: literal(1),
      task_id: readTaskId,
      attempt_id: readAttemptId,
      worker_id: readWorkerId,
      status: oneOf<ReportedStatus>({ running: true, succeeded: true, failed: true, canceled: true }),
      exit_code: optional(readExitCode),
      max_rss_mib: optional(readUsedMemory),
      cpu_seconds: optional(readCpuSeconds),
      message: optional(text(LIMITS.message)),
      failure_excerpt: optional(text(LIMITS.failureExcerpt)),
      timestamp: readTimestamp,
      session_id: readSessionToken,
      progress: optional(readPercent),
      status_message: optional(text(LIMITS.message)),
      outputs: optional(readOutputs),
    }),
    attemptFault,
  ),
  { length: LIMITS.statusText, nesting: LIMITS.nesting },
);

/** `task.logs.<task id>` */
export const parseLog: (text: string) => Parsed<LogMessage> = messageParser(
  checked(
    record<LogMessage>({
      v: literal(1),
      task_id: readTaskId,
      attempt_id: readAttemptId,
      seq_num: integer(1, Number.MAX_SAFE_INTEGER),
      stream: oneOf<LogMessage['stream']>({ stdout: true, stderr: true }),
      data: text(LIMITS.logData),
      at: readTimestamp,
    }),
    attemptFault,
  ),
  { length: LIMITS.logText, nesting: LIMITS.nesting },
);

const BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;
const isBase64 = (data: string): string | null => (BASE64.test(data) ? null : 'must be base64');

/** `task.logs.preview-<task id>` */
export const parsePreview: (text: string) => Parsed<PreviewMessage> = messageParser(
  checked(
    record<PreviewMessage>({
      v: literal(1),
      task_id: readTaskId,
      attempt_id: readAttemptId,
      number: integer(0, PREVIEW_LIMITS.perAttempt - 1),
      path: checked(text(OUTPUT_LIMITS.path), outputPathWrong),
      parameter: optional(line(PREVIEW_LIMITS.parameter, 1)),
      data: optional(checked(text(4 * Math.ceil(PREVIEW_LIMITS.bytes / 3), 4), isBase64)),
      missing: optional(line(PREVIEW_LIMITS.reason, 1)),
    }),
    (message) =>
      attemptFault(message) ??
      ((message.data === undefined) === (message.missing === undefined)
        ? 'must have either data or missing'
        : null),
  ),
  { length: LIMITS.previewText, nesting: LIMITS.nesting },
);

/** `worker.diag.<worker id>` */
export const parseDiagnostic: (text: string) => Parsed<DiagnosticMessage> = messageParser(
  record<DiagnosticMessage>({
    v: literal(1),
    worker_id: readWorkerId,
    at: readTimestamp,
    level: oneOf<DiagnosticLevel>({ DEBUG: true, INFO: true, WARN: true, ERROR: true }),
    msg: text(NOTE_LIMITS.message),
    attrs: map(line(NOTE_LIMITS.attributeName, 1), text(NOTE_LIMITS.attributeValue), NOTE_LIMITS.attributes),
  }),
  { length: LIMITS.diagnosticText, nesting: LIMITS.nesting },
);
