import type { WaitingGroup } from '../../../client/resources.ts';
import { counted, numberText } from '../../parts/number-text.ts';

/** How a farm is, in one word. */
export type FarmState = 'active' | 'idle' | 'starved' | 'paused' | 'blocked' | 'waiting' | 'degraded';

export interface FarmFacts {
  readonly tasksRunning: number;
  readonly coresBooked: number;
  readonly coresTotal: number;
  readonly workersOnline: number;
  readonly workersOffline: number;
  /** The most that were online lately. */
  readonly workersOnlineBefore: number;
  /** Tasks that ended lately. */
  readonly succeededLately: number;
  readonly failedLately: number;
  /** What waits, the heaviest first. */
  readonly waiting: readonly Pick<WaitingGroup, 'reason' | 'sentence' | 'tasks'>[];
}

export interface FarmStatus {
  readonly state: FarmState;
  readonly reason: string;
}

/** A farm that has lost more than this share of its workers is not well. */
const LOST_SHARE = 0.25;
/** So many failures are no accident. */
const FAILURES_MIN = 5;

/** The state of a farm and why it is said to be so. Trouble comes before work, and work before what waits. */
export function farmStatus(facts: FarmFacts): FarmStatus {
  const trouble = troubleOf(facts);
  if (trouble !== '') return { state: 'degraded', reason: trouble };
  const { tasksRunning: running, waiting } = facts;
  if (running > 0) return { state: 'active', reason: activeReason(facts) };
  const tasks = waiting.reduce((sum, group) => sum + group.tasks, 0);
  const [heaviest] = waiting;
  if (heaviest === undefined || tasks === 0) return { state: 'idle', reason: idleReason(facts) };
  if (facts.workersOnline === 0) {
    return { state: 'starved', reason: `${counted(tasks, 'task')} ready, and no worker is online.` };
  }
  const others = waiting.length - 1;
  const more = others === 0 ? '' : ` And ${counted(others, 'other reason')}.`;
  return {
    state: stateOf(heaviest.reason),
    reason: `${counted(heaviest.tasks, 'task')} ready. ${heaviest.sentence}${more}`,
  };
}

function troubleOf(facts: FarmFacts): string {
  const { workersOnline: online, workersOffline: offline, workersOnlineBefore: before } = facts;
  const { succeededLately: succeeded, failedLately: failed } = facts;
  // Those that were disabled or deleted are not lost.
  const lost = Math.min(before - online, offline);
  if (before > 0 && lost / before > LOST_SHARE) {
    return `${numberText(lost)} of ${counted(before, 'worker')} went offline in the last half hour.`;
  }
  if (failed >= FAILURES_MIN && failed > succeeded) {
    return `${numberText(failed)} of the last ${counted(failed + succeeded, 'task')} failed.`;
  }
  return '';
}

function activeReason({ tasksRunning: running, coresBooked, coresTotal }: FarmFacts): string {
  const verb = running === 1 ? 'runs' : 'run';
  return `${counted(running, 'task')} ${verb} on ${numberText(coresBooked)} of ${counted(coresTotal, 'core')}.`;
}

function idleReason({ workersOnline: online }: FarmFacts): string {
  if (online === 0) return 'Nothing runs, nothing waits, and no worker is online.';
  return `Nothing runs and nothing waits: ${counted(online, 'worker')} ${online === 1 ? 'is' : 'are'} free.`;
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
      return 'starved';
    case 'farm_cap':
    case 'queue_cap':
    case 'retry_after':
    case 'order':
      return 'waiting';
  }
}
