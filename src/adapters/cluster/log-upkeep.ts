import { RECORD_FORMAT } from '../../core/cluster/record-formats.ts';
import { TRIM_LIMITS, TrimRule, type TrimLimits } from '../../core/cluster/trim-rule.ts';
import { integer, messageParser, record, text } from '../../core/wire/field-readers.ts';
import { WIRE_LIMITS } from '../../core/wire/limits.ts';
import { readText } from '../nats/message-text.ts';
import { clusterNames } from '../nats/log/cluster-names.ts';
import { nodeOfServer } from '../nats/cluster-servers.ts';
import type { LogStream } from '../nats/log/log-stream.ts';
import type { LogInfo } from '../nats/log/stream-config.ts';
import { steadyMs } from './standing.ts';

const VERSION = 1;
const INTERVAL_MS = 10_000;
const MOVE_MS = 60_000;

export interface UpkeepLimits {
  readonly intervalMs: number;
  readonly trim: TrimLimits;
  /** Minimum time between two requests to move the leader of the stream. */
  readonly moveMs: number;
}

export const UPKEEP_LIMITS: UpkeepLimits = { intervalMs: INTERVAL_MS, trim: TRIM_LIMITS, moveMs: MOVE_MS };

export interface UpkeepParts {
  readonly stream: LogStream;
  readonly cluster: string;
  readonly node: string;
  /** Nodes whose reports are awaited before the log is trimmed. */
  readonly members: readonly string[];
  readonly limits: UpkeepLimits;
  /** Called before each report. Returns the last position that the store of this node has flushed. */
  readonly flushed: () => number;
  readonly isOwner: () => boolean;
}

/**
 * Reports how far the store of this node is. If this node owns the log, trims it, and moves the leader of its stream to the
 * nats-server of another machine: the loss of a machine with both costs an election and then a takeover. Runs until `close`.
 */
export class LogUpkeep {
  readonly #parts: UpkeepParts;
  readonly #timer: NodeJS.Timeout;
  /** Null while another node owns the log. */
  #rule: TrimRule | null = null;
  #isBusy = false;
  #movedMs = -Infinity;

  constructor(parts: UpkeepParts) {
    this.#parts = parts;
    parts.stream.messages.listen(clusterNames(parts.cluster).flushed, (data) => this.#heard(data));
    this.#timer = setInterval(() => this.#work(), parts.limits.intervalMs);
    this.#timer.unref();
  }

  close(): void {
    clearInterval(this.#timer);
  }

  #work(): void {
    const { stream, cluster, node, members, limits, flushed, isOwner } = this.#parts;
    const report = { v: VERSION, node, position: flushed(), format: RECORD_FORMAT };
    stream.messages.tell(clusterNames(cluster).flushed, JSON.stringify(report));
    if (!isOwner()) {
      this.#rule = null;
      return;
    }
    this.#rule ??= new TrimRule(members, steadyMs(), limits.trim);
    this.#rule.reported(node, report.position, steadyMs());
    if (!this.#isBusy) void this.#care(this.#rule);
  }

  async #care(rule: TrimRule): Promise<void> {
    const { stream, isOwner } = this.#parts;
    this.#isBusy = true;
    const look = await stream.lookUp();
    if (look.type === 'found') {
      const keepFrom = rule.firstToKeep(look.info, steadyMs());
      if (keepFrom !== null && isOwner()) await stream.trim(keepFrom);
      if (isOwner()) await this.#moveLeader(look.info);
    }
    this.#isBusy = false;
  }

  async #moveLeader({ leader, copies }: LogInfo): Promise<void> {
    const { stream, node, limits } = this.#parts;
    const target = copies.find(({ name, isCurrent }) => isCurrent && nodeOfServer(name) !== node);
    const isOwn = leader !== null && nodeOfServer(leader) === node;
    if (!isOwn || target === undefined || steadyMs() - this.#movedMs < limits.moveMs) return;
    this.#movedMs = steadyMs();
    await stream.moveLeader(target.name);
  }

  #heard(data: Uint8Array): void {
    const report = readText(data, parseReport);
    if (report.ok) this.#rule?.reported(report.value.node, report.value.position, steadyMs());
  }
}

const parseReport = messageParser(
  record<{ readonly node: string; readonly position: number }>({
    node: text(WIRE_LIMITS.name),
    position: integer(Number.MIN_SAFE_INTEGER, Number.MAX_SAFE_INTEGER),
  }),
  { length: WIRE_LIMITS.statusText, nesting: 2 },
);
