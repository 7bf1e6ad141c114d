import { setTimeout as delay } from 'node:timers/promises';
import { CommandError, EXIT } from './exit-codes.ts';
import { retryWhileUnavailable } from './retry-while-unavailable.ts';
import type { LogChunk, TaskStatus } from '../../client/resources.ts';
import type { RestClient } from './rest-client.ts';

/** So many chunks are sent at once. */
const PAGE_MAX = 1000;
/** Between two tails when the first has brought nothing. */
const AGAIN_MS = 1_000;

const ENDED: ReadonlySet<TaskStatus> = new Set(['succeeded', 'failed', 'canceled']);

/** Who follows a log. */
export interface LogFollower {
  write(chunk: LogChunk): void;
  /** The service is away, once of each outage. */
  away(): void;
  /** Milliseconds after which the log is left; null when only the end of the task ends it. */
  readonly endsAfterMs: number | null;
}

/**
 * Follows the log of a task from its beginning until the task has ended and all of its log has come, or the task is deleted. A tail
 * may end before that, as the service ends every one when it stops: the next goes on behind the last chunk. What ends the
 * following is a tail of an ended task that brings nothing more.
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

/** Null when there is no such task any more. */
async function statusOf(client: RestClient, id: string): Promise<TaskStatus | null> {
  try {
    return (await client.call('get', '/tasks/{id}', { path: { id } })).status;
  } catch (error) {
    if (error instanceof CommandError && error.exitCode === EXIT.notFound) return null;
    throw error;
  }
}
