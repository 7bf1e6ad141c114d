import { readDocument } from '../../src/adapters/yaml/read-document.ts';
import type { FileStyle } from '../../src/openjd/expr/paths/parsed-path.ts';
import { STRING, type ExprType } from '../../src/openjd/expr/type-system/expr-type.ts';
import { parseType } from '../../src/openjd/expr/type-system/type-text.ts';
import { readValue } from '../../src/openjd/expr/values/read-value.ts';
import type { Value } from '../../src/openjd/expr/values/value.ts';
import { CommandError, EXIT } from '../terminal/exit-codes.ts';
import { jsonOf } from './eval-request.ts';

const NAME = /^[A-Za-z_][A-Za-z0-9_]*(?:\.[A-Za-z_][A-Za-z0-9_]*)*$/;

/**
 * Parses the symbols of `-v NAME:TYPE=VALUE`. Without `:TYPE` the value is a string; a list is JSON; a type alone,
 * `NAME:unresolved[int]`, is an unknown value. Throws a CommandError for invalid input.
 */
export function symbolsOf(given: readonly string[], style: FileStyle): ReadonlyMap<string, Value> {
  const symbols = new Map<string, Value>();
  for (const option of given) {
    const equals = option.indexOf('=');
    const declared = equals === -1 ? option : option.slice(0, equals);
    const text = equals === -1 ? null : option.slice(equals + 1);
    const colon = declared.indexOf(':');
    const name = colon === -1 ? declared : declared.slice(0, colon);
    const type = colon === -1 ? STRING : typeNamed(declared.slice(colon + 1));
    if (!NAME.test(name)) throw wrong(option, 'NAME must be a name, or several with dots between them');
    if (symbols.has(name)) throw wrong(option, `${name} is given twice`);
    if (type === null) throw wrong(option, `there is no type ${declared.slice(colon + 1)}`);
    symbols.set(name, valueOf(type, text, style, option));
  }
  return symbols;
}

/** Returns a type of the language, or of parameters as templates write them: `INT`, `List[Int]`. */
const typeNamed = (text: string): ExprType | null => parseType(text) ?? parseType(text.toLowerCase());

function valueOf(type: ExprType, text: string | null, style: FileStyle, option: string): Value {
  if (text === null && type.kind !== 'unresolved') throw wrong(option, 'there is no =VALUE');
  const read = readValue(type, text === null ? null : jsonFor(type, text, option), style);
  if (!read.ok) throw wrong(option, read.detail);
  return read.value;
}

function jsonFor(type: ExprType, text: string, option: string): unknown {
  if (type.kind !== 'list' && type.kind !== 'nulltype') return text;
  const read = readDocument(text, 'json');
  if (read.ok) return jsonOf(read.document);
  throw wrong(option, `a value of ${type.text} is JSON`);
}

const wrong = (option: string, reason: string): CommandError =>
  new CommandError(EXIT.usage, `-v ${option}: ${reason}`);
