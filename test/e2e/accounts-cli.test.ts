import { auditEntries, EventChannel, eventsUrl, Rest, signIn, signOut, type AuditEntry } from 'callsheet/api';
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { test } from 'tap';
import { packageRoot } from '../../src/adapters/system/package-root.ts';
import { findSecrets } from '../attack/accounts/stored-secrets.ts';
import { runCallsheet, type Ran } from '../cli/run-callsheet.ts';
import { ADMIN, passwordOf, startAuthService } from '../kit/auth-service.ts';
import { startService } from '../kit/daemons.ts';
import { until } from '../kit/until.ts';

/** The command line, the client library and the audit log with a service that authenticates. */

const COMMAND = fileURLToPath(new URL('bin/callsheet.js', packageRoot));
const REFUSED = { name: 'ProblemError', status: 401 };
const hasScript = spawnSync('script', ['--version']).status === 0;

test('a session on the command line, from login to the audit log', async (t) => {
  const folder = t.testdir();
  const site = await startAuthService(folder);
  t.teardown(() => site.service.daemon.kill('SIGTERM'));
  const stopAtEnd = (stop: () => Promise<void>): void => t.teardown(stop);
  const { url } = site;
  const config = join(folder, 'config');
  const credentials = join(config, 'callsheet/credentials.json');
  const environment = { SVC_URL: url, XDG_CONFIG_HOME: config };
  const secrets = new Map<string, string>([['password of root', ADMIN.password]]);

  const run = (...args: string[]): Promise<Ran> => runCallsheet(args, { environment });
  const withInput = (input: string, ...args: string[]): Promise<Ran> =>
    runCallsheet(args, { environment, input });
  const audited = async (...args: string[]): Promise<AuditEntry[]> => {
    const ran = await run('audit', '--ndjson', ...args);
    t.equal(ran.code, 0, ran.err);
    return ran.out
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => JSON.parse(line) as AuditEntry);
  };

  await t.test('a command without a credential says how to sign in', async (t) => {
    const ran = await run('farms');
    t.equal(ran.code, 3);
    t.match(ran.err, `You are not signed in: run callsheet login --url ${url}, or set SVC_API_KEY.`);
    t.match(await run('logout'), { code: 4, err: /no API key is stored/ });
    const given = await run('farms', '--api-key', 'svc_wrong');
    t.match(given, { code: 3, err: /The API key is wrong, has expired or was revoked/ });
  });

  await t.test('a wrong password is refused, and nothing is stored', async (t) => {
    const wrong = 'a wrong password of root';
    secrets.set('wrong password', wrong);
    const login = ['login', '--username', 'root', '--password-file', '-'];
    t.match(await withInput(`${wrong}\n`, ...login), { code: 3, err: 'the name or the password is wrong\n' });
    t.match(await withInput('', ...login), { code: 2, err: /the first line must contain the password/ });
    t.match(await run('login', '--username', 'root'), { code: 2, err: /give --password-file/ });
    t.match(await run('login'), { code: 2, err: /give --username/ });
    t.throws(() => statSync(credentials));
  });

  await t.test('login stores a key in a file of its owner, and ends its session', async (t) => {
    const ran = await withInput(
      `${ADMIN.password}\n`,
      ...['login', '--username', 'ROOT', '--password-file', '-', '--expires', '2h'],
    );
    t.match(ran, { code: 0, out: '', err: /Signed in to .* as root\. The key expires on \d{4}-/ });
    t.equal(statSync(credentials).mode & 0o777, 0o600);
    t.equal(statSync(join(config, 'callsheet')).mode & 0o777, 0o700);
    secrets.set('key of login', storedKey(credentials));
    t.match(await run('whoami'), { code: 0, out: /Name +root\n[^]*Role +admin\nCredential +API key/ });
    const keys = JSON.parse((await run('keys', '--json')).out) as { name: string; expires_at: string }[];
    const made = keys.find(({ name }) => name.startsWith('callsheet on '));
    t.ok(Date.parse(made?.expires_at ?? '') < Date.now() + 7_300_000);
    t.match(await audited('--actor', 'root', '--path', '/api/v1/auth/logout'), [
      { outcome: 'changed', status: 200, actor: 'root' },
    ]);
  });

  await t.test('a second login replaces the key', async (t) => {
    const before = storedKey(credentials);
    await withInput(`${ADMIN.password}\n`, 'login', '--username', 'root', '--password-file', '-');
    secrets.set('key of the second login', storedKey(credentials));
    t.not(storedKey(credentials), before);
    const ran = await run('farms', '--api-key', before);
    t.match(ran, { code: 3, err: /was revoked/ });
  });

  await t.test('a key file that others can read is refused', async (t) => {
    chmodSync(credentials, 0o644);
    t.match(await run('whoami'), { code: 2, err: /can be read by other users; run: chmod 600/ });
    chmodSync(credentials, 0o600);
    t.equal((await run('whoami')).code, 0);
  });

  await t.test('a key is not sent to another service', async (t) => {
    const other = await runCallsheet(['farms', '--url', url.replace('127.0.0.1', 'localhost')], {
      environment,
    });
    t.match(other, { code: 3, err: /You are not signed in/ });
  });

  await t.test('accounts are managed, and passwords are read from files only', async (t) => {
    const file = join(folder, 'password');
    writeFileSync(file, `${passwordOf('ann')}\n`);
    secrets.set('password of ann', passwordOf('ann'));
    t.match(await run('users', 'create', 'ann', '--role', 'user', '--password-file', file), {
      code: 0,
      out: /ann +user +enabled +local/,
    });
    t.match(await run('users', 'create', 'ANN', '--password-file', file), { code: 5 });
    t.match(await run('users', 'create', 'bob'), { code: 2, err: /give --password-file/ });
    t.match(await run('users', 'update', 'Ann', '--display-name', 'Ann A.', '--role', 'operator'), {
      code: 0,
      out: /operator .*Ann A\./,
    });
    t.match(await run('users', 'update', 'ann'), { code: 2, err: /nothing to change/ });
    t.match(await run('users', 'disable', 'ann'), { code: 0, out: /disabled/ });
    t.match(await run('users', 'enable', 'ann'), { code: 0, out: /enabled/ });
    t.match(await run('users', 'disable', 'nemo'), { code: 4, err: /there is no user "nemo"/ });
    t.match(await run('users', 'disable', 'root'), { code: 5, err: /administrator/ });
    const next = 'the next password of ann';
    secrets.set('next password of ann', next);
    const reset = await withInput(`${next}\n`, 'users', 'reset-password', 'ann', '--password-file', '-');
    t.match(reset, { code: 0, err: /The password of ann is changed/ });
    t.match(await run('users'), { code: 0, out: /ann[^]*root/ });
  });

  await t.test('keys are created, listed and revoked', async (t) => {
    const made = await run('keys', 'create', 'render script', '--expires', '30d');
    t.match(made, { code: 0, out: /^svc_[A-Za-z0-9_-]{43}\n$/, err: /it is not shown again/ });
    const key = made.out.trim();
    secrets.set('key of keys create', key);
    t.match(await run('whoami', '--api-key', key), { code: 0 });
    t.notOk((await run('keys')).out.includes(key));
    t.match(await run('keys', 'list', '--user', 'ann'), { code: 0, out: /^NAME +KEY/ });
    t.match(await run('keys', 'revoke', 'render script'), { code: 0, out: /revoked/ });
    t.match(await run('keys', 'revoke', 'render script'), { code: 4 });
    t.match(await run('whoami', '--api-key', key), { code: 3 });
    t.match(await run('keys', 'create', 'x', '--expires', 'soon'), { code: 2 });
  });

  await t.test('a user without the permission learns what to do, and the audit log shows it', async (t) => {
    const other = { SVC_URL: url, XDG_CONFIG_HOME: join(folder, 'config of ann') };
    const input = 'the next password of ann\n';
    const ran = await runCallsheet(['login', '--username', 'ann', '--password-file', '-'], {
      environment: other,
      input,
    });
    t.equal(ran.code, 0, ran.err);
    secrets.set('key of ann', storedKey(join(folder, 'config of ann/callsheet/credentials.json')));
    t.match(await runCallsheet(['users'], { environment: other }), {
      code: 3,
      err: /needs the permission users\.read[^]*ask an administrator/,
    });
    t.match(await runCallsheet(['audit'], { environment: other }), { code: 3 });
    await until(
      'the denials are recorded',
      async () => (await audited('--actor', 'ann', '--denied')).length > 1,
    );
    t.match(await audited('--actor', 'ann', '--denied', '--path', '/api/v1/users'), [
      { status: 403, permission: 'users.read', operation: 'listUsers', remote_addr: '127.0.0.1' },
    ]);
    const table = await run('audit', '--denied', '--since', '1h', '--limit', '1');
    t.match(table, { code: 0, out: /^TIME +ACTOR[^]*denied 403/, err: /There are older entries/ });
    t.match(await run('audit', '--since', 'yesterday'), { code: 2 });
    t.match(await run('audit', '--denied', '--outcome', 'failed'), { code: 2 });
  });

  await t.test('login --with-api-key stores an existing key, which logout does not revoke', async (t) => {
    const { secret } = await site.apiKey(site.admin, 'shared');
    secrets.set('shared key', secret);
    const other = { SVC_URL: url, XDG_CONFIG_HOME: join(folder, 'config of a script') };
    const login = (input: string): Promise<Ran> =>
      runCallsheet(['login', '--with-api-key'], { environment: other, input });
    t.match(await login('svc_wrong\n'), { code: 3, err: /The API key is wrong/ });
    t.match(await login(`${secret}\n`), { code: 0, err: /as root\. The key stays valid after/ });
    t.equal((await runCallsheet(['farms'], { environment: other })).code, 0);
    t.match(await runCallsheet(['logout'], { environment: other }), { code: 0, err: /was not revoked/ });
    t.equal((await run('farms', '--api-key', secret)).code, 0);
  });

  await t.test('the client library signs in, sends a key, and reads the audit log', async (t) => {
    const rest = new Rest({ base: url });
    const wrong = { username: 'root', password: 'x' };
    await t.rejects(signIn(rest, wrong), REFUSED);
    const session = await signIn(rest, { username: 'root', password: ADMIN.password });
    t.match(session.principal, { username: 'root', kind: 'session' });
    const made = await session.rest.call('post', '/api-keys', { body: { name: 'library' } });
    secrets.set('key of the library', made.secret);
    await signOut(session.rest);
    await t.rejects(session.rest.call('get', '/auth/me'), REFUSED);
    const keyed = new Rest({ base: url, apiKey: made.secret });
    t.match(await keyed.call('get', '/auth/me'), { username: 'root', kind: 'api_key' });
    const entries: AuditEntry[] = [];
    for await (const entry of auditEntries(keyed, { target: made.id }, 1)) entries.push(entry);
    t.match(entries, [{ operation: 'createApiKey', targets: [made.id], status: 201 }]);
    const channel = new EventChannel({ url: eventsUrl(url), apiKey: made.secret });
    t.teardown(() => channel.close());
    await until('the channel is connected', () => channel.state.kind === 'live');
    const stranger = new EventChannel({ url: eventsUrl(url) });
    t.teardown(() => stranger.close());
    await until('the channel is refused', () => stranger.state.kind === 'waiting');
    await until('the refusal is recorded', async () => {
      const [denied] = await audited('--denied', '--path', '/api/v1/ws');
      return denied?.status === 401 && denied.reason === 'there was no credential';
    });
  });

  await t.test('a password is asked for without being shown', { skip: !hasScript }, async (t) => {
    const shown = await onTerminal(
      ['login', '--username', 'root'],
      environment,
      'Password: ',
      ADMIN.password,
    );
    secrets.set('key of the terminal', storedKey(credentials));
    t.match(shown, /Password: [\r\n]+Signed in to/);
    t.notOk(shown.includes(ADMIN.password));
  });

  await t.test('the entry of an answered change survives kill -9, and no secret is recorded', async (t) => {
    t.equal((await run('farms', 'create', 'the last farm')).code, 0);
    await site.service.daemon.kill('SIGKILL');
    const restarted = await startService(site.service);
    stopAtEnd(() => restarted.daemon.kill('SIGTERM'));
    const [entry] = await audited('--actor', 'root', '--outcome', 'changed');
    t.match(entry, { operation: 'createFarm', status: 201, actor: 'root', targets: [String] });
    const all = await audited();
    t.ok(all.length > 30, `${all.length} entries`);
    const ids = all.map(({ id }) => id);
    t.same(ids, [...ids].sort().reverse(), 'latest first');
    const exported = join(folder, 'audit.ndjson');
    writeFileSync(exported, JSON.stringify(all));
    t.same(findSecrets([exported, join(folder, 'server.log')], secrets).violations, []);
  });

  await t.test('logout revokes the key and removes it', async (t) => {
    const key = storedKey(credentials);
    t.match(await run('logout'), { code: 0, err: /its API key is revoked/ });
    t.notOk(readFileSync(credentials, 'utf8').includes('svc_'));
    t.match(await run('farms', '--api-key', key), { code: 3 });
    t.match(await run('logout'), { code: 4 });
  });
});

/** Returns the key of the only service in a credentials file. */
function storedKey(path: string): string {
  return /"key": "(svc_[^"]+)"/.exec(readFileSync(path, 'utf8'))?.[1] ?? '';
}

/** Runs the command on a terminal, enters a line after the prompt, and returns what the terminal shows. */
async function onTerminal(
  args: readonly string[],
  environment: Readonly<Record<string, string>>,
  prompt: string,
  line: string,
): Promise<string> {
  const words = [process.execPath, COMMAND, ...args].map((word) => `'${word}'`).join(' ');
  const child = spawn('script', ['--quiet', '--return', '--command', words, '/dev/null'], {
    env: { PATH: process.env['PATH'], TERM: 'xterm', SHELL: '/bin/sh', ...environment },
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  let text = '';
  child.stdout.setEncoding('utf8').on('data', (more: string) => {
    const wasAsked = text.includes(prompt);
    text += more;
    if (!wasAsked && text.includes(prompt)) child.stdin.write(`${line}\r`);
  });
  await once(child, 'close');
  return text;
}
