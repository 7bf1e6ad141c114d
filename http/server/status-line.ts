import { PROBLEMS } from '../../src/core/problems.ts';

const TITLES: ReadonlyMap<number, string> = new Map<number, string>([
  [101, 'Switching Protocols'],
  [200, 'OK'],
  [201, 'Created'],
  [202, 'Accepted'],
  [204, 'No Content'],
  ...Object.values(PROBLEMS).map((problem): [number, string] => [problem.status, problem.title]),
]);

/** The status as the first line of a response shows it. */
export const statusLine = (status: number): string => `${status} ${TITLES.get(status) ?? 'Status'}`;
