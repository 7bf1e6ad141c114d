import { test } from 'tap';
import { WAITING, WATCHING, exitCodeOfJob, pauseMs } from '../../../cli/jobs/waiting.ts';

test('the polling interval grows while a job does not change', async (t) => {
  t.same(
    [0, 1, 2, 3, 4, 5, 6, 7, 100, 10_000].map((unchanged) => pauseMs(WAITING, unchanged)),
    [500, 750, 1125, 1688, 2531, 3797, 5000, 5000, 5000, 5000],
  );
  t.same(
    [0, 1, 2, 3, 4, 100].map((unchanged) => pauseMs(WATCHING, unchanged)),
    [500, 750, 1125, 1688, 2000, 2000],
  );
});

test('completed, failed and canceled jobs have different exit statuses', async (t) => {
  t.same(
    (['completed', 'failed', 'canceled'] as const).map((status) => exitCodeOfJob({ status })),
    [0, 1, 7],
  );
});
