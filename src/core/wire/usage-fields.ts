import type { ResourceUsage } from '../resource-usage.ts';

/** Resources that an attempt has used, as in reports (docs/worker-protocol.md). Absent: unknown. */
export interface UsageFields {
  /** Highest memory of its control group, in MiB. */
  readonly max_rss_mib?: number;
  readonly cpu_seconds?: number;
}

/** The part that the attempt record keeps. */
export type AttemptUsage = Omit<ResourceUsage, 'outOfMemory' | 'overQuota'>;

const SECOND_MS = 1000;

/** Returns the fields of a report. */
export const usageFields = ({ maxRssMib, cpuMs }: AttemptUsage): UsageFields => ({
  ...(maxRssMib !== undefined && { max_rss_mib: maxRssMib }),
  ...(cpuMs !== undefined && { cpu_seconds: cpuMs / SECOND_MS }),
});

/** Returns what a report says. */
export const usageOf = ({ max_rss_mib: maxRssMib, cpu_seconds: seconds }: UsageFields): AttemptUsage => ({
  ...(maxRssMib !== undefined && { maxRssMib }),
  ...(seconds !== undefined && { cpuMs: Math.round(seconds * SECOND_MS) }),
});
