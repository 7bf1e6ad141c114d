import {
  fieldType,
  MAX_NOTIFY_SECONDS,
  MAX_TIMEOUT_SECONDS,
  modeOfValue,
  secondsOfValue,
  type CancelationMode,
} from '../action-fields.ts';
import { isFormatString, textAt, type Located } from '../located.ts';
import type { CancelationPlan } from '../plan.ts';
import { integerOf } from '../../primitives/numbers.ts';
import type { ActionShape, CancelationShape } from '../shape/template-shape.ts';
import type { CreationValues } from './creation-values.ts';

/**
 * Resolves the timeouts and cancelations of checked actions, which can be format strings (specification, sections 5 and 5.3).
 * Reports values that are not valid. A field whose value is not known yet counts as absent.
 */
export class ActionValues {
  readonly #creation: CreationValues;

  constructor(creation: CreationValues) {
    this.#creation = creation;
  }

  /** Resolves all fields of an action only for what they report. */
  check(action: ActionShape): void {
    this.timeout(action);
    this.cancelation(action.cancelation, 1);
  }

  /** Returns the seconds of the timeout; undefined for none. */
  timeout({ timeout }: ActionShape): number | undefined {
    return this.#seconds(timeout, 'timeout');
  }

  /** Returns the method of cancelation, with the default of its period; undefined for none. */
  cancelation(shape: CancelationShape | undefined, defaultPeriod: number): CancelationPlan | undefined {
    if (shape === undefined) return undefined;
    const mode = this.#mode(shape);
    const period = this.#seconds(shape.notifyPeriod, 'notifyPeriod');
    if (mode === 'NOTIFY_THEN_TERMINATE') return { mode, notifyPeriodSeconds: period ?? defaultPeriod };
    if (mode === 'TERMINATE' && period !== undefined && shape.notifyPeriod !== undefined)
      this.#creation.report(
        shape.notifyPeriod,
        'is for NOTIFY_THEN_TERMINATE only, and the mode resolves to TERMINATE',
      );
    return mode === undefined ? undefined : { mode };
  }

  #mode({ mode }: CancelationShape): CancelationMode | undefined {
    if (mode === undefined) return undefined;
    const value = isFormatString(mode.at) ? this.#creation.resolve(mode, fieldType('mode')) : mode.value;
    if (value === undefined) return undefined;
    const resolved = modeOfValue(value);
    if (resolved.ok) return resolved.value ?? undefined;
    this.#creation.report(mode.at, resolved.detail);
    return undefined;
  }

  #seconds(at: Located | undefined, field: 'timeout' | 'notifyPeriod'): number | undefined {
    if (at === undefined) return undefined;
    const text = textAt(at);
    if (text === undefined || !isFormatString(at)) {
      // Literal numbers were checked before.
      const literal = integerOf(at.node);
      return typeof literal === 'string' ? undefined : Number(literal);
    }
    const value = this.#creation.resolve(text, fieldType(field));
    if (value === undefined) return undefined;
    const resolved = secondsOfValue(value, field === 'timeout' ? MAX_TIMEOUT_SECONDS : MAX_NOTIFY_SECONDS);
    if (resolved.ok) return resolved.value ?? undefined;
    this.#creation.report(at, resolved.detail);
    return undefined;
  }
}
