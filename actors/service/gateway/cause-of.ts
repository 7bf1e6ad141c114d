import type { WorkCause } from '../../../src/core/records/work-cause.ts';
import type { ServiceEnvelope } from '../service-messages.ts';

/** Returns the cause of the unit of work that a message from outside begins. */
export function causeOf(envelope: ServiceEnvelope): WorkCause {
  const { message, origin } = envelope;
  return {
    kind: message.type,
    id: reportedAttempt(envelope) ?? envelope.id,
    requestId: origin?.requestId ?? '',
    principal: origin?.principal ?? senderOf(envelope),
  };
}

/** A report names its first attempt, and by it the task and the job. */
const reportedAttempt = ({ message }: ServiceEnvelope): string | undefined =>
  message.type === 'tasks.reported' ? message.reports[0]?.attempt_id : undefined;

/** Returns the worker that sent a message of the bus; empty if the service itself or a shard sent it. */
function senderOf({ id, message }: ServiceEnvelope): string {
  switch (message.type) {
    case 'lease.requested':
    case 'tasks.reported':
      return message.workerId;
    case 'worker.register':
      return message.registration.worker_id;
    case 'worker.heartbeat':
    case 'worker.deregister':
      return id;
    default:
      return '';
  }
}
