import type { AttemptId } from '../../../src/core/ids.ts';
import type { StatusMessage, TerminalReport, TerminalStatus } from '../../../src/core/wire/bus-messages.ts';
import { WIRE_LIMITS } from '../../../src/core/wire/limits.ts';
import { AGENT_LIMITS } from '../agent-limits.ts';
import type { AgentContext } from '../agent-system.ts';
import type { OutboxMessage } from './messages.ts';
import { confirm, publishReport } from './publish-report.ts';
import type { OutboxState } from './state.ts';

type OutboxContext = AgentContext<'outbox'>;
type Message<Type extends OutboxMessage['type']> = Extract<OutboxMessage, { type: Type }>;

/** Characters of a report without its texts: ids, field names, a time. */
const FRAME_CHARACTERS = 1024;
/** Maximum number of characters of one escaped character in JSON. */
const ESCAPED_CHARACTERS = 6;

/**
 * Queues a terminal report that is on disk for the next lease request, which follows soon because the attempt has freed
 * cores. The poller reports when none follows; the timer covers the case that it does not.
 */
export function queueForPiggyback(state: OutboxState, report: StatusMessage, context: OutboxContext): void {
  const { attempt_id: attemptId } = report;
  state.reports.set(attemptId, { report, tries: 0, isPublished: false });
  if (!state.canPiggyback) {
    publishReport(state, attemptId, context);
    return;
  }
  state.waiting.add(attemptId);
  context.after(attemptId, AGENT_LIMITS.piggybackWaitMs, { type: 'report.due', attemptId });
}

/** Enables or disables piggybacking. */
export function onPiggybackEnabled(
  state: OutboxState,
  { isEnabled }: Message<'piggyback.enabled'>,
  context: OutboxContext,
): void {
  state.canPiggyback = isEnabled;
  if (!isEnabled) onPiggybackUnavailable(state, undefined, context);
}

/** Publishes the waiting reports to the status stream. */
export function onPiggybackUnavailable(state: OutboxState, _message: unknown, context: OutboxContext): void {
  for (const attemptId of [...state.waiting]) publishReport(state, attemptId, context);
}

/** Sends a lease request with as many waiting reports as fit. */
export function onLeaseRequestSending(
  state: OutboxState,
  { requestId, queue, request, timeoutMs }: Message<'lease-request.sending'>,
  context: OutboxContext,
): void {
  const reports = takeWaiting(state, requestId, context);
  context.effect({
    kind: 'request-lease',
    requestId,
    queue,
    request: reports.length === 0 ? request : { ...request, reports },
    timeoutMs,
  });
}

/** Handles the end of a lease request. Publishes its unconfirmed reports to the status stream. */
export function onLeaseRequestEnded(
  state: OutboxState,
  { requestId, confirmed }: Message<'lease-request.ended'>,
  context: OutboxContext,
): void {
  confirm(state, confirmed, context);
  for (const attemptId of state.piggybacked.get(requestId) ?? []) publishReport(state, attemptId, context);
  state.piggybacked.delete(requestId);
}

function takeWaiting(
  state: OutboxState,
  requestId: string,
  context: OutboxContext,
): readonly TerminalReport[] {
  const reports: TerminalReport[] = [];
  const sent = new Set<AttemptId>();
  let characters = 0;
  for (const attemptId of state.waiting) {
    const report = state.reports.get(attemptId)?.report;
    const terminal = report === undefined ? null : terminalReport(report);
    if (terminal === null) continue;
    characters += charactersOf(terminal);
    if (characters > AGENT_LIMITS.piggybackCharacters || reports.length >= WIRE_LIMITS.reportsPerRequest)
      break;
    reports.push(terminal);
    sent.add(attemptId);
  }
  if (sent.size === 0) return reports;
  for (const attemptId of sent) {
    state.waiting.delete(attemptId);
    context.after(attemptId, AGENT_LIMITS.piggybackConfirmMs, { type: 'report.due', attemptId });
  }
  state.piggybacked.set(requestId, sent);
  return reports;
}

/** Returns an upper bound of the report's length as JSON. */
const charactersOf = ({
  message = '',
  status_message: statusMessage = '',
  failure_excerpt: excerpt = '',
  log_matches: matches = [],
  outputs = [],
}: TerminalReport): number => {
  const texts = [message, statusMessage, excerpt, outputs.join(' '), matches.join(' ')];
  return FRAME_CHARACTERS + ESCAPED_CHARACTERS * texts.join('').length;
};

function terminalReport(report: StatusMessage): TerminalReport | null {
  const { v: _v, task_id: _task, worker_id: _worker, status, ...rest } = report;
  return isTerminal(status) ? { ...rest, status } : null;
}

const isTerminal = (status: StatusMessage['status']): status is TerminalStatus => status !== 'running';
