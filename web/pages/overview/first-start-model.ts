import { shellWord } from '../../parts/shell-words.ts';

/** Port of a managed bus (docs/configuration.md, `bus.addr`). */
export const MANAGED_BUS_PORT = '14222';

/** The setup steps of a farm, in their order. */
export const FIRST_STEPS = ['farm', 'queue', 'worker', 'job'] as const;
export type FirstStep = (typeof FIRST_STEPS)[number];

export interface Presence {
  readonly farms: number;
  readonly queues: number;
  /** Workers of any status: an offline worker counts as set up. */
  readonly workers: number;
  readonly jobs: number;
}

/** Returns the setup steps that are not done. */
export function missingSteps({ farms, queues, workers, jobs }: Presence): readonly FirstStep[] {
  const counts: Readonly<Record<FirstStep, number>> = {
    farm: farms,
    queue: queues,
    worker: workers,
    job: jobs,
  };
  return FIRST_STEPS.filter((step) => counts[step] === 0);
}

/** Returns the command that starts a worker. `host` is the server as the machine of the worker reaches it. */
export function workerCommand(host: string, busPort: string, farm: string | null): string {
  const parts = ['callsheet worker', `--bus-url=nats://${host}:${busPort}`];
  if (farm !== null) parts.push(`--worker-farm=${shellWord(farm)}`);
  return parts.join(' ');
}

/** Returns the command that submits a template. */
export const submitCommand = (url: string, farm: string, queue: string): string =>
  `callsheet submit template.yaml --farm ${shellWord(farm)} --queue ${shellWord(queue)} --url ${url} --watch`;
