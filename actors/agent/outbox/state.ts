import type { AttemptId } from '../../../src/core/ids.ts';
import type { JournalReader } from '../../../src/core/ports/agent-journal.ts';
import type { StatusMessage } from '../../../src/core/wire/bus-messages.ts';

interface OutgoingReport {
  readonly report: StatusMessage;
  /** How often the bus has refused it. */
  tries: number;
}

export interface OutboxState {
  /** The report of each attempt that has one: a terminal report takes the place of the running one. */
  readonly reports: Map<AttemptId, OutgoingReport>;
  /** Attempts whose progress was told a moment ago, with what they have said since; null for nothing. */
  readonly progress: Map<AttemptId, StatusMessage | null>;
}

export function loadOutbox(reader: JournalReader): OutboxState {
  const reports = reader.reports.map((report) => [report.attempt_id, { report, tries: 0 }] as const);
  return { reports: new Map(reports), progress: new Map() };
}
