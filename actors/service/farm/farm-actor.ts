import { farmId } from '../../../src/core/ids.ts';
import { done, refused } from '../../../src/core/problems.ts';
import type { PresenceReply } from '../../../src/core/wire/bus-messages.ts';
import type { ActorDefinition } from '../../kernel/actor.ts';
import type { ServiceContext, ServiceSettings, ServiceSystem } from '../service-system.ts';
import type { FarmMessage } from './messages.ts';
import { onFarmCreate, onFarmDelete, onFarmReplace, onFarmSampled, onPoolRulesChanged } from './on-farm.ts';
import { onJobDeleted, onJobEnded, onJobExpire } from './on-job-ended.ts';
import { noQueue, onJobQueueKept, onJobRequeue, onJobSubmit } from './on-job.ts';
import { onJobReactivated, onReactivationRequested } from './on-reactivation.ts';
import { onNoticeRaised } from './on-notice.ts';
import { onQueueCreate, onQueueDelete, onQueueReplace } from './on-queue.ts';
import {
  onQueueEnvironmentCreate,
  onQueueEnvironmentDelete,
  onQueueEnvironmentReplace,
} from './on-queue-environment.ts';
import { onWorkerChanged, onWorkerExpiring, onWorkerFind, onWorkerRegister } from './on-worker.ts';
import { loadFarm, newFarmState, type FarmState } from './state.ts';

/**
 * The farm actor owns a farm's settings and queues, admits jobs and workers, and unblocks jobs once their upstream jobs
 * have completed. At the start of the service it activates all other actors of the farm.
 */
export function farmActor(settings: ServiceSettings): ActorDefinition<ServiceSystem, 'farm', FarmState> {
  return {
    kind: 'farm',
    load: loadFarm,
    onActivated: (state, context) => {
      context.send('lease', state.record.id, { type: 'lease.activate' });
      context.send('retention', state.record.id, { type: 'retention.activate' });
      for (const id of state.jobsToCancel) context.send('job', id, { type: 'upstream.failed' });
    },
    isDeleted: (state) => state.isDeleted,
    onMissing,
    handlers: {
      'farm.activate': () => undefined,
      'farm.create': onFarmCreate,
      'farm.replace': onFarmReplace(settings.retry),
      'pool-rules.changed': onPoolRulesChanged(settings.retry),
      'farm.delete': onFarmDelete,
      'farm.sampled': onFarmSampled,
      'queue.create': onQueueCreate,
      'queue.replace': onQueueReplace(settings.retry),
      'queue.delete': onQueueDelete,
      'queue-environment.create': onQueueEnvironmentCreate,
      'queue-environment.replace': onQueueEnvironmentReplace,
      'queue-environment.delete': onQueueEnvironmentDelete,
      'job.submit': onJobSubmit(settings.retry),
      'job.requeue': onJobRequeue(settings.retry),
      'job.queue-kept': onJobQueueKept,
      'job.reactivation-requested': onReactivationRequested(settings.retry),
      'job.reactivated': onJobReactivated,
      'job.ended': onJobEnded,
      'job.deleted': onJobDeleted,
      'job.expire': onJobExpire,
      'notice.raised': onNoticeRaised(settings.webhooks.presence),
      'worker.register': onWorkerRegister(settings.workers),
      'worker.find': onWorkerFind,
      'worker.changed': onWorkerChanged,
      'worker.removed': (state, { workerId }) => {
        state.workers.delete(workerId);
      },
      'worker.expiry-requested': onWorkerExpiring(settings.heartbeatTimeoutMs),
    },
  };
}

function onMissing(id: string, message: FarmMessage, context: ServiceContext<'farm'>): FarmState | null {
  switch (message.type) {
    case 'farm.create':
      return newFarmState({
        version: 1,
        id: farmId(id),
        ...message.input,
        createdAt: context.now,
        updatedAt: context.now,
      });
    case 'worker.register': {
      const reply: PresenceReply = { v: 1, type: 'refused', reason: `there is no farm ${id}` };
      context.reply(message.replyTo, reply);
      return null;
    }
    case 'worker.find':
      context.reply(message.replyTo, done(null));
      return null;
    case 'job.submit':
      context.reply(message.replyTo, refused('bad-request', `farm_id: there is no farm ${id}`));
      return null;
    case 'job.requeue':
      context.reply(message.replyTo, refused('bad-request', noQueue(message.queueId)));
      return null;
    case 'job.reactivation-requested':
      context.reply(message.replyTo, refused('conflict', 'the farm of the job was deleted'));
      return null;
    case 'farm.replace':
    case 'farm.delete':
    case 'farm.sampled':
    case 'queue.create':
    case 'queue.replace':
    case 'queue.delete':
    case 'queue-environment.create':
    case 'queue-environment.replace':
    case 'queue-environment.delete':
      context.reply(message.replyTo, refused('not-found', `there is no farm ${id}`));
      return null;
    case 'job.expire':
      // A deleted farm has no job that waits for another one.
      context.send('job', message.jobId, { type: 'job.expire', endedAt: message.endedAt });
      return null;
    case 'farm.activate':
    case 'pool-rules.changed':
    case 'job.reactivated':
    case 'job.ended':
    case 'job.deleted':
    case 'notice.raised':
    case 'worker.changed':
    case 'worker.removed':
    case 'job.queue-kept':
    case 'worker.expiry-requested':
      return null;
  }
}
