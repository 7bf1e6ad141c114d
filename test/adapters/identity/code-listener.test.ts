import { connect } from 'node:net';
import { test } from 'tap';
import { listenForCode } from '../../../src/adapters/identity/loopback/code-listener.ts';

const STATE = 's'.repeat(43);
const CODE = 'c'.repeat(43);

/** Sends a request head and returns the answer. */
const send = (port: number, head: string): Promise<string> =>
  new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1', () => socket.end(head));
    let text = '';
    socket.on('data', (piece) => {
      text += piece.toString();
    });
    socket.on('error', reject);
    socket.on('close', () => {
      resolve(text);
    });
  });

const get = (port: number, target: string, host = `127.0.0.1:${port}`): Promise<string> =>
  send(port, `GET ${target} HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`);

test('the first valid request gives the code, after any number of others', async (t) => {
  const listener = await listenForCode(STATE, new AbortController().signal);
  const { port } = listener;
  const good = `/callback?code=${CODE}&state=${STATE}`;
  const bad: readonly (readonly [target: string, host?: string])[] = [
    ['/'],
    [`/callback?code=${CODE}`],
    [`/callback?code=${CODE}&state=${'x'.repeat(43)}`],
    [`/callback?code=${CODE}&state=`],
    [`/callback?code=${CODE}&state=${STATE}&state=${STATE}`],
    [`/callback?code=${CODE}&code=${CODE}&state=${STATE}`],
    [`/callback?code=short&state=${STATE}`],
    [`/callback?state=${STATE}`],
    [`/callback?error=other&state=${STATE}`],
    [`/callback/?code=${CODE}&state=${STATE}`],
    [`//callback?code=${CODE}&state=${STATE}`],
    [good, 'evil.example'],
    [good, `localhost:${port}`],
    [good, '127.0.0.1'],
  ];
  for (const [target, host] of bad) t.match(await get(port, target, host), /^HTTP\/1\.1 404 /, target);
  const post = `POST ${good} HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nContent-Length: 0\r\nConnection: close\r\n\r\n`;
  t.match(await send(port, post), /^HTTP\/1\.1 404 /);
  t.match(await send(port, 'garbage\r\n\r\n'), /^HTTP\/1\.1 400 /);
  const answer = await get(port, good);
  t.match(answer, /^HTTP\/1\.1 200 /);
  t.match(answer, /Content-Security-Policy: default-src 'none'/);
  t.notMatch(answer, CODE, 'the page does not repeat the code');
  t.same(await listener.sent, { code: CODE });
  await listener.close();
});

test('the refusal of the user arrives', async (t) => {
  const listener = await listenForCode(STATE, new AbortController().signal);
  t.match(await get(listener.port, `/callback?error=declined&state=${STATE}`), /^HTTP\/1\.1 200 /);
  t.equal(await listener.sent, 'declined');
  await listener.close();
});

test('the wait ends when its signal aborts', async (t) => {
  const control = new AbortController();
  const listener = await listenForCode(STATE, control.signal);
  control.abort(new Error('interrupted'));
  await t.rejects(listener.sent, { message: 'interrupted' });
  await listener.close();
});
