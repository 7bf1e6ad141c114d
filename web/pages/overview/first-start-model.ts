import { shellWord } from '../../parts/shell-words.ts';

/** What a farm needs before a job can run, in the order in which it is made. */
export const FIRST_STEPS = ['farm', 'queue', 'worker', 'job'] as const;
export type FirstStep = (typeof FIRST_STEPS)[number];

export interface Presence {
  readonly farms: number;
  readonly queues: number;
  /** Online or not: a worker that is off now was set up. */
  readonly workers: number;
  readonly jobs: number;
}

/** What is missing; empty when the farm has been at work. */
export function missingSteps({ farms, queues, workers, jobs }: Presence): readonly FirstStep[] {
  const counts: Readonly<Record<FirstStep, number>> = {
    farm: farms,
    queue: queues,
    worker: workers,
    job: jobs,
  };
  return FIRST_STEPS.filter((step) => counts[step] === 0);
}

/** The command that starts a worker on a machine that reaches the service under `host`. */
export function workerCommand(host: string, busPort: string, farm: string | null): string {
  const parts = ['callsheet worker', `--bus-url=nats://${host}:${busPort}`];
  if (farm !== null) parts.push(`--worker-farm=${shellWord(farm)}`);
  return parts.join(' ');
}

/** The command that submits a template. */
export const submitCommand = (url: string, farm: string, queue: string): string =>
  `callsheet submit template.yaml --farm ${shellWord(farm)} --queue ${shellWord(queue)} --url ${url} --watch`;
