import { jobId } from '../../../src/core/ids.ts';
import type { ReportedStatus } from '../../../src/core/wire/bus-messages.ts';
import type { WorkerSubjects } from '../../../src/core/wire/subjects.ts';

/**
 * Encodes a status report as a worker stores it in the stream: with the message id of the protocol and an inbox for the
 * acknowledgement. Protocol bytes in Latin-1.
 */
export function statusPublish(
  attemptId: string,
  status: ReportedStatus,
  worker: {
    readonly workerId: string;
    readonly sessionId: string;
    readonly ackInbox: string;
    readonly subjects: Pick<WorkerSubjects, 'status'>;
  },
): string {
  const taskId = attemptId.slice(0, attemptId.lastIndexOf('-'));
  const jobText = attemptId.slice(0, UUID_LENGTH);
  const exit = status === 'running' ? '' : ',"exit_code":0';
  const header = `NATS/1.0\r\nNats-Msg-Id: ${attemptId}:${status}\r\n\r\n`;
  const body = `{"v":1,"task_id":"${taskId}","attempt_id":"${attemptId}","worker_id":"${worker.workerId}","status":"${status}","timestamp":"${new Date().toISOString()}","session_id":"${worker.sessionId}"${exit}}`;
  return `HPUB ${worker.subjects.status(jobId(jobText))} ${worker.ackInbox} ${header.length} ${header.length + body.length}\r\n${header}${body}\r\n`;
}

const UUID_LENGTH = 36;
