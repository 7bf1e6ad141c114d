import type { ReplyTo } from '../../actors/kernel/address.ts';
import type { VirtualTime } from '../../actors/kernel/virtual-time.ts';
import type { ServiceEnvelope } from '../../actors/service/service-messages.ts';
import type { FarmId } from '../../src/core/ids.ts';
import type { Outcome } from '../../src/core/problems.ts';
import type { Checker } from './checker.ts';
import type { SimulationOptions } from './options.ts';
import type { Random } from './random.ts';
import type { ServiceModel } from './service-model.ts';

const RETRY_MS = 2_000;

export interface ClientWorld {
  readonly farm: FarmId;
  readonly time: VirtualTime;
  readonly random: Random;
  readonly service: ServiceModel;
  readonly checker: Checker;
  readonly options: SimulationOptions;
}

/** Sends a request once. There is no answer if the service crashes first. */
export function ask<T>(
  world: Pick<ClientWorld, 'service'>,
  envelopeFor: (to: ReplyTo<Outcome<T>>) => ServiceEnvelope,
  onOutcome: (outcome: Outcome<T>) => void,
): void {
  world.service.request(envelopeFor, onOutcome);
}

/** Repeats a request until it is answered. */
export function requestUntilAnswered<T>(
  world: Pick<ClientWorld, 'service' | 'time'>,
  envelopeFor: (to: ReplyTo<Outcome<T>>) => ServiceEnvelope,
  onOutcome: (outcome: Outcome<T>) => void,
): void {
  let isAnswered = false;
  const tryOnce = (): void => {
    if (isAnswered) return;
    ask<T>(world, envelopeFor, (outcome) => {
      if (isAnswered) return;
      isAnswered = true;
      onOutcome(outcome);
    });
    world.time.after(RETRY_MS, tryOnce);
  };
  tryOnce();
}
