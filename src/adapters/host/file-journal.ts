import { open, type FileHandle } from 'node:fs/promises';
import { statSync } from 'node:fs';
import { join } from 'node:path';
import { workerId, type AttemptId, type WorkerId } from '../../core/ids.ts';
import type { JournalChange, JournalReader } from '../../core/ports/agent-journal.ts';
import { UnconfirmedReports } from '../../core/records/unconfirmed-reports.ts';
import type { StatusMessage } from '../../core/wire/bus-messages.ts';
import { createDiskReserve, type DiskReserve } from '../system/disk-reserve.ts';
import { replaceFile } from '../system/durable-file.ts';
import { readTextIfPresent } from '../system/read-if-present.ts';

/** Number of lines after which the journal is rewritten with the current entries. */
const COMPACT_AFTER_LINES = 10_000;

/** Disk space reserved for later lines: tasks may fill the disk, and their ends must still be written. */
const RESERVE_BYTES = 1024 * 1024;

/** The journal cannot be read; the message names the file and the error. */
class JournalError extends Error {
  override readonly name = 'JournalError';
}

interface Append {
  readonly changes: readonly JournalChange[];
  readonly onDurable: () => void;
}

/** A line of the journal. */
type JournalLine =
  | { readonly op: 'report-kept'; readonly report: StatusMessage }
  | { readonly op: 'report-confirmed'; readonly attempt_id: AttemptId };

/**
 * The worker's journal: lines of JSON, appended before `onDurable`, and also flushed for a report. A last line that a
 * crash has torn is dropped at the next start. The worker's id is in a separate file, `identity.json`.
 */
export class FileJournal implements JournalReader {
  private readonly journalPath: string;
  private readonly identityPath: string;
  private readonly onFailure: (error: unknown) => void;
  private readonly held: UnconfirmedReports;
  private handle: FileHandle;
  private lines: number;
  /** Number of lines above which the journal is rewritten. */
  private compactAt = 0;
  private reserve: DiskReserve;
  private bytes = 0;
  private waiting: Append[] = [];
  private writing: Promise<void> | null = null;

  private constructor(directory: string, opened: OpenedJournal, onFailure: (error: unknown) => void) {
    this.journalPath = journalPathIn(directory);
    this.identityPath = identityPathIn(directory);
    this.onFailure = onFailure;
    this.held = new UnconfirmedReports(opened.identity, opened.kept);
    this.handle = opened.handle;
    this.lines = opened.kept.size;
    this.reserve = this.reserveAnew();
  }

  /**
   * Reads the journal of a worker's directory, and rewrites it with the current entries. `newId` is the id of a new
   * worker. `onFailure`: the disk refused a write; nothing may be sent afterwards.
   */
  static async open(
    directory: string,
    newId: () => string,
    onFailure: (error: unknown) => void,
  ): Promise<FileJournal> {
    const identity = await openIdentity(identityPathIn(directory), newId);
    const path = journalPathIn(directory);
    const kept = await readJournal(path);
    await replaceFile(path, snapshot([...kept.values()]));
    return new FileJournal(directory, { identity, kept, handle: await open(path, 'a') }, onFailure);
  }

  get workerId(): WorkerId {
    return this.held.workerId;
  }

  get reports(): readonly StatusMessage[] {
    return this.held.reports;
  }

  /** Writes the changes. Calls back once they are on disk, in the order of the calls. */
  append(changes: readonly JournalChange[], onDurable: () => void): void {
    this.waiting.push({ changes, onDurable });
    this.writing ??= this.writeAll();
  }

  /** Resolves when everything is on disk and the file is closed. */
  async close(): Promise<void> {
    await this.writing;
    await this.handle.close();
  }

  private async writeAll(): Promise<void> {
    try {
      while (this.waiting.length > 0) {
        const batch = this.waiting;
        this.waiting = [];
        await this.write(batch.flatMap(({ changes }) => changes));
        for (const { onDurable } of batch) onDurable();
      }
      this.writing = null;
    } catch (error) {
      this.onFailure(error);
    }
  }

  private async write(changes: readonly JournalChange[]): Promise<void> {
    const lines: string[] = [];
    let identity: WorkerId | null = null;
    let isToLast = false;
    for (const change of changes) {
      if (change.op === 'report-kept') isToLast = true;
      if (change.op === 'worker-identified') identity = change.workerId;
      else lines.push(lineOf(change));
    }
    if (lines.length > 0) {
      const text = lines.join('');
      this.holdRoom(Buffer.byteLength(text));
      await this.handle.appendFile(text);
      // A confirmation that is lost in a crash is repeated: the report is sent again.
      if (isToLast) await this.handle.datasync();
      this.lines += lines.length;
    }
    if (identity !== null) await writeIdentity(this.identityPath, identity);
    this.held.apply(changes);
    if (this.lines > this.compactAt) await this.compact();
  }

  /** If no space can be reserved, the write itself shows whether there is any. */
  private holdRoom(bytes: number): void {
    this.reserve.hold(this.bytes, bytes);
    this.bytes += bytes;
  }

  /** Reserves space for the current file immediately: a task may fill the disk at once. */
  private reserveAnew(): DiskReserve {
    this.compactAt = COMPACT_AFTER_LINES + 2 * this.held.size;
    this.bytes = statSync(this.journalPath).size;
    const reserve = createDiskReserve({
      file: this.journalPath,
      reserveBytes: RESERVE_BYTES,
      onUnavailable: () => undefined,
    });
    reserve.hold(this.bytes, 0);
    return reserve;
  }

  private async compact(): Promise<void> {
    try {
      await replaceFile(this.journalPath, snapshot(this.held.reports));
    } catch (error) {
      if (!isDiskFull(error)) throw error;
      // The existing journal remains valid; it grows for a while.
      this.compactAt = this.lines + COMPACT_AFTER_LINES;
      return;
    }
    await this.handle.close();
    this.handle = await open(this.journalPath, 'a');
    this.lines = this.held.size;
    this.reserve = this.reserveAnew();
  }
}

interface OpenedJournal {
  readonly identity: WorkerId;
  readonly kept: Map<AttemptId, StatusMessage>;
  readonly handle: FileHandle;
}

const journalPathIn = (directory: string): string => join(directory, 'journal.jsonl');
const identityPathIn = (directory: string): string => join(directory, 'identity.json');

function lineOf(change: Exclude<JournalChange, { op: 'worker-identified' }>): string {
  const line: JournalLine =
    change.op === 'report-kept' ? change : { op: 'report-confirmed', attempt_id: change.attemptId };
  return `${JSON.stringify(line)}\n`;
}

const snapshot = (reports: readonly StatusMessage[]): string =>
  reports.map((report) => lineOf({ op: 'report-kept', report })).join('');

const isDiskFull = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && (error.code === 'ENOSPC' || error.code === 'EDQUOT');

async function readJournal(path: string): Promise<Map<AttemptId, StatusMessage>> {
  const kept = new Map<AttemptId, StatusMessage>();
  // Text after the last line feed is a torn line: no message was sent because of it.
  const lines = ((await readTextIfPresent(path)) ?? '').split('\n').slice(0, -1);
  for (const [index, text] of lines.entries()) {
    const line = parseLine(text);
    if (line === null)
      throw new JournalError(`${path}: line ${index + 1} is broken; move the file away to start`);
    if (line.op === 'report-kept') kept.set(line.report.attempt_id, line.report);
    else kept.delete(line.attempt_id);
  }
  return kept;
}

function parseLine(text: string): JournalLine | null {
  const line = parseJson(text);
  if (typeof line !== 'object' || line === null || !('op' in line)) return null;
  if (line.op === 'report-confirmed' && 'attempt_id' in line && typeof line.attempt_id === 'string') {
    return { op: 'report-confirmed', attempt_id: line.attempt_id as AttemptId };
  }
  if (line.op === 'report-kept' && 'report' in line && isReport(line.report)) {
    return { op: 'report-kept', report: line.report };
  }
  return null;
}

const REPORT_TEXTS = ['task_id', 'attempt_id', 'worker_id', 'status', 'timestamp', 'session_id'] as const;

function isReport(value: unknown): value is StatusMessage {
  if (typeof value !== 'object' || value === null) return false;
  const fields = new Map<string, unknown>(Object.entries(value));
  return fields.get('v') === 1 && REPORT_TEXTS.every((name) => typeof fields.get(name) === 'string');
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

async function openIdentity(path: string, newId: () => string): Promise<WorkerId> {
  const text = await readTextIfPresent(path);
  if (text === null) {
    const fresh = workerId(newId());
    await writeIdentity(path, fresh);
    return fresh;
  }
  const identity = parseJson(text);
  if (typeof identity === 'object' && identity !== null && 'worker_id' in identity) {
    if (typeof identity.worker_id === 'string' && identity.worker_id !== '')
      return workerId(identity.worker_id);
  }
  throw new JournalError(`${path} is broken; remove it to start as a new worker`);
}

const writeIdentity = (path: string, id: WorkerId): Promise<void> =>
  replaceFile(path, `${JSON.stringify({ worker_id: id })}\n`);
