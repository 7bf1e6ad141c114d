import type { Case } from '../../kit/cases.ts';
import { type RestContext, waitingJob } from './kit.ts';

/** Entity tags (docs/contract/rest.md). */
export const conditionalRequestCases: readonly Case<RestContext>[] = [
  [
    'conditional GET: a current tag returns 304, a change returns a new tag',
    async (t, { api, submitted }) => {
      const job = await submitted(waitingJob('tagged'));
      const path = `/api/v1/jobs/${String(job['id'])}`;
      const { headers } = await api.get(path);
      const tag = headers['etag'] ?? '';
      t.match(tag, /^W\/".+"$/);
      const again = await api.get(path, { 'if-none-match': tag });
      t.strictSame([again.status, again.text, again.headers['etag']], [304, '', tag]);
      await api.must('PATCH', path, { priority: 1 });
      t.equal((await api.get(path, { 'if-none-match': tag })).status, 200);
    },
  ],
];
