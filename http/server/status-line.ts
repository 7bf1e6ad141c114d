import { PROBLEMS } from '../../src/core/problems.ts';

const TITLES: ReadonlyMap<number, string> = new Map<number, string>([
  [101, 'Switching Protocols'],
  [200, 'OK'],
  [201, 'Created'],
  [202, 'Accepted'],
  [204, 'No Content'],
  [304, 'Not Modified'],
  ...Object.values(PROBLEMS).map((problem): [number, string] => [problem.status, problem.title]),
]);

/** Returns the text of a status. */
export const statusTitle = (status: number): string => TITLES.get(status) ?? 'Status';

/** Returns the status line of a response, without the version. */
export const statusLine = (status: number): string => `${status} ${statusTitle(status)}`;
