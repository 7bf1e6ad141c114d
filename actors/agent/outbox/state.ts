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
}

export function loadOutbox(reader: JournalReader): OutboxState {
  return { reports: new Map(reader.reports.map((report) => [report.attempt_id, { report, tries: 0 }])) };
}
