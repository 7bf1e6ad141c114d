import { listValue } from '../values/arguments.ts';
import type { BeforeGrowth } from '../values/display.ts';
import type { Value } from '../values/value.ts';
import type { Call } from './call.ts';
import { chargeCharacters } from './charges.ts';
import { jsonRepr } from './repr-json.ts';
import { pythonRepr } from './repr-python.ts';
import { cmdWord, pwshLiteral, shWord, wordsOf } from './repr-shells.ts';
import { signature, type FunctionGroup, type Signature } from './signature.ts';

type Write = (value: Value, grow: BeforeGrowth) => string;

/** Steps per character that is read, and per character that is written. */
const STEPS = 4;

/** Charges the elements of lists and the texts of a value. */
function chargeFor(call: Call, value: Value): void {
  if (typeof value === 'string') chargeCharacters(call, value, STEPS);
  else if (typeof value === 'object' && value !== null) {
    if (value.kind === 'path') chargeCharacters(call, value.text, STEPS);
    else if (value.kind === 'range') call.charge(value.runs.length);
    else if (value.kind === 'list') {
      call.chargeEach(value.items.length);
      for (const item of value.items) chargeFor(call, item);
    }
  }
}

/** Returns one form of a function that formats a value; the text is bounded while it is built. */
const writing = (text: string, doc: string, write: Write): Signature =>
  signature(text, doc, (call, value) => {
    chargeFor(call, value);
    let done = 0;
    return write(value, (units) => {
      call.reserveString(units);
      if (units <= done) return;
      call.chargeSteps((units - done) * STEPS);
      done = units;
    });
  });

const words =
  (word: Write): Write =>
  (value, grow) =>
    wordsOf(listValue(value), word, grow);

/** Specification "Expression Language", section 2.2.6, with RFC 0006 on cmd.exe. */
export const REPRESENTATION: FunctionGroup = {
  title: 'Script embedding and serialization',
  hostOnly: false,
  signatures: [
    writing('repr_sh(s: string) -> string', 'Quotes a string for POSIX shells.', shWord),
    writing('repr_sh(p: path) -> string', 'Quotes a path for POSIX shells.', shWord),
    writing(
      'repr_sh(args: list[string]) -> string',
      'Quotes each string for POSIX shells, with blanks between them.',
      words(shWord),
    ),
    writing(
      'repr_sh(args: list[path]) -> string',
      'Quotes each path for POSIX shells, with blanks between them.',
      words(shWord),
    ),
    writing('repr_cmd(s: string) -> string', 'Escapes a string for batch files of cmd.exe.', cmdWord),
    writing('repr_cmd(p: path) -> string', 'Escapes a path for batch files of cmd.exe.', cmdWord),
    writing(
      'repr_cmd(args: list[string]) -> string',
      'Escapes each string for batch files of cmd.exe, with blanks between them.',
      words(cmdWord),
    ),
    writing(
      'repr_cmd(args: list[path]) -> string',
      'Escapes each path for batch files of cmd.exe, with blanks between them.',
      words(cmdWord),
    ),
    writing('repr_pwsh(s: string) -> string', 'A string literal of PowerShell.', pwshLiteral),
    writing('repr_pwsh(n: int) -> string', 'An integer literal of PowerShell.', pwshLiteral),
    writing('repr_pwsh(f: float) -> string', 'A float literal of PowerShell.', pwshLiteral),
    writing('repr_pwsh(b: bool) -> string', '`$true` or `$false`.', pwshLiteral),
    writing('repr_pwsh(p: path) -> string', 'A path as a string literal of PowerShell.', pwshLiteral),
    writing(
      'repr_pwsh(r: range_expr) -> string',
      'The canonical text of a range as a string literal of PowerShell.',
      pwshLiteral,
    ),
    writing('repr_pwsh(args: list[T]) -> string', 'An array of PowerShell: `@(...)`.', pwshLiteral),
    writing('repr_py(value: nulltype) -> string', '`None`.', pythonRepr),
    writing(
      'repr_py(r: range_expr) -> string',
      'The canonical text of a range as a string of Python.',
      pythonRepr,
    ),
    writing('repr_py(p: path) -> string', 'The text of a path as a string of Python.', pythonRepr),
    writing('repr_py(value: T) -> string', "The value as Python's `repr` writes it.", pythonRepr),
    writing('repr_json(value: nulltype) -> string', '`null`.', jsonRepr),
    writing(
      'repr_json(r: range_expr) -> string',
      'The canonical text of a range as a string of JSON.',
      jsonRepr,
    ),
    writing('repr_json(p: path) -> string', 'The text of a path as a string of JSON.', jsonRepr),
    writing('repr_json(value: T) -> string', 'The value as JSON in ASCII characters alone.', jsonRepr),
  ],
};
