import type { OverQuota, ResourceUsage } from '../../core/resource-usage.ts';
import { DiskWatch } from './disk-watch.ts';

interface SessionQuotaOptions {
  readonly directory: string;
  readonly quotaBytes: number;
  /** Ends the running action. */
  readonly end: () => void;
  /** The directory cannot be counted at the moment. */
  readonly failed: (reason: string) => void;
}

/** The disk quota of one session (docs/isolation.md#disk-quota): an excess ends the action that runs. */
export class SessionQuota {
  private readonly watch: DiskWatch;
  private isRunning = false;
  private over: OverQuota | null = null;

  constructor({ directory, quotaBytes, end, failed }: SessionQuotaOptions) {
    this.watch = new DiskWatch({
      directory,
      quotaBytes,
      failed,
      exceeded: (over) => {
        if (!this.isRunning) return;
        this.over ??= over;
        end();
      },
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
    return this.over === null ? usage : { ...usage, overQuota: this.over };
  }

  stop(): void {
    this.watch.stop();
  }
}
