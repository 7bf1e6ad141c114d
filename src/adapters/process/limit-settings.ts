import type { ResourceRequest } from '../../core/ports/task-processes.ts';

/** Limits of sessions, from `isolation.*`. */
export interface LimitSettings {
  /** `auto`: what the machine supports. `required`: a task fails where a limit cannot be set. */
  readonly mode: 'auto' | 'off' | 'required';
  /** Memory limit in multiples of the request; 0 sets none. */
  readonly memoryFactor: number;
  /** 0: none. */
  readonly pidsMax: number;
  /** Limits the CPU time to the cores of the task. */
  readonly wholeCores: boolean;
}

/** Neither limits nor counters. */
export const NO_LIMITS: LimitSettings = { mode: 'off', memoryFactor: 0, pidsMax: 0, wholeCores: false };

/** Limits of one session. Null: none. */
export interface SessionLimits {
  readonly memoryMib: number | null;
  readonly pids: number | null;
  /** Weight relative to one core. Null: unknown cores. */
  readonly cores: number | null;
  /** Maximum CPU time, in cores. */
  readonly quotaCores: number | null;
}

/** Derives the limits of a session from what its tasks request (docs/isolation.md#limits). */
export function sessionLimits(settings: LimitSettings, request: ResourceRequest | undefined): SessionLimits {
  const { memoryFactor, pidsMax, wholeCores } = settings;
  const memoryMib = request?.memoryMib ?? null;
  const cores = request === undefined || request.cores <= 0 ? null : request.cores;
  return {
    memoryMib: memoryMib === null || memoryFactor === 0 ? null : Math.ceil(memoryMib * memoryFactor),
    pids: pidsMax === 0 ? null : pidsMax,
    cores,
    quotaCores: wholeCores ? cores : null,
  };
}
