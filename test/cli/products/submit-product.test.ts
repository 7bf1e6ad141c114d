import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test, type Test } from 'tap';
import { answeringService, type Answer } from '../answering-service.ts';
import { runCallsheet } from '../run-callsheet.ts';

const ID = '0198a1c2-1111-7111-8111-111111111111';
const FARM = { id: ID, name: 'north', description: '' };
const JOB = { id: ID, farm_id: ID, name: 'shot', status: 'pending' };
const PLACE = ['--farm', 'north', '--queue', 'render'];
const parameter = (name: string, required: boolean) => ({
  name,
  type: 'STRING',
  description: `The ${name}.`,
  default: required ? null : '',
  required,
  allowed_values: null,
  min_value: null,
  max_value: null,
  min_length: null,
  max_length: null,
});

const startService = async (t: Test, submission: readonly Answer[]) => {
  const service = await answeringService({
    'GET /api/v1/farms': [{ body: [FARM] }],
    'GET /api/v1/queues': [{ body: { items: [{ ...FARM, name: 'render' }], total: 1 } }],
    'GET /api/v1/products/studio%2Fsay/parameters': [
      { body: [parameter('Text', true), parameter('Note', false)] },
    ],
    'POST /api/v1/products/studio%2Fsay/jobs': submission,
  });
  t.teardown(() => service.close());
  const submit = (...args: readonly string[]) =>
    runCallsheet(['submit', '--product', 'studio/say', ...PLACE, ...args, '--url', service.url]);
  const submissions = () => service.requests.filter(({ method }) => method === 'POST');
  return { submit, submissions };
};

test('values come from -p and from a file, whose lists become JSON and whose numbers keep their digits', async (t) => {
  const { submit, submissions } = await startService(t, [{ status: 201, body: JOB }]);
  const folder = t.testdir({});
  const file = join(folder, 'values.yaml');
  await writeFile(
    file,
    'Text: from file\nNote: "a: b"\nBig: 12345678901234567890\nHalf: 1.50\nYes: true\nList: [a "b", 2, [3]]\n',
  );
  const { code, out } = await submit('--param-file', file, '-p', 'Text=given', '--name', 'mine', '--paused');
  t.same([code, out], [0, `${ID}\n`]);
  const [request] = submissions();
  t.match(JSON.parse(request?.body ?? ''), {
    farm_id: ID,
    queue_id: ID,
    name: 'mine',
    paused: true,
    parameters: {
      Text: 'given',
      Note: 'a: b',
      Big: '12345678901234567890',
      Half: '1.50',
      Yes: 'true',
      List: '["a \\"b\\"",2,[3]]',
    },
  });
  t.type(request?.headers['idempotency-key'], 'string');
});

test('a lost response is requested again with the same key', async (t) => {
  const { submit, submissions } = await startService(t, [
    { cuts: true, body: '' },
    { status: 201, body: JOB },
  ]);
  t.match(await submit('-p', 'Text=a'), { code: 0, err: /^waiting for the server/ });
  const keys = submissions().map(({ headers }) => headers['idempotency-key']);
  t.equal(keys.length, 2);
  t.equal(new Set(keys).size, 1);
});

test('unknown and missing parameters are named, with the parameters of the product', async (t) => {
  const body = { title: 'Unprocessable', status: 422, detail: 'the values are invalid' };
  const { submit } = await startService(t, [{ status: 422, body }]);
  const { code, err } = await submit('-p', 'Txet=a');
  t.equal(code, 2);
  t.match(err, 'the values are invalid');
  t.match(err, 'studio/say has no parameter Txet\nstudio/say needs a value for Text (-p Text=VALUE)\n');
  t.match(err, /^Note +STRING +"" +The Note\.$/m);
  const { err: other } = await submit('-p', 'Text=a');
  t.match(other, 'the values are invalid');
  t.notMatch(other, 'PARAMETER');
});

test('arguments and parameter files that cannot be used send nothing', async (t) => {
  const { submit, submissions } = await startService(t, [{ status: 201, body: JOB }]);
  const folder = t.testdir({});
  const withFile = async (text: string) => {
    await writeFile(join(folder, 'v.yaml'), text);
    return submit('--param-file', join(folder, 'v.yaml'));
  };
  t.match(await submit('template.yaml'), { code: 2, err: /either a template or --product/ });
  t.match(await runCallsheet(['submit', ...PLACE]), { code: 2, err: /either a template or --product/ });
  t.match(await runCallsheet(['submit', 't.yaml', ...PLACE, '--name', 'x']), {
    code: 2,
    err: /--name needs/,
  });
  t.match(await runCallsheet(['submit', '-', ...PLACE, '--param-file', '-']), {
    code: 2,
    err: /only one of/,
  });
  t.match(await withFile('- a\n'), { code: 2, err: /v\.yaml:1:1: must be a mapping/ });
  t.match(await withFile('A: 1\nB: {x: 1}\nC: null\n'), {
    code: 2,
    err: /v\.yaml:2:4: \/B: must be text.*a mapping\n(.*\n)*.*v\.yaml:3:4: \/C: must be text.*null\n/,
  });
  t.match(await withFile('A: [1, {x: 1}]\n'), { code: 2, err: /v\.yaml:1:4: \/A/ });
  t.match(await withFile('A: 1\nA: 2\n'), { code: 2, err: /v\.yaml:2:1/ });
  t.match(await submit('--param-file', join(folder, 'none')), { code: 2, err: /cannot be read/ });
  t.same(submissions(), []);
});
