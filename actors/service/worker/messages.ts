import type { AttemptAddress, AttemptId, FarmId, JobId, WorkerId } from '../../../src/core/ids.ts';
import type { Booking, WorkerDisabling, WorkerRecord } from '../../../src/core/records/worker.ts';
import type { OtherAttempts } from '../../../src/core/records/worker-evidence.ts';
import type { QuarantineSetting } from '../../../src/core/records/farm.ts';
import type { Verdict } from '../../../src/core/quarantine/evidence.ts';
import type { IfMatch } from '../../../src/core/records/settings-version.ts';
import type { ReplyTo } from '../../kernel/address.ts';
import type {
  DeregisterMessage,
  HeartbeatMessage,
  PresenceReply,
  StopCause,
} from '../../../src/core/wire/bus-messages.ts';
import type { Outcome } from '../../../src/core/problems.ts';

/** An attempt that holds cores of a worker. */
export interface AttemptBooking {
  readonly attempt: AttemptAddress;
  readonly booking: Booking;
}

/** Reply to disabling or enabling a worker. */
export type WorkerStanding = Pick<WorkerRecord, 'status' | 'disabling'>;

/** Messages of the worker actor, which owns the liveness and the open attempts of one worker. Id: worker id. */
export type WorkerMessage =
  /**
   * From the farm: the worker has registered. The record is complete except for the status. Replies with a
   * PresenceReply.
   */
  | {
      readonly type: 'worker.registered';
      readonly record: WorkerRecord;
      readonly openAttempts: readonly AttemptId[];
      /** Id under which the worker has registered. Another one than that of the record takes over its name. */
      readonly registeredAs: WorkerId;
      /** Why an earlier incarnation has stopped its tasks; null if the daemon was started. */
      readonly stopped: StopCause | null;
      /** Setting of the farm; null if it never had one. */
      readonly quarantine: QuarantineSetting | null;
      readonly replyTo: ReplyTo<PresenceReply>;
    }
  /** From the lease actor during recovery: loads the worker, starts its liveness checks and sends its offer. */
  | { readonly type: 'worker.activate' }
  /** From the bus. Replies with a PresenceReply. */
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
  /** From a job actor: these attempts of it are closed. */
  | {
      readonly type: 'attempts.released';
      readonly attempts: readonly AttemptAddress[];
      /** Those among them whose processes may still run. Answered by `attempts.exited` once they have ended. */
      readonly exiting: readonly AttemptAddress[];
      /** Those among them that have succeeded. */
      readonly succeeded: readonly AttemptAddress[];
      /** Set if they were taken back for a step: those that are exiting hold their resources until they have ended. */
      readonly areTakenBack?: true;
    }
  /** From the lease actor, which looks for attempts to take back. Answered by `bookings.surveyed`. */
  | { readonly type: 'bookings.survey'; readonly farmId: FarmId }
  /** From a job actor: the worker has reported the end of these closed attempts. */
  | { readonly type: 'attempts.ended'; readonly attemptIds: readonly AttemptId[] }
  /** From a job actor: these attempts were not reported running in time. May be repeated. */
  | { readonly type: 'attempts.overdue'; readonly attemptIds: readonly AttemptId[] }
  /** From the bus: the connection that existed at `askedAt` was still in use later. */
  | { readonly type: 'bus.confirmed'; readonly askedAt: number }
  /**
   * From a job actor: the worker has reported a failure of a task. `verdict`: what is known of its other attempts; null
   * if the failure is no evidence about the worker, or has been counted as such before.
   */
  | {
      readonly type: 'attempt.failed';
      readonly jobId: JobId;
      readonly stepOrder: number;
      readonly index: number;
      readonly verdict: Extract<Verdict, 'open' | 'everywhere'> | null;
      readonly others: OtherAttempts;
    }
  /**
   * From a job actor: what has become of a task that had failed on the worker, with the verdict `open`. It is `open` again if
   * the task has failed on another worker too.
   */
  | {
      readonly type: 'failure.judged';
      readonly jobId: JobId;
      readonly stepOrder: number;
      readonly index: number;
      readonly verdict: Verdict;
      readonly others: OtherAttempts;
    }
  /** From the farm: its setting has changed. */
  | { readonly type: 'quarantine.set'; readonly setting: QuarantineSetting }
  /** From the lease actor: the worker may be in quarantine as a whole, if its evidence is still enough. */
  | { readonly type: 'quarantine.granted' }
  /** From a client: forgets all evidence. Replies with null, or `conflict` if the worker is kept from nothing. */
  | {
      readonly type: 'quarantine.lift';
      readonly by: string;
      readonly replyTo: ReplyTo<Outcome<null>>;
    }
  /** From a client. Replies with a WorkerStanding. */
  | {
      readonly type: 'worker.disable';
      readonly disabling: Omit<WorkerDisabling, 'at'>;
      readonly ifMatch?: IfMatch;
      readonly replyTo: ReplyTo<Outcome<WorkerStanding>>;
    }
  /** From a client. Replies with a WorkerStanding. */
  | {
      readonly type: 'worker.enable';
      readonly ifMatch?: IfMatch;
      readonly replyTo: ReplyTo<Outcome<WorkerStanding>>;
    }
  /**
   * From a client. Replies with null, or `conflict` while the worker is online, or disabled with a recent heartbeat.
   */
  | { readonly type: 'worker.delete'; readonly replyTo: ReplyTo<Outcome<null>> }
  /** The worker's own timer: a heartbeat is overdue, or the bus has not confirmed the connection. */
  | { readonly type: 'liveness.due' }
  /** The worker's own timer: the time until which it is disabled may have come. */
  | { readonly type: 'disabled-until.due' }
  /** The worker's own timer: a suspicion may have ended. */
  | { readonly type: 'suspicion.due' }
  /** The worker's own timer: it may have been offline and unused for too long. */
  | { readonly type: 'unused.due' }
  /** From the farm: the responses to `worker.expiry-requested`. */
  | { readonly type: 'expiry.granted' }
  | { readonly type: 'expiry.deferred'; readonly forMs: number }
  /** From the farm: the farm is being deleted. */
  | { readonly type: 'worker.remove' };
