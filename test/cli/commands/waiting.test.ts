import { test } from 'tap';
import { WAITING, WATCHING, exitCodeOfJob, pauseMs } from '../../../cli/commands/waiting.ts';

test('a job that does not change is asked for less and less often', async (t) => {
  t.same(
    [0, 1, 2, 3, 4, 5, 6, 7, 100, 10_000].map((unchanged) => pauseMs(WAITING, unchanged)),
    [500, 750, 1125, 1688, 2531, 3797, 5000, 5000, 5000, 5000],
  );
  t.same(
    [0, 1, 2, 3, 4, 100].map((unchanged) => pauseMs(WATCHING, unchanged)),
    [500, 750, 1125, 1688, 2000, 2000],
  );
});

test('completed, failed and canceled jobs end with statuses of their own', async (t) => {
  t.same(
    (['completed', 'failed', 'canceled'] as const).map((status) => exitCodeOfJob({ status })),
    [0, 1, 7],
  );
});
