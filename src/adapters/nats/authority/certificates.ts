import { createHash, createPrivateKey, randomBytes, webcrypto, X509Certificate } from 'node:crypto';
import { chmod, mkdir, readFile } from 'node:fs/promises';
import { isIP } from 'node:net';
import { join } from 'node:path';
import { replaceFile } from '../../system/durable-file.ts';
import { readTextIfPresent } from '../../system/read-if-present.ts';

/** PEM files of the managed server. */
export interface ServerCertificate {
  readonly certFile: string;
  readonly keyFile: string;
  /** Text of `certFile`. */
  readonly pem: string;
  /** Certificate authority that workers pin. */
  readonly caPem: string;
}

/** Own certificates of the operator for the managed server: paths of PEM files. */
export interface OwnCertificates {
  readonly certFile: string;
  readonly keyFile: string;
  readonly caFile: string;
}

const DAY_MS = 24 * 3600 * 1000;
const CA_DAYS = 7300;
const SERVER_DAYS = 825;
/** A server certificate is replaced when this time is left. */
const RENEWAL_DAYS = 275;
const ALGORITHM = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' } as const;
/** Clocks of workers may be behind. */
const BACKDATED_MS = DAY_MS;

/** Returns the SHA-256 of a certificate's DER form, in base64url. */
export const fingerprintOf = (pem: string): string =>
  createHash('sha256').update(new X509Certificate(pem).raw).digest('base64url');

/**
 * Returns the certificate of the managed server for these host names and addresses. The certificate authority is created
 * at the first start and kept, unless one is given; the certificate of the server is created again when it lacks a name,
 * ends soon, or is of another authority.
 *
 * @throws Error that names the file if a file cannot be read or written, or does not belong to the others.
 */
export async function serverCertificate(
  folder: string,
  hosts: readonly string[],
  now: number,
  given: Authority | null = null,
): Promise<ServerCertificate> {
  await prepareFolder(folder);
  const ca = given ?? (await loadAuthority(folder, now));
  return issuedCertificate({ ca, ...filesIn(folder, 'server'), hosts, now, isClient: false });
}

/**
 * Returns the certificate with which a node of a cluster proves its identity to the other nodes, as server and as client,
 * and its authority as a file. It is created again when it lacks a name, ends soon, or is of another authority.
 *
 * @throws Error that names the file if a file cannot be read or written.
 */
export async function routeCertificate(
  folder: string,
  hosts: readonly string[],
  now: number,
  ca: Authority,
): Promise<ServerCertificate & { readonly caFile: string }> {
  await prepareFolder(folder);
  const caFile = join(folder, 'route-ca.pem');
  await replaceFile(caFile, ca.pem);
  const issued = await issuedCertificate({
    ca,
    ...filesIn(folder, 'route'),
    hosts,
    now,
    isClient: true,
  });
  return { ...issued, caFile };
}

const filesIn = (folder: string, name: string) => ({
  certFile: join(folder, `${name}.pem`),
  keyFile: join(folder, `${name}.key`),
});

async function prepareFolder(folder: string): Promise<void> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  await chmod(folder, 0o700);
}

/** Returns the certificate in the files, or a new one if it cannot be used any more. */
async function issuedCertificate(request: ServerRequest): Promise<ServerCertificate> {
  const { ca, certFile, keyFile, hosts, now } = request;
  if (!(await isCurrent(certFile, keyFile, ca.pem, hosts, now))) await createServerCertificate(request);
  return { certFile, keyFile, pem: await readFile(certFile, 'utf8'), caPem: ca.pem };
}

/** Returns the operator's own certificates, after a check that they belong together. */
export async function ownCertificate(files: OwnCertificates): Promise<ServerCertificate> {
  const caPem = await pemOf('bus.tls.ca_file', files.caFile);
  const pem = await pemOf('bus.tls.cert_file', files.certFile);
  const certificate = new X509Certificate(pem);
  const key = createPrivateKey(await pemOf('bus.tls.key_file', files.keyFile));
  if (!certificate.checkPrivateKey(key))
    throw new Error(`bus.tls.key_file: ${files.keyFile} is not the key of ${files.certFile}`);
  return { certFile: files.certFile, keyFile: files.keyFile, pem, caPem };
}

async function pemOf(key: string, path: string): Promise<string> {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    throw new Error(`${key}: cannot read ${path}: ${error instanceof Error ? error.message : String(error)}`);
  }
}

/** A certificate authority. */
export interface Authority {
  readonly pem: string;
  /** PEM of its private key. */
  readonly keyPem: string;
}

async function loadAuthority(folder: string, now: number): Promise<Authority> {
  const stored = await storedAuthority(folder);
  if (stored !== null) return stored;
  const created = await createAuthority(now);
  await replaceFile(join(folder, 'ca.key'), created.keyPem);
  await replaceFile(join(folder, 'ca.pem'), created.pem);
  return created;
}

/**
 * Returns the certificate authority in this folder; null if the file is missing.
 *
 * @throws Error that names the file if its key is missing.
 */
export async function storedAuthority(folder: string): Promise<Authority | null> {
  const path = join(folder, 'ca.pem');
  const keyPath = join(folder, 'ca.key');
  const [pem, keyPem] = [await readTextIfPresent(path), await readTextIfPresent(keyPath)];
  if (pem === null) return null;
  if (keyPem !== null) return { pem, keyPem };
  throw new Error(
    `${keyPath} is missing: restore it, or remove ${path} too; then all workers must join again`,
  );
}

interface ServerRequest {
  readonly ca: Authority;
  readonly certFile: string;
  readonly keyFile: string;
  readonly hosts: readonly string[];
  readonly now: number;
  /** Whether the certificate is also valid for outgoing connections. */
  readonly isClient: boolean;
}

/** Reports whether the certificate of the server can be used: its key, signer, names, and the time that is left. */
async function isCurrent(
  certFile: string,
  keyFile: string,
  caPem: string,
  hosts: readonly string[],
  now: number,
): Promise<boolean> {
  const [pem, keyPem] = [await readTextIfPresent(certFile), await readTextIfPresent(keyFile)];
  if (pem === null || keyPem === null) return false;
  const certificate = new X509Certificate(pem);
  const left = Date.parse(certificate.validTo) - now;
  return (
    left > RENEWAL_DAYS * DAY_MS &&
    certificate.verify(new X509Certificate(caPem).publicKey) &&
    certificate.checkPrivateKey(createPrivateKey(keyPem)) &&
    hosts.every((host) => namesHost(certificate, host))
  );
}

const namesHost = (certificate: X509Certificate, host: string): boolean =>
  (isIP(host) === 0 ? certificate.checkHost(host) : certificate.checkIP(host)) !== undefined;

/** Creates a certificate authority that is valid from now on. */
export async function createAuthority(now: number): Promise<Authority> {
  const x509 = await library();
  const keys = await webcrypto.subtle.generateKey(ALGORITHM, true, ['sign', 'verify']);
  const usages = x509.KeyUsageFlags.keyCertSign | x509.KeyUsageFlags.cRLSign;
  const certificate = await x509.X509CertificateGenerator.createSelfSigned({
    serialNumber: serialNumber(),
    name: 'CN=Callsheet bus',
    notBefore: new Date(now - BACKDATED_MS),
    notAfter: new Date(now + CA_DAYS * DAY_MS),
    keys,
    signingAlgorithm: ALGORITHM,
    extensions: [
      new x509.BasicConstraintsExtension(true, 0, true),
      new x509.KeyUsagesExtension(usages, true),
      await x509.SubjectKeyIdentifierExtension.create(keys.publicKey),
    ],
  });
  return { pem: `${certificate.toString('pem')}\n`, keyPem: await privatePem(keys.privateKey) };
}

async function createServerCertificate(request: ServerRequest): Promise<void> {
  const { ca, certFile, keyFile, hosts, now, isClient } = request;
  const x509 = await library();
  const issuer = new x509.X509Certificate(ca.pem);
  const signingKey = await webcrypto.subtle.importKey('pkcs8', derOf(ca.keyPem), ALGORITHM, false, ['sign']);
  const keys = await webcrypto.subtle.generateKey(ALGORITHM, true, ['sign', 'verify']);
  const names = hosts.map((host) => ({
    type: isIP(host) === 0 ? ('dns' as const) : ('ip' as const),
    value: host,
  }));
  const certificate = await x509.X509CertificateGenerator.create({
    serialNumber: serialNumber(),
    subject: 'CN=Callsheet bus server',
    issuer: issuer.subject,
    notBefore: new Date(now - BACKDATED_MS),
    notAfter: new Date(now + SERVER_DAYS * DAY_MS),
    publicKey: keys.publicKey,
    signingKey,
    signingAlgorithm: ALGORITHM,
    extensions: [
      new x509.BasicConstraintsExtension(false, undefined, true),
      new x509.KeyUsagesExtension(x509.KeyUsageFlags.digitalSignature, true),
      new x509.ExtendedKeyUsageExtension([
        x509.ExtendedKeyUsage.serverAuth,
        ...(isClient ? [x509.ExtendedKeyUsage.clientAuth] : []),
      ]),
      new x509.SubjectAlternativeNameExtension(names),
      await x509.AuthorityKeyIdentifierExtension.create(issuer),
    ],
  });
  await replaceFile(keyFile, await privatePem(keys.privateKey));
  // With the certificate authority: a worker that joins pins it in the chain.
  await replaceFile(certFile, `${certificate.toString('pem')}\n${ca.pem}`);
}

/** A positive number of 16 bytes, as certificates require it. */
function serialNumber(): string {
  const bytes = randomBytes(SERIAL_BYTES);
  bytes.writeUInt8((bytes.readUInt8(0) & 0x3f) | 0x40, 0);
  return bytes.toString('hex');
}

const SERIAL_BYTES = 16;

async function privatePem(key: webcrypto.CryptoKey): Promise<string> {
  const der = Buffer.from(await webcrypto.subtle.exportKey('pkcs8', key));
  return createPrivateKey({ key: der, format: 'der', type: 'pkcs8' })
    .export({ format: 'pem', type: 'pkcs8' })
    .toString();
}

const derOf = (pem: string): Buffer => createPrivateKey(pem).export({ format: 'der', type: 'pkcs8' });

/** Loaded only when a certificate is created: most starts do without. */
async function library() {
  await import('reflect-metadata');
  return import('@peculiar/x509');
}
