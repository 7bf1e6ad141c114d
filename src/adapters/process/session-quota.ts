import type { OverQuota, ResourceUsage } from '../../core/resource-usage.ts';
import type { DiskCount, RunningCount } from './disk-count.ts';
import { DiskWatch } from './disk-watch.ts';

const MIB = 1024 * 1024;

interface SessionQuotaOptions {
  readonly directory: string;
  readonly quotaBytes: number;
  /** Ends the running action. */
  readonly end: () => void;
  /** The counting program has failed, for `reason`: there is no quota until it succeeds. */
  readonly failed: (reason: string) => void;
  /** Replaces the counting program. */
  readonly count?: (directory: string, timeoutMs: number) => RunningCount;
}

/**
 * The disk quota of one session (docs/isolation.md#disk-quota): an excess ends the action that runs.
 *
 * - States: within the quota; settling, from the end of an action that was ended for an excess until the next count;
 *   settled, with the excess that this count found.
 * - Invariant: an excess ends one action. A settled excess ends no other action, unless it grows.
 * - Exits: `stop`.
 */
export class SessionQuota {
  private readonly options: SessionQuotaOptions;
  private readonly watch: DiskWatch;
  private isRunning = false;
  private over: OverQuota | null = null;
  private isSettling = false;
  private settledBytes = 0;

  constructor(options: SessionQuotaOptions) {
    this.options = options;
    const { directory, quotaBytes, count } = options;
    this.watch = new DiskWatch({
      directory,
      quotaBytes,
      counted: (result) => {
        this.counted(result);
      },
      ...(count === undefined ? {} : { count }),
    });
  }

  /** Starts an action. */
  begin(): void {
    this.isRunning = true;
    this.over = null;
    this.watch.start();
  }

  /** Ends an action. Returns what it has used, with the excess if it was ended for one. */
  end(usage: ResourceUsage | undefined): ResourceUsage | undefined {
    this.isRunning = false;
    if (this.over === null) return usage;
    this.isSettling = true;
    this.watch.countAgain();
    return { ...usage, overQuota: this.over };
  }

  stop(): void {
    this.watch.stop();
  }

  private counted(result: DiskCount): void {
    if (result.kind === 'failed') {
      this.options.failed(result.reason);
      return;
    }
    const bytes = result.kind === 'counted' ? result.bytes : null;
    if (this.isSettling) this.settledBytes = bytes ?? 0;
    else if (bytes !== null) this.settledBytes = Math.min(this.settledBytes, bytes);
    const { quotaBytes, end } = this.options;
    const isOver = bytes === null || bytes > Math.max(quotaBytes, this.settledBytes);
    if (isOver && !this.isSettling && this.isRunning) {
      this.over ??= {
        quotaMib: quotaBytes / MIB,
        usedMib: bytes === null ? null : Math.ceil(bytes / MIB),
        reason: result.kind === 'uncountable' ? result.reason : '',
      };
      end();
    }
    this.isSettling = false;
  }
}
