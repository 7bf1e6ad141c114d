import { LogStream } from '../../src/adapters/nats/log/log-stream.ts';
import { BackoffTimer } from '../../src/adapters/nats/backoff.ts';
import type { ServerList } from '../../src/adapters/nats/server-address.ts';
import { CLUSTER_REPLICAS, type ClusterConfig } from '../../src/core/config/cluster-config.ts';
import { readLogOrder, removeLogOrder } from '../maintenance/log-order.ts';
import { throwIfStopping, type StartContext } from './start-context.ts';

const RETRY_MS = 500;
const NOTE_MS = 10_000;

/**
 * Does what `callsheet cluster recover` has ordered: creates the log whose beginning the store of this node is, or waits until
 * another node has created it. Does nothing at other starts.
 *
 * @throws Error if the cluster has another log.
 * @throws StoppedEarlyError if the service is asked to stop meanwhile. The next start continues.
 */
export async function prepareLog(
  { config, directory, logger, stopping }: StartContext,
  { name, node }: ClusterConfig,
  servers: ServerList,
): Promise<void> {
  const order = readLogOrder(directory);
  if (order === null) return;
  const stream = new LogStream(
    { servers, cluster: name, node },
    { connected: () => undefined, troubled: (text) => logger.warn(text) },
  );
  const pauses = new BackoffTimer();
  const stop = (): void => pauses.end();
  stopping.addEventListener('abort', stop, { once: true });
  let nextNote = performance.now() + RETRY_MS;
  try {
    for (;;) {
      throwIfStopping(stopping);
      const look = await stream.lookUp();
      let reason = look.type === 'unanswered' ? look.reason : 'another node has not created it yet';
      if (look.type === 'found') {
        const found = look.info.identity?.logId ?? 'unknown';
        if (order.type === 'create' && found !== order.log_id)
          throw new Error(
            `the cluster has another log (${found}) than the one that this node must create (${order.log_id}). If this node has the state to keep, stop the other nodes, run \`callsheet cluster recover --follow\` on them, and on an external NATS cluster delete the stream CS_${name}_0; then start again`,
          );
        removeLogOrder(directory);
        logger.info({ log: found }, 'the log of the cluster is ready');
        return;
      }
      if (look.type === 'missing' && order.type === 'create')
        reason =
          (await stream.create(config.bus.replicas ?? CLUSTER_REPLICAS, {
            logId: order.log_id,
            base: 'store',
          })) ?? 'created';
      if (performance.now() >= nextNote) {
        logger.warn(
          order.type === 'create'
            ? `creating the log of the cluster: ${reason}`
            : `waiting for the log of the cluster: ${reason}`,
        );
        nextNote = performance.now() + NOTE_MS;
      }
      await pauses.pause(RETRY_MS);
    }
  } finally {
    stopping.removeEventListener('abort', stop);
    await stream.close();
  }
}
