import { test, type Test } from 'tap';
import { answeringService, type Answer, type Request } from '../answering-service.ts';
import { runCallsheet } from '../run-callsheet.ts';
import { runOnTerminal } from '../run-on-terminal.ts';

const FARM = { id: '01936ad0-0000-7000-8000-00000000000a', name: 'sh\u202eow', description: '' };
const WORKER = { id: 'w', farm_id: FARM.id, name: 'w1', status: 'online' };
const page = (items: readonly object[], total = items.length): Answer => ({ body: { items, total } });

const startService = (t: Test) =>
  answeringService({
    'GET /api/v1/farms': [{ body: [FARM] }],
    'GET /api/v1/queues': [page([{ id: 'q1' }, { id: 'q2' }])],
    'GET /api/v1/workers': [page([WORKER])],
    'GET /api/v1/jobs': [page([], 25)],
    [`DELETE /api/v1/farms/${FARM.id}`]: [{ status: 204, body: '' }],
  }).then((service) => {
    t.teardown(() => service.close());
    return service;
  });

const deletionsIn = (requests: readonly Request[]): readonly string[] =>
  requests.flatMap(({ method, path }) => (method === 'DELETE' ? [path] : []));

test('on a terminal, a deletion lists what is deleted and happens only after y', async (t) => {
  const service = await startService(t);
  const args = ['farms', 'delete', FARM.id, '--url', service.url];
  const declined = await runOnTerminal(args, [['Enter y', 'n']]);
  t.match(declined.out, /Delete farm sh\\u202eow\?/);
  t.match(declined.out, /Its 2 queues and 1 worker are deleted too\./);
  t.match(declined.out, /25 jobs of it, with tasks and logs, can still be read by id\./);
  t.match(declined.out, /1 worker of it is online or disabled: use --force, or stop it first\./);
  t.match(declined.out, /nothing was changed/);
  t.equal(declined.code, 1);
  t.same(deletionsIn(service.requests), []);
  const confirmed = await runOnTerminal([...args, '--force'], [['Enter y', 'y']]);
  t.equal(confirmed.code, 0);
  t.match(confirmed.out, /\nsh\\u202eow deleted/, 'a user sees the name');
  t.same(deletionsIn(service.requests), [`/api/v1/farms/${FARM.id}?force=true`]);
});

test('--yes and scripts are not asked', async (t) => {
  const service = await startService(t);
  const args = ['farms', 'delete', FARM.id, '--url', service.url];
  const skipped = await runOnTerminal([...args, '--yes'], [['Enter y', 'n']]);
  t.same([skipped.code, skipped.out], [0, 'sh\\u202eow deleted\r\n']);
  const script = await runCallsheet(args);
  t.same(script, { code: 0, out: `${FARM.id} deleted\n`, err: '' });
  t.equal(deletionsIn(service.requests).length, 2);
});
