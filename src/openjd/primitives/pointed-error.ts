/** An error in a submitted document. Line and column count from 1. */
export interface PointedError {
  readonly pointer: string;
  readonly detail: string;
  readonly line?: number;
  readonly column?: number;
}
