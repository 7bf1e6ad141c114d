/** The values of one task parameter, by position; nothing is listed. */
export interface AxisReader {
  readonly length: number;
  /** The value at a position from 0 to length - 1. */
  readonly valueAt: (index: number) => string;
  /** The positions that hold a value. */
  readonly indicesOf: (value: string) => readonly number[];
}
