import { ExprFailure } from '../expr-failure.ts';
import { boolValue, floatValue, intValue, textOf } from '../values/arguments.ts';
import { displayOf } from '../values/display.ts';
import { boolOfText, floatOfText, intOfFloat, intOfText } from '../values/number-text.ts';
import type { Value } from '../values/value.ts';
import { floatResult, overflow } from './arithmetic.ts';
import type { Call } from './call.ts';
import { alwaysFails, signature, type FunctionGroup, type Run } from './signature.ts';

const itself: Run = (_call, value) => value;

function intFromFloat(_call: Call, value: Value): Value {
  const float = floatValue(value);
  const int = intOfFloat(float.value);
  if (int !== null) return int;
  if (Number.isInteger(float.value)) throw overflow();
  throw new ExprFailure(`Cannot convert ${displayOf(value)} to int: use floor, ceil or round`);
}

function intFromText(call: Call, value: Value): Value {
  const text = textOf(value);
  call.chargeText(text.length);
  const int = intOfText(text);
  if (int === 'range') throw overflow();
  if (int === null) throw new ExprFailure(`Cannot convert '${text}' to int`);
  return int;
}

function floatFromText(call: Call, value: Value): Value {
  const text = textOf(value);
  call.chargeText(text.length);
  const float = floatOfText(text);
  if (float === null) throw new ExprFailure(`Cannot convert '${text}' to float`);
  return floatResult(float.value);
}

function boolFromText(call: Call, value: Value): Value {
  const text = textOf(value);
  call.chargeText(text.length);
  const bool = boolOfText(text);
  if (bool !== null) return bool;
  throw new ExprFailure(
    `Cannot convert '${text}' to bool. Expected one of: 1, true, on, yes, 0, false, off, no`,
  );
}

const noBool = alwaysFails(
  ([type]) => new ExprFailure(`Cannot convert ${type?.kind === 'list' ? 'list' : type?.text} to bool`),
);

const text: Run = (call, value) => {
  const shown = displayOf(value, (units) => {
    call.reserveString(units);
  });
  if (typeof value === 'object' && value?.kind === 'list') {
    call.charge(value.items.length);
    call.chargeSteps(2 * shown.length);
  } else if (typeof value === 'object' && value?.kind === 'range') call.chargeSteps(4 * shown.length);
  call.chargeText(shown.length);
  return shown;
};

/** Kinds that `string` accepts in addition to lists. */
const SCALARS = ['bool', 'int', 'float', 'string', 'path', 'range_expr', 'nulltype'];

export const GENERAL: FunctionGroup = {
  title: 'General functions',
  hostOnly: false,
  signatures: [
    signature('bool(value: bool) -> bool', 'The bool itself.', (_call, value) => boolValue(value)),
    signature('bool(value: nulltype) -> bool', 'false.', () => false),
    signature(
      'bool(value: int) -> bool',
      'True unless the value is 0.',
      (_call, value) => intValue(value) !== 0,
    ),
    signature(
      'bool(value: float) -> bool',
      'True unless the value is 0.0.',
      (_call, value) => floatValue(value).value !== 0,
    ),
    signature(
      'bool(value: string) -> bool',
      'Of `1`, `true`, `on`, `yes` and `0`, `false`, `off`, `no` in any case; an error for other text.',
      boolFromText,
    ),
    signature('bool(value: path) -> noreturn', 'An error: a path has no truth value.', ...noBool),
    signature('bool(value: list[T]) -> noreturn', 'An error: a list has no truth value.', ...noBool),
    signature('bool(value: range_expr) -> noreturn', 'An error: a range has no truth value.', ...noBool),
    ...SCALARS.map((kind) =>
      signature(`string(value: ${kind}) -> string`, 'The text of the value as in a format string.', text),
    ),
    signature('string(value: list[T]) -> string', 'The list as JSON.', text),
    signature('int(value: int) -> int', 'The int itself.', itself),
    signature('int(value: float) -> int', 'The int that it is; an error when it is not whole.', intFromFloat),
    signature('int(value: string) -> int', 'The int that the text writes in base 10.', intFromText),
    signature('float(value: int) -> float', 'The nearest float.', (_call, value) =>
      floatResult(Number(intValue(value))),
    ),
    signature('float(value: float) -> float', 'The float itself.', itself),
    signature('float(value: string) -> float', 'The float that the text writes.', floatFromText),
    signature(
      'fail(message: string) -> noreturn',
      'Ends the evaluation with the message as its error.',
      (_call, message) => {
        throw new ExprFailure(textOf(message));
      },
    ),
  ],
};
