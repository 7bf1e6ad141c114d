import type { LeaseRequest, TerminalReport, TerminalStatus } from './bus-messages.ts';
import {
  checked,
  messageParser,
  finite,
  integer,
  line,
  list,
  literal,
  oneOf,
  optional,
  record,
  text,
} from './field-readers.ts';
import { readAttemptId, readFarmId, readTimestamp, readToken, readWorkerId } from './identifiers.ts';
import { parseJsonText, type Parsed } from './json-text.ts';
import { OUTPUT_LIMITS, outputPathWrong } from '../records/task-output.ts';
import { WIRE_LIMITS as LIMITS } from './limits.ts';

/**
 * Parser of lease requests (docs/contract/bus.md). There may be ten thousand per second, nearly all of the same form.
 * Special code reads that form. Every other request is left to the readers, which return the errors.
 */

const INT32_MIN = -(2 ** 31);
/** Windows reports exit codes as unsigned 32-bit numbers. */
const UINT32_MAX = 2 ** 32 - 1;

export const readExitCode = integer(INT32_MIN, UINT32_MAX);
export const readPercent = checked(finite, (value) =>
  value >= 0 && value <= 100 ? null : 'must be from 0 to 100',
);
export const readUsedMemory = integer(0, LIMITS.memoryMib);
export const readCpuSeconds = checked(finite, (value) =>
  value >= 0 && value <= LIMITS.cpuSeconds ? null : `must be from 0 to ${LIMITS.cpuSeconds}`,
);
const readStatus = oneOf<TerminalStatus>({ succeeded: true, failed: true, canceled: true });
export const readOutputs = list(checked(text(OUTPUT_LIMITS.path), outputPathWrong), OUTPUT_LIMITS.paths);
export const readLogMatches = list(text(LIMITS.logPattern), LIMITS.logMatches);
export const readSessionToken = line(LIMITS.token);

const terminalReport = record<TerminalReport>({
  attempt_id: readAttemptId,
  status: readStatus,
  exit_code: optional(readExitCode),
  message: optional(text(LIMITS.message)),
  failure_excerpt: optional(text(LIMITS.failureExcerpt)),
  log_matches: optional(readLogMatches),
  timestamp: readTimestamp,
  session_id: readSessionToken,
  progress: optional(readPercent),
  status_message: optional(text(LIMITS.message)),
  outputs: optional(readOutputs),
  max_rss_mib: optional(readUsedMemory),
  cpu_seconds: optional(readCpuSeconds),
});

const limits = { length: LIMITS.leaseRequestText, nesting: LIMITS.nesting };

/** `work.lease.<queue id>` and `work.lease._any`, parsed only by the readers. */
export const parseAnyLeaseRequest: (text: string) => Parsed<LeaseRequest> = messageParser(
  record<LeaseRequest>({
    v: literal(1),
    worker_id: readWorkerId,
    farm_id: readFarmId,
    incarnation: readToken,
    reports: optional(list(terminalReport, LIMITS.reportsPerRequest)),
  }),
  limits,
);

/** `work.lease.<queue id>` and `work.lease._any`. */
export function parseLeaseRequest(message: string): Parsed<LeaseRequest> {
  const parsed = parseJsonText(message, limits);
  if (!parsed.ok) return parsed;
  const request = usualRequest(parsed.value);
  return request === null ? parseAnyLeaseRequest(message) : { ok: true, value: request };
}

type Fields = Readonly<Record<string, unknown>>;

/** Values from JSON have only their own fields: no field that is read here has the name of one of their prototype. */
const isObject = (value: unknown): value is Fields => typeof value === 'object' && value !== null;

/** Returns null for requests that the readers must check. */
function usualRequest(value: unknown): LeaseRequest | null {
  if (!isObject(value) || value['v'] !== 1) return null;
  const worker_id = readWorkerId(value['worker_id']);
  const farm_id = readFarmId(value['farm_id']);
  const incarnation = readToken(value['incarnation']);
  if (typeof worker_id !== 'string' || typeof farm_id !== 'string' || typeof incarnation !== 'string') {
    return null;
  }
  const said = value['reports'];
  if (said === undefined) return { v: 1, worker_id, farm_id, incarnation };
  if (!Array.isArray(said) || said.length > LIMITS.reportsPerRequest) return null;
  const reports: TerminalReport[] = [];
  for (const each of said) {
    const report = usualReport(each);
    if (report === null) return null;
    reports.push(report);
  }
  return { v: 1, worker_id, farm_id, incarnation, reports };
}

/** A report with an exit code and without texts. */
function usualReport(value: unknown): TerminalReport | null {
  if (!isObject(value)) return null;
  if (value['message'] !== undefined || value['progress'] !== undefined) return null;
  if (value['status_message'] !== undefined || value['failure_excerpt'] !== undefined) return null;
  if (value['outputs'] !== undefined || value['log_matches'] !== undefined) return null;
  const attempt_id = readAttemptId(value['attempt_id']);
  const status = readStatus(value['status']);
  const exit_code = readExitCode(value['exit_code']);
  const timestamp = readTimestamp(value['timestamp']);
  const session_id = readSessionToken(value['session_id']);
  if (typeof attempt_id !== 'string' || typeof status !== 'string' || typeof exit_code !== 'number')
    return null;
  if (typeof timestamp !== 'string' || typeof session_id !== 'string') return null;
  const report = { attempt_id, status, exit_code, timestamp, session_id };
  if (value['max_rss_mib'] === undefined && value['cpu_seconds'] === undefined) return report;
  const max_rss_mib = readUsedMemory(value['max_rss_mib']);
  const cpu_seconds = readCpuSeconds(value['cpu_seconds']);
  if (typeof max_rss_mib !== 'number' || typeof cpu_seconds !== 'number') return null;
  return { ...report, max_rss_mib, cpu_seconds };
}
