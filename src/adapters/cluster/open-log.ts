import { randomUUID } from 'node:crypto';
import { backoffMs } from '../nats/backoff.ts';
import type { LogStream } from '../nats/log/log-stream.ts';
import type { LogIdentity } from '../nats/log/stream-config.ts';

const RETRY_MS = { min: 100, max: 2000 } as const;

const QUIET_FAILURES = 3;

/** Why a node cannot take part in the log: one line that says what to do. */
export class LogOpenError extends Error {
  override readonly name = 'LogOpenError';
}

/** Waits as an interval between tries; resolves early when the node closes. */
export type Pause = (ms: number) => Promise<void>;

/**
 * Returns the identity of the log of a cluster. Creates the log if there is none; if several nodes do so at the same time, all
 * get the same one. Tries until it succeeds, or until `isClosing`: then null.
 *
 * @throws LogOpenError if the stream was not made by Callsheet.
 */
export async function findOrCreateLog(
  stream: LogStream,
  replicas: number,
  tries: {
    readonly pause: Pause;
    readonly isClosing: () => boolean;
    readonly warned: (text: string) => void;
  },
): Promise<LogIdentity | null> {
  for (let failures = 1; !tries.isClosing(); failures++) {
    const look = await stream.lookUp();
    if (look.type === 'found') return identityOf(look.info.identity);
    const reason =
      look.type === 'missing'
        ? await stream.create(replicas, { logId: randomUUID(), base: 'empty' })
        : look.reason;
    if (reason !== null) {
      // A cluster that starts has no leader at first.
      if (failures > QUIET_FAILURES) tries.warned(`the log cannot be opened yet: ${reason}`);
      await tries.pause(backoffMs(failures, RETRY_MS.min, RETRY_MS.max));
    }
  }
  return null;
}

function identityOf(identity: LogIdentity | null): LogIdentity {
  if (identity !== null) return identity;
  throw new LogOpenError(
    'the stream of the log has no log id: another program made it. Delete it, or choose another name for the cluster',
  );
}
