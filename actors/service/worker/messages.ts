import type { AttemptAddress, AttemptId, JobId } from '../../../src/core/ids.ts';
import type { Booking, WorkerRecord, WorkerStatus } from '../../../src/core/records/worker.ts';
import type {
  DeregisterMessage,
  HeartbeatMessage,
  PresenceReply,
} from '../../../src/core/wire/bus-messages.ts';
import type { ReplyTo } from '../../kernel/address.ts';
import type { Outcome } from '../../../src/core/problems.ts';

/** An attempt that holds cores of a worker. */
export interface AttemptBooking {
  readonly attempt: AttemptAddress;
  readonly booking: Booking;
}

/** What a client is told of the worker that it has disabled or enabled. */
export interface WorkerStanding {
  readonly status: WorkerStatus;
}

/** The worker actor: liveness and the open attempts of one worker. Id: worker id. */
export type WorkerMessage =
  /** From the farm: the worker has registered; the record is complete but for the status. Answer: PresenceReply. */
  | {
      readonly type: 'worker.registered';
      readonly record: WorkerRecord;
      readonly openAttempts: readonly AttemptId[];
      readonly replyTo: ReplyTo<PresenceReply>;
    }
  /** From the lease actor, at its start: load the worker, watch its liveness and offer it. */
  | { readonly type: 'worker.activate' }
  /** From the bus. Answer: PresenceReply. */
  | {
      readonly type: 'worker.heartbeat';
      readonly heartbeat: HeartbeatMessage;
      readonly replyTo: ReplyTo<PresenceReply>;
    }
  | {
      readonly type: 'worker.deregister';
      readonly departure: DeregisterMessage;
      readonly replyTo: ReplyTo<PresenceReply>;
    }
  /** From a job actor: these attempts hold cores of the worker from now on. */
  | { readonly type: 'attempts.booked'; readonly bookings: readonly AttemptBooking[] }
  /** From a job actor: these attempts are closed. */
  | { readonly type: 'attempts.released'; readonly attempts: readonly AttemptAddress[] }
  /** From a job actor: the worker has reported a failure of the step. */
  | { readonly type: 'attempt.failed'; readonly jobId: JobId; readonly stepOrder: number }
  /** From a client. Answer: WorkerStanding. */
  | { readonly type: 'worker.disable'; readonly replyTo: ReplyTo<Outcome<WorkerStanding>> }
  /** From a client. Answer: WorkerStanding. */
  | { readonly type: 'worker.enable'; readonly replyTo: ReplyTo<Outcome<WorkerStanding>> }
  /** From a client. Answer: null. 409 while the worker is online, or disabled and heard lately. */
  | { readonly type: 'worker.delete'; readonly replyTo: ReplyTo<Outcome<null>> }
  /** The worker's own timer: a whole timeout has passed since it was last heard, unless it was heard since. */
  | { readonly type: 'liveness.due' }
  /** From the farm: the answer to `worker.expiry-requested`. */
  | { readonly type: 'expiry.granted' }
  | { readonly type: 'expiry.deferred'; readonly forMs: number }
  /** From the farm, which is deleted. */
  | { readonly type: 'worker.remove' };
