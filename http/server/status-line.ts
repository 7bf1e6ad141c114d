import { PROBLEMS } from '../../src/core/problems.ts';

const TITLES: ReadonlyMap<number, string> = new Map<number, string>([
  [101, 'Switching Protocols'],
  [200, 'OK'],
  [201, 'Created'],
  [202, 'Accepted'],
  [204, 'No Content'],
  ...Object.values(PROBLEMS).map((problem): [number, string] => [problem.status, problem.title]),
]);

/** Returns the status line of a response. */
export const statusLine = (status: number): string => `${status} ${TITLES.get(status) ?? 'Status'}`;
