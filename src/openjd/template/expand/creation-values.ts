import { STRING, type ExprType } from '../../expr/type-system/expr-type.ts';
import { displayOf } from '../../expr/values/display.ts';
import type { Value } from '../../expr/values/value.ts';
import { isUnresolved } from '../language/prepared-text.ts';
import type { Located, Text } from '../located.ts';
import type { Scope } from '../scope.ts';
import type { TextChecker } from '../text-checker.ts';

/** Resolves the format strings of job creation in a scope. */
export class CreationValues {
  readonly #checker: TextChecker;
  readonly #scope: Scope;

  constructor(checker: TextChecker, scope: Scope) {
    this.#checker = checker;
    this.#scope = scope;
  }

  /** Returns the value: of the target type if it is a single expression, else a text; undefined if it was reported. */
  resolve(text: Text, target: ExprType): Value | undefined {
    const value = this.#checker.check(text, this.#scope, target)?.value;
    // A value that depends on a reported binding stays unresolved.
    return value === undefined || isUnresolved(value) ? undefined : value;
  }

  /** Reports why the resolved value of a field is not valid. */
  report(at: Located, detail: string): void {
    this.#checker.report(at, detail);
  }

  /** Returns the resolved text; undefined if it was reported. */
  resolveText(text: Text): string | undefined {
    const value = this.resolve(text, STRING);
    return value === undefined ? undefined : displayOf(value);
  }
}
