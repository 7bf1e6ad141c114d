import type { Position, ScalarNode } from '../../openjd/primitives/document.ts';
import { quoteForMessage } from '../../openjd/primitives/text-rules.ts';
import { Unreadable } from '../../openjd/template/read-result.ts';

const NULL = /^(?:~|null|Null|NULL)?$/;
const BOOLEAN = /^(?:true|True|TRUE|false|False|FALSE)$/;
const INTEGER = /^[-+]?[0-9]+$/;
const OCTAL = /^0o[0-7]+$/;
const HEXADECIMAL = /^0x[0-9a-fA-F]+$/;
const FLOAT = /^[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?$/;
const NOT_FINITE = /^(?:[-+]?\.(?:inf|Inf|INF)|\.(?:nan|NaN|NAN))$/;
/** Digits of a 64-bit number in base 8, with the prefix; longer ones are rejected before they are converted. */
const MAX_PREFIXED_LENGTH = 24;

/** Returns the value of an unquoted scalar in the core schema of YAML 1.2 (section 10.3.2 there). */
export function plainScalar(source: string, position: Position): ScalarNode {
  if (NULL.test(source)) return { kind: 'null', ...position };
  if (BOOLEAN.test(source)) return { kind: 'boolean', value: source.toLowerCase() === 'true', ...position };
  if (INTEGER.test(source)) return { kind: 'integer', text: source, ...position };
  if (OCTAL.test(source) || HEXADECIMAL.test(source)) {
    if (source.length > MAX_PREFIXED_LENGTH)
      throw new Unreadable(`${quoteForMessage(source)} is too large`, position);
    return { kind: 'integer', text: BigInt(source).toString(), ...position };
  }
  if (FLOAT.test(source) || NOT_FINITE.test(source)) return { kind: 'float', text: source, ...position };
  return { kind: 'string', value: source, ...position };
}
