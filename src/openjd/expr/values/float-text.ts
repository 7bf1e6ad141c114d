import type { FloatValue } from './value.ts';

/** Exponents between which a float is written in plain form, as in Python. */
const MIN_PLAIN_EXPONENT = -4;
const MAX_PLAIN_EXPONENT = 15;

const JSON_NUMBER = /^-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][-+]?[0-9]+)?$/;

/**
 * Returns the text of a float: its original text if it was not computed, else `textOfNumber` (specification "Expression
 * Language", section 1.3.4).
 */
export const textOfFloat = (float: FloatValue): string => float.text ?? textOfNumber(float.value);

/** Like `textOfFloat`, as a valid JSON number: `.5` and `1_000.0` are reformatted. */
export const jsonOfFloat = (float: FloatValue): string =>
  float.text !== null && JSON_NUMBER.test(float.text) ? float.text : textOfNumber(float.value);

/**
 * Returns the shortest decimal text that reads back as the same finite number, in Python's form: `4.0`, `1e+16`,
 * `1e-07`.
 */
export function textOfNumber(value: number): string {
  const [mantissa = '', exponent = ''] = value.toExponential().split('e');
  const power = Number(exponent);
  if (power >= MIN_PLAIN_EXPONENT && power <= MAX_PLAIN_EXPONENT) {
    const plain = String(value);
    return plain.includes('.') ? plain : `${plain}.0`;
  }
  return `${mantissa}e${power < 0 ? '-' : '+'}${String(Math.abs(power)).padStart(2, '0')}`;
}
