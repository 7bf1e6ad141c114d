import { test } from 'tap';
import { commandAddress, commandRequest } from '../../../web/pages/sign-in-command/command-request.ts';

const [STATE, CHALLENGE] = ['s'.repeat(43), 'c'.repeat(43)];
const GOOD = { port: '40123', state: STATE, challenge: CHALLENGE, host: 'desk-7.studio' };

const searchOf = (changes: object): string => `?${new URLSearchParams({ ...GOOD, ...changes }).toString()}`;

test('the request of a command is read from the address', async (t) => {
  t.same(commandRequest(searchOf({})), {
    port: 40_123,
    state: STATE,
    challenge: CHALLENGE,
    host: 'desk-7.studio',
  });
});

test('anything else is not a request of a command', async (t) => {
  const bad = [
    ...['', '0', '80', '1023', '65536', '40123x', '-1', '4e4', '40123@evil.example'].map((port) => ({
      port,
    })),
    ...['', 'x', `${STATE}&`, '<script>'.padEnd(43, 'x')].map((state) => ({ state })),
    ...['', 'x', `${CHALLENGE}x`].map((challenge) => ({ challenge })),
    ...['', 'a b', '<b>', 'x'.repeat(65), 'a/b', 'a\u202eb'].map((host) => ({ host })),
  ];
  for (const changes of bad) t.equal(commandRequest(searchOf(changes)), null, JSON.stringify(changes));
  t.equal(commandRequest(`${searchOf({})}&port=40124`), null, 'a repeated parameter');
  t.equal(commandRequest(''), null);
});

test('the browser is sent to this computer only', async (t) => {
  const request = { port: 40_123, state: STATE };
  for (const answer of [{ code: 'x' }, { error: 'declined' }] as const) {
    const url = new URL(commandAddress(request, answer));
    t.equal(url.origin, 'http://127.0.0.1:40123');
    t.equal(url.pathname, '/callback');
    t.equal(url.searchParams.get('state'), STATE);
  }
});
