import { customAmountWrong } from '../../openjd/template/capabilities.ts';
import { WIRE_LIMITS } from '../wire/limits.ts';
import { right, shown, wrong, type Parsed, type ValueType } from './value-type.ts';

/** Returns the type of amounts of a worker: `name=number,...` as text, a map of numbers in the file. */
export function amounts(): ValueType<Readonly<Record<string, number>>> {
  const collected = (
    entries: readonly (readonly [string, unknown])[],
  ): Parsed<Readonly<Record<string, number>>> => {
    const found = new Map<string, number>();
    for (const [given, value] of entries) {
      const name = given.toLowerCase();
      const fault = customAmountWrong(name);
      if (fault !== null) return wrong(`the amount ${shown(given)} ${fault}`);
      const amount = typeof value === 'string' && value.trim() !== '' ? Number(value) : value;
      if (typeof amount !== 'number' || !(amount >= 0 && amount <= WIRE_LIMITS.amount))
        return wrong(
          `the amount ${name} must be a number from 0 to ${WIRE_LIMITS.amount}, got ${shown(value)}`,
        );
      if (found.has(name)) return wrong(`contains the amount ${name} twice`);
      found.set(name, amount);
    }
    return right(Object.fromEntries(found));
  };
  const fromText = (value: string): Parsed<Readonly<Record<string, number>>> => {
    if (value.trim() === '') return right({});
    const entries: (readonly [string, string])[] = [];
    for (const part of value.split(',').map((one) => one.trim())) {
      const equals = part.indexOf('=');
      if (equals < 1) return wrong(`must be name=number,..., got ${shown(part)}`);
      entries.push([part.slice(0, equals), part.slice(equals + 1)]);
    }
    return collected(entries);
  };
  return {
    label: 'name=number,...',
    fromText,
    fromDocument: (value) => {
      if (typeof value === 'string') return fromText(value);
      return typeof value === 'object' && value !== null && !Array.isArray(value)
        ? collected(Object.entries(value))
        : wrong(`must be a map of numbers or name=number,..., got ${shown(value)}`);
    },
  };
}
