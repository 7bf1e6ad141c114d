import type { AttemptId } from '../../../src/core/ids.ts';
import type { JournalReader } from '../../../src/core/ports/agent-journal.ts';
import type { StatusMessage } from '../../../src/core/wire/bus-messages.ts';

interface OutgoingReport {
  readonly report: StatusMessage;
  /** How often the bus has refused it. */
  tries: number;
  /** Whether it went by the stream of statuses. */
  isSaid: boolean;
}

export interface OutboxState {
  /** Whether lease requests may leave. */
  areRidesAllowed: boolean;
  /** Attempts whose end waits for the next lease request, in the order of their ends. */
  readonly waiting: Set<AttemptId>;
  /** Attempts whose ends left with a lease request that is not over, and went no other way since, by the request. */
  readonly rides: Map<string, Set<AttemptId>>;
  /**
   * The report of each attempt that has one: a terminal report takes the place of the running one, which may not have been said by then.
   */
  readonly reports: Map<AttemptId, OutgoingReport>;
  /** Attempts whose progress was told a moment ago, with what they have said since; null for nothing. */
  readonly progress: Map<AttemptId, StatusMessage | null>;
}

export function loadOutbox(reader: JournalReader): OutboxState {
  const reports = reader.reports.map(
    (report) => [report.attempt_id, { report, tries: 0, isSaid: false }] as const,
  );
  return {
    areRidesAllowed: false,
    waiting: new Set(),
    rides: new Map(),
    reports: new Map(reports),
    progress: new Map(),
  };
}
