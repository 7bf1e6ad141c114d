import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** Paths of PEM files of a certificate authority, a server on the loopback and a client. */
export interface Certificates {
  readonly ca: string;
  readonly serverCert: string;
  readonly serverKey: string;
  readonly clientCert: string;
  readonly clientKey: string;
}

const KEY = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-noenc'];

/** Creates certificates in a folder with `openssl`. `names` are those of the server. */
export function makeCertificates(folder: string, names = 'IP:127.0.0.1,DNS:localhost'): Certificates {
  const path = (name: string): string => join(folder, name);
  const openssl = (...args: string[]): void => {
    execFileSync('openssl', args, { stdio: ['ignore', 'ignore', 'pipe'] });
  };
  const ca = path('ca.pem');
  const caKey = path('ca.key');
  openssl('req', '-x509', ...KEY, '-keyout', caKey, '-out', ca, '-days', '2', '-subj', '/CN=Test authority');
  const issue = (name: string, usage: string): void => {
    const extensions = path(`${name}.ext`);
    writeFileSync(extensions, `subjectAltName=${names}\nextendedKeyUsage=${usage}\n`);
    const request = path(`${name}.csr`);
    openssl('req', ...KEY, '-keyout', path(`${name}.key`), '-out', request, '-subj', `/CN=${name}`);
    const signing = ['-CA', ca, '-CAkey', caKey, '-CAcreateserial', '-days', '2', '-extfile', extensions];
    openssl('x509', '-req', '-in', request, ...signing, '-out', path(`${name}.pem`));
  };
  issue('server', 'serverAuth');
  issue('client', 'clientAuth');
  return {
    ca,
    serverCert: path('server.pem'),
    serverKey: path('server.key'),
    clientCert: path('client.pem'),
    clientKey: path('client.key'),
  };
}
