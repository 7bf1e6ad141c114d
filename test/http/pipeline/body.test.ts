import { test } from 'tap';
import { startApi } from '../kit/api-fixture.ts';

const JSON_TYPE = { 'content-type': 'application/json' };
const HALF = String.raw`\ud83d`;
const WHOLE = String.raw`\ud83d\ude00`;

void test('texts of a body are valid Unicode', async (t) => {
  const { client } = await startApi(t);
  const create = (name: string, description = '') =>
    client.send('POST', '/api/v1/farms', {
      headers: JSON_TYPE,
      body: `{"name":"${name}","description":"${description}"}`,
    });
  for (const [name, description] of [
    [`a${HALF}`, ''],
    ['a', `${HALF}${HALF}`],
    ['a', String.raw`\ude00\ud83d`],
  ] as const)
    t.match(await create(name, description), {
      status: 400,
      body: { detail: 'a string in the body contains an unpaired surrogate' },
    });
  t.not((await create(`a${WHOLE}`)).status, 400, 'a pair of surrogates');
});
