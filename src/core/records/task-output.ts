/** Paths that an attempt has named with `callsheet_output` (docs/outputs.md). The row lasts as long as the attempt. */
export interface TaskOutputRecord {
  readonly version: 1;
  /** At least one, in the order in which they were named, each once. */
  readonly paths: readonly string[];
}

export const OUTPUT_LIMITS = {
  /** Paths of one attempt. */
  paths: 64,
  /** UTF-16 code units of one path. */
  path: 1024,
  /** UTF-16 code units of all paths of one attempt: they are part of the report of its end. */
  totalLength: 16 * 1024,
} as const;

const CONTROL = /[\u0000-\u001f\u007f-\u009f\u2028\u2029]/;
const HALF_CHARACTER = /[\ud800-\udfff]/u;
const ABSOLUTE = /^(?:\/|[A-Za-z]:[\\/]|\\\\[^\\/]|s3:\/\/[^/])/;

/** Returns why a text is not the path of an output, or null. */
export function outputPathWrong(path: string): string | null {
  if (path.length > OUTPUT_LIMITS.path) return `must not have more than ${OUTPUT_LIMITS.path} characters`;
  if (CONTROL.test(path) || HALF_CHARACTER.test(path))
    return 'must not hold control characters or incomplete characters';
  return ABSOLUTE.test(path)
    ? null
    : 'must be an absolute path (/mnt/a, C:\\a or \\\\server\\share) or s3://bucket/key';
}

/** Returns the paths with one more; unchanged if it is known or exceeds a limit. */
export function withOutput(paths: readonly string[], path: string): readonly string[] {
  if (paths.includes(path) || paths.length >= OUTPUT_LIMITS.paths) return paths;
  const length = paths.reduce((sum, each) => sum + each.length, path.length);
  return length > OUTPUT_LIMITS.totalLength ? paths : [...paths, path];
}
