import type { Findings } from './findings.ts';
import { parseFormatString, type FormatString } from './format-string.ts';
import type { Text } from './located.ts';
import { suggestion } from './nearest.ts';
import { rowOf } from './parameter-types.ts';
import type { ParameterShape, StepShape } from './shape/template-shape.ts';
import { shown } from './text-rules.ts';

/** The values that a format string may refer to (specification, section 7.3.1). */
export interface Scope {
  readonly symbols: ReadonlySet<string>;
  /** Symbols that exist and may not be used here, and why. */
  readonly elsewhere: ReadonlyMap<string, string>;
}

const SESSION_SYMBOLS: readonly string[] = [
  'Session.WorkingDirectory',
  'Session.PathMappingRulesFile',
  'Session.HasPathMappingRules',
];

/** The scopes that all steps and environments of a template share. */
interface JobScopes {
  /** Fields that are resolved when the job is created. */
  readonly creation: Scope;
  /** Fields that are resolved on the worker. */
  readonly host: Scope;
}

export function jobScopes(parameters: readonly ParameterShape[]): JobScopes {
  const creation = new Set<string>();
  const host = new Set<string>(SESSION_SYMBOLS);
  const elsewhere = new Map<string, string>();
  for (const symbol of SESSION_SYMBOLS) elsewhere.set(symbol, 'it is known on the worker only');
  for (const { name, type } of parameters) {
    if (name === undefined) continue;
    for (const symbol of [`Param.${name.value}`, `RawParam.${name.value}`]) host.add(symbol);
    creation.add(`RawParam.${name.value}`);
    if (type !== undefined && rowOf(type).isPath) {
      elsewhere.set(
        `Param.${name.value}`,
        `a ${type} is mapped on the worker; use RawParam.${name.value} here`,
      );
    } else creation.add(`Param.${name.value}`);
  }
  return { creation: { symbols: creation, elsewhere }, host: { symbols: host, elsewhere: new Map() } };
}

/** The scope of an environment's actions, files and variables. */
export function environmentScope(host: Scope, files: readonly { readonly name: Text | undefined }[]): Scope {
  return {
    symbols: new Set([...host.symbols, ...fileSymbols('Env.File', files)]),
    elsewhere: host.elsewhere,
  };
}

/** The scope of a step's script. */
export function stepScope(host: Scope, step: StepShape, extensions: ReadonlySet<string>): Scope {
  const symbols = new Set([...host.symbols, ...fileSymbols('Task.File', step.embeddedFiles)]);
  const elsewhere = new Map<string, string>();
  for (const { name, type } of step.space?.parameters ?? []) {
    if (name === undefined) continue;
    symbols.add(`Task.Param.${name.value}`);
    symbols.add(`Task.RawParam.${name.value}`);
    if (type !== 'CHUNK[INT]') continue;
    for (const bound of ['Start', 'End']) {
      const symbol = `Task.Param.${name.value}.${bound}`;
      if (extensions.has('SVC_CHUNK_BOUNDS')) symbols.add(symbol);
      else elsewhere.set(symbol, 'it requires the extension SVC_CHUNK_BOUNDS');
    }
  }
  return { symbols, elsewhere };
}

function* fileSymbols(
  prefix: string,
  files: readonly { readonly name: Text | undefined }[],
): Generator<string> {
  for (const { name } of files) if (name !== undefined) yield `${prefix}.${name.value}`;
}

/** Why a symbol that exists nowhere in the scope may be meant, by how it begins. */
const HINTS: readonly (readonly [prefix: string, hint: string])[] = [
  ['Job.Name', 'it requires the extension EXPR'],
  ['Step.Name', 'it requires the extension EXPR'],
  ['Session.', 'it is known on the worker only'],
  ['Task.', "it is known in a step's script only"],
  ['Env.', "it is known in an environment's script only"],
];

/** More unknown values than this in one template get no suggestion: looking for one costs. */
const MAX_SUGGESTIONS = 50;

/** Checks format strings against their scopes: one finding a string, the first. */
export class FormatStringChecker {
  readonly #findings: Findings;
  #suggestions = 0;

  constructor(findings: Findings) {
    this.#findings = findings;
  }

  /** The parsed string, or undefined when it was reported. */
  check(text: Text | undefined, scope: Scope): FormatString | undefined {
    if (text === undefined) return undefined;
    const parsed = parseFormatString(text.value);
    if (!parsed.ok) {
      this.#findings.add(text.at, parsed.detail);
      return undefined;
    }
    for (const part of parsed.value.parts) {
      if (part.kind === 'reference' && !scope.symbols.has(part.symbol)) {
        this.#findings.add(text.at, this.#unknown(part.symbol, scope));
        return undefined;
      }
    }
    return parsed.value;
  }

  #unknown(symbol: string, scope: Scope): string {
    const reason = scope.elsewhere.get(symbol);
    if (reason !== undefined) return `${shown(symbol)} cannot be used here: ${reason}`;
    const near = ++this.#suggestions <= MAX_SUGGESTIONS ? suggestion(symbol, scope.symbols) : '';
    const hint = near === '' ? HINTS.find(([prefix]) => symbol.startsWith(prefix))?.[1] : undefined;
    return `unknown value ${shown(symbol)}${near}${hint === undefined ? '' : `: ${hint}`}`;
  }
}
