/** The values of one task parameter by position, computed on demand. */
export interface AxisReader {
  readonly length: number;
  /** Returns the value at a position from 0 to length - 1. */
  readonly valueAt: (index: number) => string;
  /** Returns the positions with a value. */
  readonly indicesOf: (value: string) => readonly number[];
}
