import { setTimeout as delay } from 'node:timers/promises';
import { CommandError, EXIT } from '../terminal/exit-codes.ts';
import { retryWhileUnavailable } from '../client/retry-while-unavailable.ts';
import type { LogChunk, TaskStatus } from '../../client/resources.ts';
import type { RestClient } from '../client/rest-client.ts';

/** Maximum number of chunks per response. */
const PAGE_MAX = 1000;
/** Delay between two tails if the first one returned nothing. */
const AGAIN_MS = 1_000;

const ENDED: ReadonlySet<TaskStatus> = new Set(['succeeded', 'failed', 'canceled']);

/** Receiver of a followed log. */
export interface LogFollower {
  write(chunk: LogChunk): void;
  /** Called once per outage of the service. */
  away(): void;
  /** Time in milliseconds after which following ends; null to follow until the task has ended. */
  readonly endsAfterMs: number | null;
}

/**
 * Follows the log of a task until the task has ended and its log is complete, or the task is deleted. A tail may end
 * early, for example when the service stops; the next one continues after the last chunk. Following ends when a tail of
 * an ended task returns nothing new.
 */
export async function followLog(client: RestClient, id: string, follower: LogFollower): Promise<void> {
  const { endsAfterMs } = follower;
  const untilMs = endsAfterMs === null ? null : performance.now() + endsAfterMs;
  const leftMs = (): number | null =>
    untilMs === null ? null : Math.max(0, Math.ceil(untilMs - performance.now()));
  const away = (): void => follower.away();
  let seen = 0;
  for (;;) {
    const before = seen;
    await retryWhileUnavailable(async (opened) => {
      const left = leftMs();
      if (left === 0) return;
      const chunks = client.stream(
        '/tasks/{id}/logs',
        { endsAfterMs: left, opened },
        { path: { id }, query: { tail: true, limit: PAGE_MAX, after_bus_seq: seen } },
      );
      for await (const chunk of chunks) {
        seen = chunk.bus_seq;
        follower.write(chunk);
      }
    }, away);
    if (leftMs() === 0) return;
    const status = await retryWhileUnavailable(() => statusOf(client, id), away);
    if (status === null || (ENDED.has(status) && seen === before)) return;
    if (seen === before) await delay(AGAIN_MS);
  }
}

/** Returns the status of a task, or null if it does not exist any more. */
async function statusOf(client: RestClient, id: string): Promise<TaskStatus | null> {
  try {
    return (await client.call('get', '/tasks/{id}', { path: { id } })).status;
  } catch (error) {
    if (error instanceof CommandError && error.exitCode === EXIT.notFound) return null;
    throw error;
  }
}
