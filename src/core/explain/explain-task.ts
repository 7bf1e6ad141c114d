import type { LeaseExplanation } from '../lease/explanation.ts';
import { isLiveTask, isTerminalTask } from '../lifecycle/task-transitions.ts';
import { coresGates, farmCapGates, orderGates, poolGates, queueCapGates } from './capacity-gates.ts';
import { jobGates, pausedJobGates, pausedQueueGates, retryGates } from './hold-gates.ts';
import { liveSummary, terminalSummary } from './outcome.ts';
import type { TaskFacts } from './task-facts.ts';
import type { Gate, SchedulerGate, TaskExplanation } from './task-explanation.ts';
import { upstreamJobGates, upstreamStepGates } from './upstream-gates.ts';
import { waitingSummary } from './waiting-summary.ts';
import { workersGates, workersOutlook } from './worker-gate.ts';

/**
 * Says why a task is where it is, in the vocabulary of the contract and in plain sentences. Every gate that holds is
 * listed. Of a pending task, what comes and goes (caps, slots, free cores) is left out: it is not yet its turn.
 */
export function explainTask(facts: TaskFacts): TaskExplanation {
  const { status } = facts.task;
  if (isLiveTask(status)) return settled(liveSummary(facts, status));
  if (isTerminalTask(status)) return settled(terminalSummary(facts, status));
  const { lease } = facts;
  const isCandidate = status === 'ready' && lease?.isOffered === true && lease.workers.eligible > 0;
  const gates = gatesOf(facts, lease, status, isCandidate);
  return {
    summary: waitingSummary(facts, gates),
    gates,
    position: isCandidate ? lease.before : null,
    workers: lease === null ? null : workersOutlook(lease, facts.names),
  };
}

const settled = (summary: string): TaskExplanation => ({ summary, gates: [], position: null, workers: null });

/** In the order of GATES. */
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
    ...pausedQueueGates(facts),
    ...(isReady ? retryGates(facts) : []),
    ...(isReady && lease !== null ? farmCapGates(facts, lease) : []),
    ...(isReady && lease !== null ? queueCapGates(facts, lease) : []),
    ...(lease === null ? [] : poolGates(facts, lease)),
    ...(lease === null ? [] : workersGates(facts, lease)),
    ...(isReady && lease !== null ? coresGates(facts, lease) : []),
    ...(isCandidate && lease !== null ? orderGates(lease) : []),
  ];
  return isReady ? [...gates, ...schedulerGates(lease, gates)] : gates;
}

/** A ready task of which the scheduler says nothing, or nothing that holds it. */
function schedulerGates(lease: LeaseExplanation | null, gates: readonly Gate[]): SchedulerGate[] {
  if (lease === null) {
    return [
      {
        gate: 'scheduler',
        reason: 'scheduler not answering',
        sentence: 'The scheduler does not answer: which workers may run it is not known at the moment.',
      },
    ];
  }
  if (lease.isOffered || gates.length > 0) return [];
  return [
    {
      gate: 'scheduler',
      reason: 'not among the candidates',
      sentence:
        'The scheduler is just taking it up or handing it out: it is not among the candidates at this moment.',
    },
  ];
}
