import type { FarmInput } from '../../actors/service/catalog/messages.ts';
import type { SimulationOptions } from './options.ts';

type Guards = Pick<SimulationOptions, 'quarantine' | 'canaries' | 'outages'>;

/** Returns the settings against common causes in the given version of the settings of a farm. Draws nothing. */
export function guardsOf({ quarantine, outages }: Guards, version: number): Partial<FarmInput> {
  const isOff = version % 5 === 4;
  return {
    ...(quarantine && { quarantine: !isOff }),
    ...(outages && {
      outages: { isOn: !isOff, jobs: 2, workers: 2, windowSeconds: 60, holdSeconds: 2 + (version % 3) * 4 },
    }),
  };
}

/** Returns whether canary tasks are tried first, as a setting of a farm, queue or job with this number. */
export const canariesOf = ({ canaries }: Guards, number: number): { readonly canaryTasks?: boolean } =>
  canaries && number % 3 !== 2 ? { canaryTasks: true } : {};
