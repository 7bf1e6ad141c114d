import type { WaitingGroup } from '../../../client/resources.ts';
import { counted, numberText } from '../../parts/number-text.ts';

/** The state of a farm. */
export type FarmState = 'active' | 'idle' | 'starved' | 'paused' | 'blocked' | 'waiting' | 'degraded';

export interface FarmFacts {
  readonly tasksRunning: number;
  readonly coresBooked: number;
  readonly coresTotal: number;
  readonly workersOnline: number;
  readonly workersOffline: number;
  /** Largest number of online workers in the recent past. */
  readonly recentMaxOnline: number;
  /** Tasks that ended in the recent past. */
  readonly recentlySucceeded: number;
  readonly recentlyFailed: number;
  /** The waiting tasks by reason, largest group first. */
  readonly waiting: readonly Pick<WaitingGroup, 'reason' | 'sentence' | 'tasks'>[];
}

export interface FarmStatus {
  readonly state: FarmState;
  readonly reason: string;
}

/** A farm is degraded if more than this share of its workers went offline. */
const MAX_OFFLINE_SHARE = 0.25;
/** A farm with fewer recent failures is not degraded. */
const MIN_FAILURES = 5;

/** Returns the state of a farm and its reason. Degradation has precedence over running tasks, these over waiting tasks. */
export function farmStatus(facts: FarmFacts): FarmStatus {
  const degraded = degradedReason(facts);
  if (degraded !== '') return { state: 'degraded', reason: degraded };
  const { tasksRunning: running, waiting } = facts;
  if (running > 0) return { state: 'active', reason: activeReason(facts) };
  const tasks = waiting.reduce((sum, group) => sum + group.tasks, 0);
  const [largest] = waiting;
  if (largest === undefined || tasks === 0) return { state: 'idle', reason: idleReason(facts) };
  if (facts.workersOnline === 0) {
    return { state: 'starved', reason: `${counted(tasks, 'task')} ready, but no worker is online.` };
  }
  const others = waiting.length - 1;
  const more = others === 0 ? '' : ` And ${counted(others, 'other reason')}.`;
  return {
    state: stateOf(largest.reason),
    reason: `${counted(largest.tasks, 'task')} ready. ${largest.sentence}${more}`,
  };
}

function degradedReason(facts: FarmFacts): string {
  const { workersOnline: online, workersOffline: offline, recentMaxOnline: before } = facts;
  const { recentlySucceeded: succeeded, recentlyFailed: failed } = facts;
  // Workers that were disabled or deleted do not count.
  const lost = Math.min(before - online, offline);
  if (before > 0 && lost / before > MAX_OFFLINE_SHARE) {
    return `${numberText(lost)} of ${counted(before, 'worker')} went offline in the last half hour.`;
  }
  if (failed >= MIN_FAILURES && failed > succeeded) {
    return `${numberText(failed)} of the last ${counted(failed + succeeded, 'task')} failed.`;
  }
  return '';
}

function activeReason({ tasksRunning: running, coresBooked, coresTotal }: FarmFacts): string {
  return `${counted(running, 'task')} running on ${numberText(coresBooked)} of ${counted(coresTotal, 'core')}.`;
}

function idleReason({ workersOnline: online }: FarmFacts): string {
  if (online === 0) return 'No tasks are running or waiting, and no worker is online.';
  return `No tasks are running or waiting. ${counted(online, 'worker')} ${online === 1 ? 'is' : 'are'} free.`;
}

function stateOf(reason: WaitingGroup['reason']): FarmState {
  switch (reason) {
    case 'paused_job':
    case 'paused_queue':
      return 'paused';
    case 'usage_pool':
    case 'usage_pool_missing':
      return 'blocked';
    case 'workers':
    case 'cores':
    case 'amounts':
      return 'starved';
    case 'farm_cap':
    case 'queue_cap':
    case 'owner_cap':
    case 'project_cap':
    case 'job_cap':
    case 'step_cap':
    case 'retry_after':
    case 'order':
      return 'waiting';
  }
}
