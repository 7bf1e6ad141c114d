import type {
  Gate,
  NearestMiss,
  PlacedShare,
  WorkersOutlook,
} from '../../src/core/explain/task-explanation.ts';
import type { RejectedWorkers, ShortAmount } from '../../src/core/lease/explanation.ts';
import { appliedRuleView, poolHoldView } from './retry-rules-view.ts';
import { outageView } from './outage-view.ts';
import { doubtView } from './quarantine-view.ts';
import { timestampOf } from '../../src/core/timestamp.ts';
import type { Schemas } from './schemas.ts';

/** Returns a gate in the format of the contract, at `now`. */
export function gateView(gate: Gate, now: number): Schemas['Gate'] {
  switch (gate.gate) {
    case 'job':
    case 'upstream_step':
    case 'held_step':
    case 'canary':
    case 'paused_queue':
    case 'farm_cap':
    case 'queue_cap':
    case 'owner_cap':
    case 'project_cap':
    case 'job_cap':
    case 'step_cap':
    case 'order':
    case 'scheduler':
      return gate;
    case 'upstream_job': {
      const { job, status, progress, ...rest } = gate;
      return {
        ...rest,
        ...(job !== null && { job }),
        ...(status !== null && { status }),
        ...(progress !== null && { progress }),
      };
    }
    case 'paused_job': {
      const { parkReason, failedAttempts, ...rest } = gate;
      return {
        ...rest,
        ...(parkReason !== null && { park_reason: parkReason }),
        failed_attempts: failedAttempts,
      };
    }
    case 'start_after':
      return { ...gate, until: timestampOf(gate.until) };
    case 'retry_after': {
      const { until, failedAttempts, maxAttempts, rule, ...rest } = gate;
      return {
        ...rest,
        until: timestampOf(until),
        failed_attempts: failedAttempts,
        max_attempts: maxAttempts,
        ...(rule !== undefined && { retry_rule: appliedRuleView(rule) }),
      };
    }
    case 'usage_pool': {
      const { isRegistered, hold, measured, ...rest } = gate;
      return {
        ...rest,
        registered: isRegistered,
        ...(hold !== undefined && { hold: poolHoldView(hold) }),
        ...(measured !== undefined && {
          max_concurrent: measured.maxConcurrent,
          measured_at: timestampOf(measured.at),
        }),
      };
    }
    case 'workers': {
      const { nearestMiss, rejected, ...rest } = gate;
      return {
        ...rest,
        rejected: rejected.map(rejectedView),
        ...(nearestMiss !== null && { nearest_miss: nearestMissView(nearestMiss) }),
      };
    }
    case 'outage': {
      const { outages, ...rest } = gate;
      return { ...rest, outages: outages.map((outage) => outageView(outage, now)) };
    }
    case 'quarantine': {
      const { doubted, ...rest } = gate;
      return {
        ...rest,
        doubted: doubted.map(({ worker, isWhole, ...doubt }) => ({
          worker_id: worker.id,
          worker: worker.name,
          whole: isWhole,
          ...doubtView(doubt),
        })),
      };
    }
    case 'amounts': {
      const { short, policyVersion, ...rest } = gate;
      return { ...rest, short: short.map(shortAmountView), policy_version: policyVersion };
    }
    case 'cores': {
      const { cores, ...rest } = gate;
      return { ...rest, ...(cores !== null && { cores }) };
    }
  }
}

/** Returns how the queue policy of the farm places a task, in the format of the contract. */
export const shareView = ({
  sentence,
  kind,
  sharedBy,
  sharer,
  cores,
  ratio,
  ahead,
  version,
}: PlacedShare): Schemas['QueueShare'] => ({
  sentence,
  queue_policy: kind,
  shared_by: sharedBy,
  sharer,
  ...(cores !== null && { cores_in_use: cores }),
  ...(ratio !== null && { share_ratio: ratio }),
  ahead,
  queue_policy_version: version,
});

const shortAmountView = ({ name, needed, mostFree, workers }: ShortAmount): Schemas['ShortAmount'] => ({
  amount: name,
  needed,
  most_free: mostFree,
  workers,
});

export function nearestMissView({
  worker,
  reason,
  requirement,
  wanted,
  offered,
}: NearestMiss): Schemas['NearestMiss'] {
  return {
    worker_id: worker.id,
    worker: worker.name,
    reason,
    requirement,
    wanted,
    ...(offered !== null && { offered }),
  };
}

export const rejectedView = (rejected: RejectedWorkers): Schemas['RejectedWorkers'] => ({
  reason: rejected.reason,
  ...('requirement' in rejected && { requirement: rejected.requirement }),
  workers: rejected.workers,
});

/** Returns which workers can run a task, in the format of the contract. */
export function workersOutlookView(outlook: WorkersOutlook): Schemas['WorkersOutlook'] {
  const { withRoom, rejected, reserved, ...rest } = outlook;
  return {
    ...rest,
    with_room: withRoom,
    rejected: rejected.map(rejectedView),
    ...(reserved !== null && { reserved }),
  };
}
