import { X509Certificate } from 'node:crypto';
import { readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'tap';
import {
  fingerprintOf,
  ownCertificate,
  serverCertificate,
} from '../../../src/adapters/nats/authority/certificates.ts';
import { loadBusKeys } from '../../../src/adapters/nats/authority/bus-keys.ts';

const DAY_MS = 24 * 3600 * 1000;
const HOSTS = ['farm.example', '10.1.2.3', '::1'];

test('the authority is created once, and the certificate of the server has every name', async (t) => {
  const folder = join(t.testdir({}), 'tls');
  const now = Date.now();
  const first = await serverCertificate(folder, HOSTS, now);
  const certificate = new X509Certificate(first.pem);
  t.ok(certificate.verify(new X509Certificate(first.caPem).publicKey));
  t.equal(certificate.ca, false);
  t.ok(certificate.checkHost('farm.example') !== undefined);
  t.ok(certificate.checkIP('10.1.2.3') !== undefined);
  t.equal(certificate.checkHost('other.example'), undefined);
  t.match(first.pem, first.caPem.trim(), 'the chain contains the authority, which workers pin');
  for (const name of ['ca.key', 'server.key'])
    t.equal(statSync(join(folder, name)).mode & 0o777, 0o600, name);

  const again = await serverCertificate(folder, HOSTS, now);
  t.equal(again.pem, first.pem, 'kept');
  const more = await serverCertificate(folder, [...HOSTS, 'new.example'], now);
  t.not(more.pem, first.pem, 'another name needs another certificate');
  t.equal(fingerprintOf(more.caPem), fingerprintOf(first.caPem), 'from the same authority');
  const later = await serverCertificate(folder, HOSTS, now + 600 * DAY_MS);
  t.not(later.pem, more.pem, 'replaced before it ends');
  t.ok(Date.parse(new X509Certificate(later.pem).validTo) > now + 1000 * DAY_MS);
});

test('a lost key of the authority is an error that names the files', async (t) => {
  const folder = join(t.testdir({}), 'tls');
  await serverCertificate(folder, HOSTS, Date.now());
  rmSync(join(folder, 'ca.key'));
  await t.rejects(serverCertificate(folder, HOSTS, Date.now()), /ca\.key is missing: restore it/);
});

test("the operator's own certificate must belong to its key", async (t) => {
  const root = t.testdir({});
  const [one, two] = [join(root, 'one'), join(root, 'two')];
  await serverCertificate(one, HOSTS, Date.now());
  await serverCertificate(two, HOSTS, Date.now());
  const files = (certificate: string, key: string) => ({
    caFile: join(certificate, 'ca.pem'),
    certFile: join(certificate, 'server.pem'),
    keyFile: join(key, 'server.key'),
  });
  t.match(await ownCertificate(files(one, one)), { certFile: join(one, 'server.pem') });
  await t.rejects(ownCertificate(files(one, two)), /bus\.tls\.key_file: .* is not the key of/);
  const missing = { ...files(one, one), caFile: join(root, 'none.pem') };
  await t.rejects(ownCertificate(missing), /bus\.tls\.ca_file: cannot read .*none\.pem/);
});

test('the keys of a bus are generated once, and damage is reported instead of repaired', async (t) => {
  const folder = join(t.testdir({}), 'bus');
  const first = await loadBusKeys(folder);
  const again = await loadBusKeys(folder);
  t.equal(again.bus.getPublicKey(), first.bus.getPublicKey());
  const path = join(folder, 'keys.json');
  const text = readFileSync(path, 'utf8');
  for (const damaged of [
    '',
    '{}',
    text.slice(0, -10),
    text.replace(/SU[A-Z2-7]{20}/, 'SUAAAAAAAAAAAAAAAAAAAA'),
  ]) {
    writeFileSync(path, damaged);
    await t.rejects(loadBusKeys(folder), /keys\.json: the keys of the bus are damaged/);
    t.equal(readFileSync(path, 'utf8'), damaged, 'left as it is');
  }
});
