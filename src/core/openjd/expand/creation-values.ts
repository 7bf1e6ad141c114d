import type { Findings } from '../findings.ts';
import { parseFormatString, resolveFormatString } from '../format-string.ts';
import type { Text } from '../located.ts';
import { rowOf } from '../parameter-types.ts';
import type { ParameterValue } from '../plan.ts';

/** Resolves the format strings of job creation: `Param.*` of every type but those of paths, and `RawParam.*`. */
export class CreationValues {
  readonly #findings: Findings;
  readonly #symbols = new Map<string, string>();

  constructor(findings: Findings, parameters: ReadonlyMap<string, ParameterValue>) {
    this.#findings = findings;
    for (const [name, { type, value }] of parameters) {
      this.#symbols.set(`RawParam.${name}`, value);
      if (!rowOf(type).isPath) this.#symbols.set(`Param.${name}`, value);
    }
  }

  /** The resolved text; undefined when it was reported. */
  resolve(text: Text): string | undefined {
    const parsed = parseFormatString(text.value);
    if (!parsed.ok) {
      this.#findings.add(text.at, parsed.detail);
      return undefined;
    }
    const resolved = resolveFormatString(parsed.value, (symbol) => this.#symbols.get(symbol));
    if (resolved.ok) return resolved.text;
    this.#findings.add(text.at, `${resolved.unknown} has no value`);
    return undefined;
  }
}
