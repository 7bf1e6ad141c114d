import type { Settings } from '../../../client/resources.ts';
import { shellWord } from '../../parts/shell-words.ts';

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

/**
 * Returns the addresses of the bus for a worker, as `bus.url` takes them. `host` is the server as the browser reaches it.
 * Returns null if the server does not show them, because they contain credentials.
 */
export function busUrlOf({ urls, port }: Settings['bus'], host: string): string | null {
  if (urls.length > 0) return urls.join(',');
  return port === undefined ? null : `nats://${host}:${port}`;
}

/** Returns the command that starts a worker. */
export function workerCommand(busUrl: string | null, farm: string | null): string {
  const parts = ['callsheet worker', `--bus-url=${busUrl === null ? 'BUS_URL' : shellWord(busUrl)}`];
  if (farm !== null) parts.push(`--worker-farm=${shellWord(farm)}`);
  return parts.join(' ');
}

/** Returns the command that submits a template. */
export const submitCommand = (url: string, farm: string, queue: string): string =>
  `callsheet submit template.yaml --farm ${shellWord(farm)} --queue ${shellWord(queue)} --url ${url} --watch`;
