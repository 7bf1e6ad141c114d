import type { OutageChange } from '../../../src/core/outages/changes.ts';
import { outageFacts } from '../../../src/core/outages/outage-facts.ts';
import { placeText, type Outage } from '../../../src/core/outages/outage.ts';
import { timestampOf } from '../../../src/core/timestamp.ts';
import type { ServiceContext } from '../service-system.ts';
import type { LeaseState } from './state.ts';

type LeaseContext = ServiceContext<'lease'>;

/**
 * Publishes holds that have started and outages that have ended: an event for clients, a line of the log and, except for
 * another hold in a row, an event for webhooks. All of them are outputs of the unit of work that stores the record, so
 * that a load of the actor repeats none.
 */
export function publishOutageChange(
  { farmId, isDeleted }: LeaseState,
  change: OutageChange,
  context: LeaseContext,
): void {
  const { outage, status } = change;
  const facts = outageFacts(outage);
  const endReason = change.status === 'ended' ? change.reason : null;
  context.effect({
    kind: 'event',
    event: {
      subject: 'outages',
      payload: {
        farm_id: farmId,
        status,
        ...facts,
        ...(endReason !== null && { end_reason: endReason }),
        updated_at: timestampOf(context.now),
      },
    },
  });
  if (change.status === 'held') logHold(outage, change.isNew, context);
  else context.log('info', 'an outage has ended', { place: facts.place, reason: change.reason });
  if (isDeleted || (change.status === 'held' && !change.isNew)) return;
  const type = change.status === 'held' ? 'outage.began' : 'outage.ended';
  context.send('farm', farmId, {
    type: 'notice.raised',
    subject: { type, outage: { ...facts, end_reason: endReason } },
  });
}

function logHold(outage: Outage, isNew: boolean, context: LeaseContext): void {
  context.log('warn', isNew ? 'an outage was found' : 'an outage continues', {
    place: placeText(outage),
    reason: outage.message,
    failures: String(outage.failures),
    jobs: String(outage.jobs),
    workers: String(outage.workers),
    until: timestampOf(outage.until),
    policy: String(outage.policyVersion),
  });
}
