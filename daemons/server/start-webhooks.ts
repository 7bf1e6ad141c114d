import type { WebhookOrder } from '../../actors/service/gateway/outbox-batch.ts';
import type { WebhookPorts } from '../../http/ports.ts';
import type { StateReader } from '../../src/adapters/lmdb/state-reader.ts';
import { targetUrlFault } from '../../src/adapters/webhooks/target-url.ts';
import { GENERIC_FORMAT, type MessageFormat } from '../../src/core/webhooks/message-format.ts';
import { onHangUp } from '../process/stop-signal.ts';
import { actorsOf } from './actors-of.ts';
import type { Shards } from './shards.ts';
import type { StartContext } from './start-context.ts';
import { readMessageFormats } from './webhook-formats.ts';
import { WebhookSender } from './webhook-sender.ts';

export interface StartedWebhooks {
  readonly ports: WebhookPorts;
  /** Starts to send the deliveries that the shards order. */
  connect(shards: Shards): void;
  /** Sends a delivery, once connected. */
  send(order: WebhookOrder): void;
}

/** Starts the sending of webhooks. The ready-made bodies are read at once, and again on SIGHUP. */
export function startWebhooks(
  { config, logger, shutdown, version }: StartContext,
  reader: StateReader,
): StartedWebhooks {
  const { allowPrivate: allowed, formatFolder } = config.webhooks;
  const read = (): Promise<ReadonlyMap<string, MessageFormat>> =>
    readMessageFormats(formatFolder, (file, detail) =>
      logger.error({ file, detail }, 'a format of webhooks was skipped'),
    );
  let formats = read();
  onHangUp(() => {
    formats = read();
    logger.info('the formats of webhooks are read again');
  });
  let sender: WebhookSender | null = null;
  const early: WebhookOrder[] = [];
  return {
    ports: {
      urlFault: (url) => targetUrlFault(url, allowed),
      formats: async () => [
        { name: GENERIC_FORMAT, title: 'Callsheet event' },
        ...[...(await formats).values()].map(({ name, title }) => ({ name, title })),
      ],
    },
    connect: (shards) => {
      const started = new WebhookSender({
        store: reader,
        actors: actorsOf(() => shards, reader),
        formats: () => formats,
        allowed,
        publicUrl: config.http.publicUrl,
        version: version.version,
        now: () => Date.now(),
      });
      sender = started;
      shutdown.add('http', () => started.close());
      for (const order of early.splice(0)) started.send(order);
    },
    send: (order) => {
      if (sender === null) early.push(order);
      else sender.send(order);
    },
  };
}
