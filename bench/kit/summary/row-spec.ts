/** A figure of a bench as the summary shows it. */
export interface RowSpec {
  /** Name of the bench. */
  readonly bench: string;
  /** Name of its results if it differs: those of certain options. */
  readonly results?: string;
  readonly figure: string;
  /** Path of the value in the bench's figures (value-at.ts). */
  readonly value: string;
  readonly unit: string;
  /** Yardstick of the value; absent without one. */
  readonly yardstick?: { readonly name: string; readonly value?: string };
  /** Path of the ratio to the yardstick, unless it is value by yardstick. */
  readonly ratio?: string;
  readonly target?: Target;
}

/** Target of the project. */
export interface Target {
  readonly of: 'value' | 'ratio';
  readonly is: 'at least' | 'at most';
  readonly number: number;
}
