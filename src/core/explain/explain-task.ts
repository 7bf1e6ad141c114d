import type { LeaseExplanation } from '../lease/explanation.ts';
import { isLiveTask, isTerminalTask } from '../lifecycle/task-transitions.ts';
import {
  amountsGates,
  coresGates,
  farmCapGates,
  orderGates,
  poolGates,
  queueCapGates,
} from './capacity-gates.ts';
import {
  canaryGates,
  heldStepGates,
  jobGates,
  pausedJobGates,
  pausedQueueGates,
  retryGates,
  startGates,
} from './hold-gates.ts';
import { liveSummary, terminalSummary } from './outcome.ts';
import { shareText } from './share-text.ts';
import { groupCapGates } from './group-cap-gates.ts';
import { jobCapGates, stepCapGates } from './own-cap-gates.ts';
import { outageGates } from './outage-gate.ts';
import { quarantineGates } from './quarantine-gate.ts';
import type { TaskFacts } from './task-facts.ts';
import type { Gate, SchedulerGate, TaskExplanation } from './task-explanation.ts';
import { preemptionReason } from '../records/preemption.ts';
import { upstreamJobGates, upstreamStepGates } from './upstream-gates.ts';
import { sentenceOf } from './wording.ts';
import { waitingSummary } from './waiting-summary.ts';
import { workersGates, workersOutlook } from './worker-gate.ts';

/**
 * Explains the status of a task, in the vocabulary of the contract and in plain sentences. Lists every gate that holds
 * the task. The gates that change all the time (caps, slots, free cores) are left out for a pending task, because it
 * cannot start yet.
 */
export function explainTask(facts: TaskFacts): TaskExplanation {
  const { status } = facts.task;
  if (isLiveTask(status)) return settled(liveSummary(facts, status));
  if (isTerminalTask(status)) return settled(terminalSummary(facts, status));
  const { lease } = facts;
  const isCandidate = status === 'ready' && lease?.isOffered === true && lease.workers.eligible > 0;
  const gates = gatesOf(facts, lease, status, isCandidate);
  const share = isCandidate ? lease.share : undefined;
  return {
    summary: waitingSummary(facts, gates),
    gates,
    position:
      isCandidate && lease.before.isWithheld !== true
        ? { tasks: lease.before.tasks, jobs: lease.before.jobs }
        : null,
    ...(share !== undefined && {
      share: { ...share, sentence: sentenceOf(shareText(share, facts.names)) },
    }),
    workers: lease === null ? null : workersOutlook(lease, facts.names),
  };
}

const settled = (summary: string): TaskExplanation => ({ summary, gates: [], position: null, workers: null });

/** Returns the gates in the order of GATES. */
function gatesOf(
  facts: TaskFacts,
  lease: LeaseExplanation | null,
  status: 'pending' | 'ready',
  isCandidate: boolean,
): Gate[] {
  const isReady = status === 'ready';
  const gates: Gate[] = [
    ...jobGates(facts),
    ...(isReady ? [] : upstreamJobGates(facts)),
    ...(isReady ? [] : upstreamStepGates(facts)),
    ...pausedJobGates(facts),
    ...startGates(facts),
    ...heldStepGates(facts),
    ...canaryGates(facts),
    ...pausedQueueGates(facts),
    ...(isReady ? retryGates(facts) : []),
    ...(isReady && lease !== null ? farmCapGates(facts, lease) : []),
    ...(isReady && lease !== null ? queueCapGates(facts, lease) : []),
    ...(isReady && lease !== null ? groupCapGates(facts, lease) : []),
    ...(isReady && lease !== null ? jobCapGates(facts, lease) : []),
    ...(isReady && lease !== null ? stepCapGates(facts, lease) : []),
    ...(lease === null ? [] : poolGates(facts, lease)),
    ...(lease === null ? [] : outageGates(facts, lease)),
    ...(lease === null ? [] : workersGates(facts, lease)),
    ...(isReady && lease !== null ? quarantineGates(facts, lease) : []),
    ...(isReady && lease !== null ? coresGates(facts, lease) : []),
    ...(isReady && lease !== null ? amountsGates(lease) : []),
    ...(isCandidate && lease !== null ? orderGates(facts, lease) : []),
  ];
  return isReady ? [...gates, ...schedulerGates(lease, gates)] : [...gates, ...exitGates(facts)];
}

/** Returns the gate of a retried task, or of one that was taken back, whose canceled attempt may still run. */
function exitGates({ task, attempt, names }: TaskFacts): SchedulerGate[] {
  if (!task.exiting) return [];
  const worker = attempt === null ? 'its worker' : names.worker(attempt.workerId);
  return [
    {
      gate: 'scheduler',
      reason: 'canceled attempt not ended',
      sentence: sentenceOf(
        attempt?.preemption === undefined
          ? `waits until ${worker} has confirmed that the canceled attempt has ended`
          : `waits until ${worker} has confirmed that its attempt has ended, which was ${preemptionReason(attempt.preemption)}`,
      ),
    },
  ];
}

/** Returns the gate of a ready task if the scheduler does not answer, or reports nothing that holds the task. */
function schedulerGates(lease: LeaseExplanation | null, gates: readonly Gate[]): SchedulerGate[] {
  if (lease === null) {
    return [
      {
        gate: 'scheduler',
        reason: 'scheduler not answering',
        sentence:
          'The scheduler does not answer: the workers that can run the task are unknown at the moment.',
      },
    ];
  }
  if (lease.isOffered || gates.length > 0) return [];
  return [
    {
      gate: 'scheduler',
      reason: 'not among the candidates',
      sentence: 'The scheduler is queueing or assigning the task right now. Check again in a moment.',
    },
  ];
}
