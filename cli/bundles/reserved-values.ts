import { CommandError, EXIT } from '../terminal/exit-codes.ts';

/** A value of `parameter_values`. */
export interface BundleValue {
  readonly name: string;
  readonly value: string;
}

/** Settings of a job that `parameter_values` contains under reserved names; undefined if it does not. */
export interface ReservedSettings {
  readonly priority: number | undefined;
  readonly paused: boolean | undefined;
  readonly maxAttempts: number | undefined;
  readonly failureLimit: number | undefined;
}

const RESERVED = 'deadline:';

/** Reports whether a name is reserved for settings: names of job parameters have no colon. */
export const isReserved = (name: string): boolean => name.includes(':');

/**
 * Returns the settings under reserved names, and a sentence about each ignored one.
 *
 * @throws CommandError if a setting is not a whole number.
 */
export function readReservedValues(
  values: readonly BundleValue[],
): ReservedSettings & { readonly notes: readonly string[] } {
  const reserved = new Map(values.map(({ name, value }) => [name, value]));
  const take = (name: string): string | undefined => {
    const value = reserved.get(`${RESERVED}${name}`);
    reserved.delete(`${RESERVED}${name}`);
    return value;
  };
  const takeWhole = (name: string): number | undefined => {
    const value = take(name);
    if (value === undefined) return undefined;
    if (!/^-?[0-9]{1,9}$/.test(value))
      throw new CommandError(
        EXIT.usage,
        `${RESERVED}${name}: must be a whole number, got ${JSON.stringify(value)}`,
      );
    return Number(value);
  };
  const priority = takeWhole('priority');
  const retries = takeWhole('maxRetriesPerTask');
  const failures = takeWhole('maxFailedTasksCount');
  const status = take('targetTaskRunStatus');
  return {
    priority,
    paused: status === undefined ? undefined : status === 'SUSPENDED',
    maxAttempts: retries === undefined ? undefined : retries + 1,
    // 0 is the first failure there, and no limit here.
    failureLimit: failures === undefined ? undefined : Math.max(failures, 1),
    notes: [...reserved.keys()].map((name) => `the value of ${name} is ignored`),
  };
}

/** Returns the values under reserved names that have these settings: the inverse of `readReservedValues`. */
export function reservedValues({
  priority,
  paused,
  maxAttempts,
  failureLimit,
}: ReservedSettings): readonly { readonly name: string; readonly value: string | number }[] {
  return [
    ...(paused === undefined ? [] : [{ name: 'targetTaskRunStatus', value: paused ? 'SUSPENDED' : 'READY' }]),
    ...(failureLimit === undefined || failureLimit === 0
      ? []
      : [{ name: 'maxFailedTasksCount', value: failureLimit }]),
    ...(maxAttempts === undefined ? [] : [{ name: 'maxRetriesPerTask', value: maxAttempts - 1 }]),
    ...(priority === undefined ? [] : [{ name: 'priority', value: priority }]),
  ].map(({ name, value }) => ({ name: `${RESERVED}${name}`, value }));
}
