/** An error in a submitted document. Line and column count from 1. */
export interface PointedError {
  /** JSON pointer (RFC 6901) of the affected part; empty for the whole document. */
  readonly pointer: string;
  readonly detail: string;
  readonly line?: number;
  readonly column?: number;
}

/** Returns the JSON pointer (RFC 6901) of a path of keys and indexes; empty for the whole document. */
export const pointerTo = (path: readonly (string | number)[]): string =>
  path.reduce<string>(
    (pointer, segment) => `${pointer}/${String(segment).replaceAll('~', '~0').replaceAll('/', '~1')}`,
    '',
  );
