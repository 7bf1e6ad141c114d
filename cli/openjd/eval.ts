import type { FileStyle } from '../../src/openjd/expr/paths/parsed-path.ts';
import { parseType } from '../../src/openjd/expr/type-system/type-text.ts';
import { CommandError, EXIT } from '../terminal/exit-codes.ts';
import { printableLines, processTerminal } from '../terminal/terminal.ts';
import { answerRequest } from './eval-answer.ts';
import { contextOf } from './eval-request.ts';
import { pathMappingOf } from './path-mapping-option.ts';
import { symbolsOf } from './symbol-option.ts';

export interface EvalOptions {
  readonly value: readonly string[];
  readonly format?: boolean;
  readonly targetType?: string;
  readonly pathFormat: FileStyle;
  readonly pathMappingRules?: string;
  readonly json?: boolean;
}

/**
 * `callsheet openjd eval EXPR`: prints the value of an expression as a format string shows it, null as `null`; with
 * `--json` also its type. Exits with an error if the evaluation fails.
 */
export async function evalCommandOf(expr: string, options: EvalOptions): Promise<void> {
  const terminal = processTerminal();
  const { value, format, targetType, pathFormat, pathMappingRules, json } = options;
  const target = targetType === undefined ? null : parseType(targetType);
  if (targetType !== undefined && target === null) {
    throw new CommandError(EXIT.usage, `--target-type ${targetType}: there is no such type`);
  }
  const host = pathMappingRules === undefined ? 'none' : (await pathMappingOf(pathMappingRules)).rules;
  const answer = answerRequest({
    expr,
    mode: format === true ? 'format_value' : 'evaluate',
    symbols: symbolsOf(value, pathFormat),
    target,
    context: contextOf(pathFormat, host),
  });
  if (!answer.ok) throw new CommandError(EXIT.failed, printableLines(answer.error));
  if (!('display' in answer)) throw new Error('an evaluation gives a value');
  const { type, display } = answer;
  const shown = json === true ? JSON.stringify({ type, value: answer.value, display }) : null;
  terminal.out(`${shown ?? printableLines(type === 'nulltype' ? 'null' : display)}\n`);
}
