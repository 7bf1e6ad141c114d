import { attemptIdOf, workerId } from '../../../src/core/ids.ts';
import { refused } from '../../../src/core/problems.ts';
import { isEmpty } from '../../../src/core/quarantine/evidence.ts';
import type { PresenceReply } from '../../../src/core/wire/bus-messages.ts';
import type { ActorDefinition } from '../../kernel/actor.ts';
import type { ServiceContext, ServiceSettings, ServiceSystem } from '../service-system.ts';
import { onDisabledUntilDue, watchDisabled } from './disabled-until.ts';
import { onBookingsSurvey } from './ending-bookings.ts';
import { reportExits, onAttemptsEnded } from './exiting-attempts.ts';
import {
  onAttemptsOverdue,
  onBusConfirmed,
  onExpiryGranted,
  onLivenessDue,
  reclaimOverdue,
  storedHeartbeatAgeMs,
  watchLiveness,
} from './liveness.ts';
import type { WorkerMessage } from './messages.ts';
import { onAttemptFailed } from './on-attempt-failed.ts';
import { onAttemptsReleased } from './on-attempts-released.ts';
import { onWorkerDelete } from './on-delete.ts';
import { onWorkerDisable, stopTasks } from './on-disable.ts';
import { onWorkerEnable } from './on-enable.ts';
import { onWorkerDeregister, onWorkerHeartbeat, onWorkerRegistered, UNKNOWN } from './on-presence.ts';
import {
  onFailureJudged,
  onQuarantineGranted,
  onQuarantineLift,
  onQuarantineSet,
  onSuspicionDue,
  sendDoubts,
  watchSuspicions,
} from './quarantine.ts';
import { removeWorker } from './remove.ts';
import { loadWorker, newWorkerState, type WorkerState } from './state.ts';
import { onUnusedDue, recordUse, watchUnused } from './unused.ts';
import { sendOffer, saveWorker } from './worker-turn.ts';

/** Margin in addition to the lease hold, after which an assignment that the worker does not report counts as lost. */
const LOST_MARGIN_MS = 10_000;

const FARM_DELETED_MESSAGE = 'the farm was deleted';

/** The worker actor owns one worker: its liveness and the open attempts that hold its cores. */
export function workerActor(
  settings: ServiceSettings,
): ActorDefinition<ServiceSystem, 'worker', WorkerState> {
  const timeoutMs = settings.heartbeatTimeoutMs;
  return {
    kind: 'worker',
    load: (id, reader, now) =>
      loadWorker(id, reader, settings.ownsFarm, storedHeartbeatAgeMs(timeoutMs), now),
    onActivated: (state, context) => {
      watchLiveness(state, settings, context);
      watchUnused(state, settings.workers, context);
      watchDisabled(state, context);
      watchSuspicions(state, context);
    },
    save: saveWorker,
    isDeleted: (state) => state.isDeleted,
    onMissing,
    handlers: {
      'worker.registered': onWorkerRegistered(settings),
      'worker.heartbeat': onWorkerHeartbeat(settings, settings.leaseHoldMs + LOST_MARGIN_MS),
      'worker.deregister': onWorkerDeregister(settings.workers),
      'worker.activate': (state, _message, context) => {
        // The lease actor has just been loaded: it knows of no doubts.
        if (!isEmpty(state.evidence)) sendDoubts(state, context);
        sendOffer(state, context);
        // The service may have crashed before the jobs got the request.
        stopTasks(state, state.bookings.ids(), context);
      },
      'attempts.booked': (state, { bookings }, context) => {
        for (const booking of bookings) state.bookings.add(booking);
        recordUse(state, context);
        context.markDirty();
        // The worker may have been disabled, or gone offline, since the assignment.
        stopTasks(
          state,
          bookings.map(({ booking }) => booking.attemptId),
          context,
        );
        if (state.record.status !== 'online') watchLiveness(state, settings, context);
      },
      'attempts.released': onAttemptsReleased(settings),
      'bookings.survey': onBookingsSurvey,
      'attempts.ended': onAttemptsEnded,
      'attempts.overdue': onAttemptsOverdue(settings),
      'bus.confirmed': onBusConfirmed(settings),
      'liveness.due': onLivenessDue(settings),
      'unused.due': onUnusedDue(settings.workers),
      'disabled-until.due': onDisabledUntilDue(settings),
      'expiry.granted': onExpiryGranted(settings),
      'expiry.deferred': (_state, { forMs }, context) => {
        context.after('liveness', forMs, { type: 'liveness.due' });
      },
      'attempt.failed': onAttemptFailed,
      'worker.disable': onWorkerDisable,
      'worker.enable': onWorkerEnable(settings),
      'failure.judged': onFailureJudged,
      'quarantine.set': onQuarantineSet,
      'quarantine.granted': onQuarantineGranted,
      'quarantine.lift': onQuarantineLift,
      'suspicion.due': onSuspicionDue,
      'worker.delete': onWorkerDelete(settings),
      'worker.remove': (state, _message, context) => {
        removeWorker(state, FARM_DELETED_MESSAGE, context);
      },
    },
  };
}

function onMissing(
  id: string,
  message: WorkerMessage,
  context: ServiceContext<'worker'>,
): WorkerState | null {
  switch (message.type) {
    case 'worker.registered':
      return newWorkerState({ ...message.record, status: 'offline', incarnation: '', hasLeased: false });
    case 'worker.heartbeat':
      context.reply(message.replyTo, UNKNOWN);
      return null;
    case 'worker.deregister': {
      const reply: PresenceReply = { v: 1, type: 'departed' };
      context.reply(message.replyTo, reply);
      return null;
    }
    case 'worker.disable':
    case 'worker.enable':
    case 'worker.delete':
    case 'quarantine.lift':
      context.reply(message.replyTo, refused('not-found', `there is no worker ${id}`));
      return null;
    case 'attempts.overdue':
      reclaimOverdue(message.attemptIds, context);
      return null;
    case 'attempts.booked':
      throw new Error(`attempts were booked on worker ${id}, but there is no such worker`);
    case 'attempts.released':
      reportExits(message.exiting.map(attemptIdOf), context);
      return null;
    case 'bookings.survey':
      context.send('lease', message.farmId, {
        type: 'bookings.surveyed',
        workerId: workerId(id),
        bookings: [],
        isEnding: false,
      });
      return null;
    case 'worker.activate':
    case 'attempts.ended':
    case 'attempt.failed':
    case 'failure.judged':
    case 'quarantine.set':
    case 'quarantine.granted':
    case 'suspicion.due':
    case 'bus.confirmed':
    case 'liveness.due':
    case 'unused.due':
    case 'disabled-until.due':
    case 'expiry.granted':
    case 'expiry.deferred':
    case 'worker.remove':
      return null;
  }
}
