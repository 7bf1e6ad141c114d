import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'tap';
import { accessOptions } from '../../../src/adapters/nats/access.ts';
import { configuredServers } from '../../../src/adapters/nats/server-address.ts';
import { makeAccount } from '../../kit/nats-accounts.ts';
import { recordingWorker } from '../../kit/nats-members.ts';
import { ofType } from '../../kit/nats-recorder.ts';
import { NatsServer } from '../../kit/nats-server.ts';
import type { BusAccess } from '../../../src/core/config/bus-access.ts';

const NONE: BusAccess = {
  keys: 'bus',
  user: '',
  password: null,
  token: null,
  credentialsFile: '',
  nkeyFile: '',
  tls: null,
};

const optionsOf = (access: Partial<BusAccess>, url = 'nats://farm') =>
  accessOptions(configuredServers([url], { ...NONE, ...access }));

test('secrets are read from their files for each connection', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'callsheet-access-'));
  t.teardown(() => rmSync(folder, { recursive: true }));
  const file = join(folder, 'secret');
  writeFileSync(file, 'hunter2\n');
  t.same(optionsOf({ user: 'farm', password: { file } }), { user: 'farm', pass: 'hunter2' });
  t.same(optionsOf({ token: { file } }), { token: 'hunter2' });
  writeFileSync(file, 'hunter3');
  t.same(optionsOf({ user: 'farm', password: { file } }), { user: 'farm', pass: 'hunter3' });
  const tls = { caFile: file, certFile: '', keyFile: '' };
  t.same(optionsOf({ tls }), { tls: { ca: 'hunter3' } });
  t.same(optionsOf({ tls: { caFile: '', certFile: file, keyFile: file } }), {
    tls: { cert: 'hunter3', key: 'hunter3' },
  });
  for (const text of ['', '\n', 'two\nlines\n', '\u0000']) {
    writeFileSync(file, text);
    t.throws(() => optionsOf({ token: { file } }), {
      message: `bus.token_file: the file ${file} must contain one line of text`,
    });
  }
});

test('a credentials file opens the bus of its account, and no other', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'callsheet-access-'));
  const ours = makeAccount();
  const server = await NatsServer.start(ours.config);
  const connected: { readonly bus: { close(): Promise<void> } }[] = [];
  t.teardown(async () => {
    for (const { bus } of connected) await bus.close();
    await server.stop();
    rmSync(folder, { recursive: true });
  });
  const connectWith = (name: string, content: string) => {
    const credentialsFile = join(folder, name);
    writeFileSync(credentialsFile, content, { mode: 0o600 });
    const worker = recordingWorker({ ...server.servers, access: { ...NONE, credentialsFile } });
    connected.push(worker);
    return worker.events;
  };
  await connectWith('ours', ours.credentials()).next(ofType('ready'));
  t.match(await connectWith('theirs', makeAccount().credentials()).next(ofType('unreachable')), {
    reason: /authorization violation/i,
  });
  t.match(await connectWith('broken', 'not credentials').next(ofType('unreachable')), {
    reason: /credentials/,
  });
});

test('a file that cannot be read is reported with its key', async (t) => {
  const missing = '/nonexistent/bus.creds';
  t.throws(
    () => optionsOf({ credentialsFile: missing }),
    /^bus.credentials_file: the file .*bus.creds cannot be used: ENOENT/,
  );
  t.throws(
    () => optionsOf({ tls: { caFile: missing, certFile: '', keyFile: '' } }),
    /bus.tls.ca_file: .*ENOENT/,
  );
});

test('without files, the URL alone decides', async (t) => {
  t.same(accessOptions(configuredServers(['nats://farm'], null)), {});
  t.same(accessOptions(configuredServers(['tls://ann:pass@farm'], null)), {
    tls: {},
    user: 'ann',
    pass: 'pass',
  });
  t.same(optionsOf({ token: { text: 't' } }, 'tls://farm'), { tls: {}, token: 't' });
});
