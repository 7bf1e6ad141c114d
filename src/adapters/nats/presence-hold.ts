import type { NatsConnection } from '@nats-io/transport-node';
import { subjects } from '../../core/wire/subjects.ts';
import { BusConnection } from './connection.ts';
import type { ServerList } from './server-address.ts';

/**
 * Is connected to the bus as the service, without any reply, for an uninterrupted time. Workers then know that a service
 * exists, and have no contact with it. An interruption starts the time again. Resolves early when `stopping` is aborted.
 */
export async function holdPresence(servers: ServerList, forMs: number, stopping: AbortSignal): Promise<void> {
  let finish: () => void = () => undefined;
  const finished = new Promise<void>((resolve) => {
    finish = resolve;
  });
  let timer: NodeJS.Timeout | undefined;
  const hold = async (nc: NatsConnection): Promise<void> => {
    nc.subscribe(subjects.allPresent, { callback: () => undefined });
    try {
      await nc.flush();
    } catch {
      // The connection is lost, and the next one starts the time again.
      return;
    }
    if (!nc.isClosed()) timer = setTimeout(finish, forMs);
  };
  const connection = new BusConnection(
    { servers, name: 'callsheet after a restore' },
    {
      sessionStarted: (nc) => void hold(nc),
      sessionEnded: () => clearTimeout(timer),
      changed: () => undefined,
    },
  );
  stopping.addEventListener('abort', finish, { once: true });
  if (stopping.aborted) finish();
  await finished;
  clearTimeout(timer);
  await connection.close();
}
