import type { ServiceEffect } from '../../actors/service/service-system.ts';
import { parseAttemptId, parseTaskId, type AttemptId } from '../../src/core/ids.ts';
import type { Outcome } from '../../src/core/problems.ts';
import type { LeaseReply, PresenceReply } from '../../src/core/wire/bus-messages.ts';

/** Maps the IDs of jobs, workers and queues to their names in a test. */
export type NameOf = (id: string) => string;

/** `A/0/3`: task 3 of the first step of the job A. */
function taskWord(taskId: string, nameOf: NameOf): string {
  const task = parseTaskId(taskId);
  return task === null ? taskId : `${nameOf(task.jobId)}/${task.stepOrder}/${task.index}`;
}

/** `A/0/3#2`: the second attempt of that task. */
function attemptWord(attemptId: string, nameOf: NameOf): string {
  const attempt = parseAttemptId(attemptId);
  if (attempt === null) return attemptId;
  return `${nameOf(attempt.jobId)}/${attempt.stepOrder}/${attempt.index}#${attempt.attemptNumber}`;
}

/** Formats an output of an actor as one line; null for an output that stays inside the test farm. */
export function formatEffect(effect: ServiceEffect, nameOf: NameOf): string | null {
  switch (effect.kind) {
    case 'forward':
    case 'release':
    case 'delete-logs':
    case 'confirm-bus':
    // Recorded in `taskEvents`.
    case 'task-events':
      return null;
    case 'refused-keys-changed':
      return 'refuse keys';
    case 'send-webhook':
      return `send webhook ${nameOf(effect.webhookId)}`;
    case 'cancel':
      return `stop ${attemptWord(effect.message.attempt_id, nameOf)}: ${effect.message.reason}`;
    case 'count':
      return `count ${effect.counter} of ${nameOf(effect.queueId)}`;
    case 'event':
      switch (effect.event.subject) {
        case 'jobs':
          return `job ${effect.event.payload.name} ${effect.event.payload.status}`;
        case 'workers':
          return `worker ${effect.event.payload.name} ${effect.event.payload.status}`;
        case 'outages':
          return `outage of ${effect.event.payload.place} ${effect.event.payload.status}`;
        case 'tasks-lost':
          // Recorded in `taskEvents`.
          return null;
        case 'tasks': {
          const { task_id: taskId, status, worker_id: workerId } = effect.event.payload;
          const { unschedulable_reason: reason } = effect.event.payload;
          const of = workerId === '' ? '' : ` ${nameOf(workerId)}`;
          const { progress, status_message: message } = effect.event.payload;
          const told = [progress === undefined ? '' : `${progress}%`, message ?? ''].join(' ').trim();
          const rest = `${reason === '' ? '' : ` (${reason})`}${told === '' ? '' : ` ${told}`}`;
          return `task ${taskWord(taskId, nameOf)} ${status}${of}${rest}`;
        }
      }
  }
}

export type Answer = Outcome<unknown> | LeaseReply | PresenceReply;

const formatClosed = (closed: readonly AttemptId[], nameOf: NameOf): string =>
  closed.length === 0 ? '' : `, closed ${closed.map((id) => attemptWord(id, nameOf)).join(' ')}`;

/** Formats an answer as one line that begins with the recipient. */
export function formatAnswer(to: string, answer: Answer, nameOf: NameOf): string {
  if ('ok' in answer) {
    return answer.ok ? `${to}: ok` : `${to}: ${answer.problem.kind}, ${answer.problem.detail}`;
  }
  switch (answer.type) {
    case 'leases': {
      const tasks = answer.assignments.map(
        ({ attempt_id: id, cores }) => `${attemptWord(id, nameOf)}${cores === 1 ? '' : ` (${cores} cores)`}`,
      );
      return `${to}: ${tasks.length === 0 ? 'nothing' : tasks.join(', ')}`;
    }
    case 'registered':
      return `${to}: registered as ${nameOf(answer.worker_id)}${formatClosed(answer.closed, nameOf)}`;
    case 'alive':
      return `${to}: alive${formatClosed(answer.closed, nameOf)}`;
    case 'refused':
      return `${to}: refused, ${answer.reason}`;
    case 'unknown':
    case 'departed':
      return `${to}: ${answer.type}`;
  }
}
