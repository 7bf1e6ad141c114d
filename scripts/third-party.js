/**
 * What the package ships of others: THIRD-PARTY-NOTICES and sbom.cdx.json (CycloneDX), from the lockfile and the installed packages.
 * `npm run generate` writes them, and `npm run check` fails if they are stale.
 *
 * Shipped are the production dependencies, what the bundle of the web application contains, and the binaries of the HTTP engine.
 */
import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { PINNED } from '../dist/http/server/uws/binary.js';
import { root } from './run.js';

const IMPORT = /(?:from|import) '((?:@[^/']+\/)?[^./'][^/']*)/g;
const LICENSE_FILE = /^(licen[cs]e|copying)/i;
const ENGINE = {
  name: 'uWebSockets.js',
  author: 'Alex Hultman',
  license: 'Apache-2.0',
  url: 'https://github.com/uNetworking/uWebSockets.js',
};

const readLock = () => JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8'));
const nameOf = (path) => path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length);

/** Finds the package that a package gets when it imports a name: the nearest one above it. */
function resolve(packages, from, name) {
  for (let at = from; ; at = at.slice(0, Math.max(at.lastIndexOf('node_modules/') - 1, 0))) {
    const path = at === '' ? `node_modules/${name}` : `${at}/node_modules/${name}`;
    if (packages[path] !== undefined) return path;
    if (at === '') return null;
  }
}

/** Names of the packages that the sources of the web application import. */
function importedByWeb() {
  const names = new Set();
  for (const entry of readdirSync(join(root, 'web'), { recursive: true, withFileTypes: true })) {
    if (!entry.isFile() || !/\.tsx?$/.test(entry.name)) continue;
    const text = readFileSync(join(entry.parentPath, entry.name), 'utf8');
    for (const [, name] of text.matchAll(IMPORT)) names.add(name);
  }
  return names;
}

/**
 * Returns the shipped packages by path, in order.
 *
 * @returns {{ path: string, name: string, entry: Record<string, any>, parent: string | null, isBundled: boolean }[]}
 */
export function shippedPackages() {
  const { packages } = readLock();
  const found = new Map();
  const visit = (path, parent, isBundled) => {
    const known = found.get(path);
    if (known !== undefined && (!known.isBundled || isBundled)) return;
    const entry = packages[path];
    found.set(path, { path, name: nameOf(path), entry, parent, isBundled });
    const needed = { ...entry.dependencies, ...(isBundled ? {} : entry.optionalDependencies) };
    for (const name of Object.keys(needed)) {
      const next = resolve(packages, path, name);
      if (next !== null) visit(next, path, isBundled);
    }
  };
  const top = packages[''];
  for (const name of Object.keys(top.dependencies)) visit(`node_modules/${name}`, null, false);
  for (const name of importedByWeb()) {
    if (name in top.devDependencies) visit(`node_modules/${name}`, null, true);
  }
  return [...found.values()].sort((a, b) => (a.path < b.path ? -1 : 1));
}

/** Text of the license files and notices in the folder of a package; '' if there are none. */
function licenseText(path) {
  const folder = join(root, path);
  if (!existsSync(folder)) return '';
  return readdirSync(folder)
    .filter((name) => LICENSE_FILE.test(name) || /^notice/i.test(name))
    .sort()
    .map((name) => readFileSync(join(folder, name), 'utf8').replaceAll('\r\n', '\n').trim())
    .join('\n\n');
}

/** Packages for one system have no text of their own, and are not all installed: they get that of the package that needs them. */
const isForOneSystem = ({ entry }) => entry.os !== undefined || entry.cpu !== undefined;

/** Returns the text of THIRD-PARTY-NOTICES. */
export function thirdPartyNotices() {
  const byText = new Map();
  for (const each of shippedPackages()) {
    const text = licenseText(isForOneSystem(each) ? each.parent : each.path);
    const title = `${each.name} ${each.entry.version} (${each.entry.license})`;
    const group = text === '' ? `Without a license text in the package: ${each.entry.license}.` : text;
    byText.set(group, [...(byText.get(group) ?? []), title]);
  }
  const rule = '-'.repeat(80);
  const parts = [...byText].map(([text, titles]) => [rule, ...new Set(titles), '', text, ''].join('\n'));
  return [
    'Callsheet includes or installs the following software of others.',
    'Made by `npm run generate` from package-lock.json. Do not edit by hand.',
    '',
    rule,
    `${ENGINE.name} (${ENGINE.license}), ${ENGINE.url}`,
    '',
    `Authored by ${ENGINE.author}. The text of its license is in LICENSE; the binaries in dist/engine are`,
    'those of the package uws-pack, unchanged.',
    '',
    ...parts,
  ].join('\n');
}

const hashOf = (integrity) => {
  const [algorithm, digest] = integrity.split(' ')[0].split('-');
  const alg = { sha512: 'SHA-512', sha1: 'SHA-1', sha256: 'SHA-256' }[algorithm];
  return { alg, content: Buffer.from(digest, 'base64').toString('hex') };
};

const licensesOf = (license) =>
  / (OR|AND) /.test(license) ? [{ expression: license }] : [{ license: { id: license } }];

const purlOf = (name, version) => `pkg:npm/${name.replace(/^@/, '%40')}@${version}`;

/** Returns a software bill of materials in CycloneDX 1.5. It has no time and no serial number, so that it changes only with its content. */
export function softwareBill() {
  const { name, version, license } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  const { packages } = readLock();
  const shipped = shippedPackages();
  const refOf = ({ path, entry }) =>
    `${nameOf(path)}@${entry.version}${path.split('node_modules/').length > 2 ? `|${path}` : ''}`;
  const components = shipped.map((each) => ({
    type: 'library',
    'bom-ref': refOf(each),
    name: each.name,
    version: each.entry.version,
    scope: each.entry.optional === true ? 'optional' : 'required',
    purl: purlOf(each.name, each.entry.version),
    hashes: [hashOf(each.entry.integrity)],
    licenses: licensesOf(each.entry.license),
    ...(each.isBundled && { properties: [{ name: 'callsheet:bundled', value: 'dist/web-app' }] }),
  }));
  const engine = Object.entries(PINNED)
    .filter(([file]) => file.startsWith('uws_linux_'))
    .map(([file, checksum]) => ({
      type: 'library',
      'bom-ref': `${ENGINE.name}|${file}`,
      name: ENGINE.name,
      version: packages['node_modules/uWebSockets.js'].version,
      scope: 'optional',
      hashes: [{ alg: 'SHA-256', content: checksum }],
      licenses: licensesOf(ENGINE.license),
      properties: [{ name: 'callsheet:file', value: `dist/engine/${file}` }],
    }));
  const byPath = new Map(shipped.map((each) => [each.path, each]));
  const edges = (path, names) =>
    names
      .map((each) => resolve(packages, path, each))
      .filter((each) => each !== null && byPath.has(each))
      .map((each) => refOf(byPath.get(each)))
      .sort();
  const top = `${name}@${version}`;
  const direct = shipped.filter(({ parent }) => parent === null).map(refOf);
  const document = {
    bomFormat: 'CycloneDX',
    specVersion: '1.5',
    version: 1,
    metadata: {
      component: {
        type: 'application',
        'bom-ref': top,
        name,
        version,
        purl: purlOf(name, version),
        licenses: licensesOf(license),
      },
    },
    components: [...components, ...engine],
    dependencies: [
      { ref: top, dependsOn: [...direct, ...engine.map((each) => each['bom-ref'])].sort() },
      ...shipped.map((each) => ({
        ref: refOf(each),
        dependsOn: edges(
          each.path,
          Object.keys({ ...each.entry.dependencies, ...each.entry.optionalDependencies }),
        ),
      })),
    ],
  };
  return `${JSON.stringify(document, null, 2)}\n`;
}
