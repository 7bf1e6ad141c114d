import type { Call } from './call.ts';

/** Charges for the longer of two texts that a function goes through side by side. */
export const chargeLonger = (call: Call, a: string, b: string): void => {
  call.chargeText(Math.max(a.length, b.length));
};
