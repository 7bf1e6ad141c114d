/**
 * State of the outbox. A terminal report waits for a lease request (`waiting`), is in an open one (`piggybacked`), or
 * was published to the status stream (`isPublished`). It leaves `reports` when the service confirms it or the attempt
 * is discarded. A running report leaves once it is stored.
 *
 * Invariants: at most one report per attempt; a terminal report is on disk while it is in `reports`; an attempt is in
 * `waiting` or in one set of `piggybacked`, not in both.
 */

import type { AttemptId } from '../../../src/core/ids.ts';
import type { JournalReader } from '../../../src/core/ports/agent-journal.ts';
import type { StatusMessage } from '../../../src/core/wire/bus-messages.ts';

interface OutgoingReport {
  readonly report: StatusMessage;
  /** Number of failed publishes in a row. */
  tries: number;
  /** Whether it was published to the status stream. */
  isPublished: boolean;
}

export interface OutboxState {
  /** Whether lease requests may be sent. */
  canPiggyback: boolean;
  /** Attempts whose terminal report waits for the next lease request, in the order of their ends. */
  readonly waiting: Set<AttemptId>;
  /** By open lease request: attempts whose terminal report it contains, unless it was published since. */
  readonly piggybacked: Map<string, Set<AttemptId>>;
  /**
   * The current report of each attempt. A terminal report replaces the running one, even if that was not published yet.
   */
  readonly reports: Map<AttemptId, OutgoingReport>;
  /** Attempts whose progress was published recently, with newer progress that waits; null for none. */
  readonly progress: Map<AttemptId, StatusMessage | null>;
}

export function loadOutbox(reader: JournalReader): OutboxState {
  const reports = reader.reports.map(
    (report) => [report.attempt_id, { report, tries: 0, isPublished: false }] as const,
  );
  return {
    canPiggyback: false,
    waiting: new Set(),
    piggybacked: new Map(),
    reports: new Map(reports),
    progress: new Map(),
  };
}
