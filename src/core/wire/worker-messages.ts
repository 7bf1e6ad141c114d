import { NOTE_LIMITS, type DiagnosticLevel } from '../diagnostics/record.ts';
import { EXPR_MEMORY_MAX } from '../../openjd/expr/expr-limits.ts';
import type {
  DeregisterMessage,
  DiagnosticMessage,
  HeartbeatMessage,
  LogMessage,
  PresenceMessage,
  RegisterMessage,
  ReportedStatus,
  StatusMessage,
  StopCause,
} from './bus-messages.ts';
import {
  checked,
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
      timestamp: readTimestamp,
      session_id: readSessionToken,
      progress: optional(readPercent),
      status_message: optional(text(LIMITS.message)),
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
