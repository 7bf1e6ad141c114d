import type { WebhookPresence } from '../../../src/core/ports/webhook-presence.ts';
import { put } from '../../../src/core/records/change-set.ts';
import { keys } from '../../../src/core/records/tables.ts';
import { timestampOf } from '../../../src/core/timestamp.ts';
import type { NoticeEvent } from '../../../src/core/webhooks/notice.ts';
import type { ServiceContext } from '../service-system.ts';
import { WEBHOOKS_ID } from '../webhooks/messages.ts';
import type { FarmMessage } from './messages.ts';
import type { FarmState } from './state.ts';

/**
 * Stores an event for the webhooks in the same commit as its cause, and sends it to their actor, which removes the row.
 * After a crash in between, the actor loads it from there.
 */
export const onNoticeRaised =
  (presence: Pick<WebhookPresence, 'any'>) =>
  (
    { record, queues }: FarmState,
    { subject }: Extract<FarmMessage, { type: 'notice.raised' }>,
    context: ServiceContext<'farm'>,
  ): void => {
    if (!presence.any()) return;
    const queueId = 'queueId' in subject ? subject.queueId : null;
    const event: NoticeEvent = {
      type: subject.type,
      at: timestampOf(context.now),
      farm: { id: record.id, name: record.name },
      queue: queueId === null ? null : { id: queueId, name: queues.get(queueId)?.name ?? '' },
      job: 'job' in subject ? subject.job : null,
      worker: 'worker' in subject ? subject.worker : null,
      pool: null,
      ...('outage' in subject && { outage: subject.outage }),
    };
    const noticeId = context.newId();
    context.change(put('notice', keys.notice(noticeId), { version: 1, event }));
    context.effect({
      kind: 'forward',
      envelope: {
        actor: 'webhooks',
        id: WEBHOOKS_ID,
        message: { type: 'webhooks.noticed', noticeId, event },
      },
    });
  };
