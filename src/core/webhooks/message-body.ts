import type { WebhookDeliveryRecord } from '../records/webhook.ts';
import { renderMessage, type JsonValue, type MessageFormat } from './message-format.ts';
import { summaryOf, type NoticeEvent } from './notice.ts';

/** Version of the body `generic`. */
const BODY_VERSION = 1;

/**
 * Returns the body of a delivery (docs/webhooks.md#the-request).
 *
 * @param format - Null: the event itself.
 * @param publicUrl - Origin of the web application, for links; null: without links.
 */
export function messageBody(
  { id, eventId, missedBefore }: Pick<WebhookDeliveryRecord, 'id' | 'eventId' | 'missedBefore'>,
  event: NoticeEvent,
  format: MessageFormat | null,
  publicUrl: string | null,
): string {
  const { type, at, farm, queue, job, worker, pool, outage } = event;
  const body: JsonValue = {
    version: BODY_VERSION,
    id: eventId,
    delivery_id: id,
    type,
    at,
    summary: summaryOf(event),
    link: publicUrl === null ? '' : `${publicUrl}${pathOf(event)}`,
    missed_before: missedBefore,
    farm: farm === null ? null : { ...farm },
    queue: queue === null ? null : { ...queue },
    job: job === null ? null : { ...job, task_counts: { ...job.task_counts } },
    worker: worker === null ? null : { ...worker },
    pool: pool === null ? null : { ...pool },
    outage: outage === undefined ? null : { ...outage },
  };
  return format === null ? JSON.stringify(body) : renderMessage(format, type, body);
}

/** Returns the path of the page of the event's subject. */
function pathOf({ job, worker, pool }: NoticeEvent): string {
  if (job !== null) return `/jobs/${job.id}`;
  if (worker !== null) return `/workers/${worker.id}`;
  return pool === null ? '/' : '/usage-pools';
}
