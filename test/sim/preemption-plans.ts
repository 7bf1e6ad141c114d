import type { QueueInput } from '../../actors/service/farm/messages.ts';

/** Preemption of queues, chosen by number: it draws nothing, so that seeds without it stay the same. */

type Plan = Pick<QueueInput, 'preemptAfterSeconds' | 'preemptible'>;

const PLANS: readonly Plan[] = [
  { preemptAfterSeconds: 2, preemptible: false },
  { preemptAfterSeconds: null, preemptible: true },
  { preemptAfterSeconds: 8, preemptible: true },
  { preemptAfterSeconds: null, preemptible: true },
  { preemptAfterSeconds: null, preemptible: false },
];

export const preemptionOfQueue = (number: number): Plan => PLANS[number % PLANS.length] ?? {};
