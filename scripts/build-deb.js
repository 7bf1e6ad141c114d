/**
 * `npm run deb [-- --output FOLDER]`: packs Callsheet and writes a Debian package of it for the architecture of this machine, with its
 * production packages, the units, the account and the directories (docs/deployment.md#the-debian-package). Needs the package registry or its
 * cache, and dpkg-deb.
 */
import { createHash } from 'node:crypto';
import {
  chmodSync,
  cpSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, relative, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { gzipSync } from 'node:zlib';
import { install } from './bootstrap.js';
import { Stop, capture, root, runMain } from './run.js';

const REVISION = 1;
const UNITS = ['callsheet-server.service', 'callsheet-worker.service'];
const CONFIGURATION = ['server.yaml', 'worker.yaml'];
const SCRIPTS = ['postinst', 'prerm', 'postrm'];

const say = (text) => console.log(`deb: ${text}`);

async function must(program, args, env = process.env) {
  const { status, output } = await capture(program, args, { env });
  if (status !== 0) throw new Stop(`${program} ${args.join(' ')} failed:\n${output}`);
  return output.trim();
}

/** Returns the paths of all files and links below a folder, relative to it. */
const filesOf = (folder) =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => !entry.isDirectory())
    .map((entry) => relative(folder, join(entry.parentPath, entry.name)))
    .sort();

function write(file, content, mode = 0o644) {
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, content);
  chmodSync(file, mode);
}

/** Installs the npm package with its production packages into the tree. */
async function addProgram(tree, folder, env) {
  await must('npm', ['pack', '--pack-destination', folder], env);
  const tarball = readdirSync(folder).find((name) => name.endsWith('.tgz'));
  if (tarball === undefined) throw new Stop('npm pack wrote no package.');
  const prefix = join(folder, 'prefix');
  await must(
    'npm',
    [
      'install',
      '--global',
      '--prefix',
      prefix,
      '--ignore-scripts',
      '--prefer-offline',
      '--no-audit',
      '--no-fund',
      join(folder, tarball),
    ],
    env,
  );
  cpSync(join(prefix, 'lib/node_modules/callsheet'), join(tree, 'opt/callsheet'), {
    recursive: true,
    verbatimSymlinks: true,
  });
  mkdirSync(join(tree, 'usr/bin'), { recursive: true });
  symlinkSync('/opt/callsheet/bin/callsheet.js', join(tree, 'usr/bin/callsheet'));
}

/** Adds units, configuration and documentation. Returns the configuration files. */
function addSystemFiles(tree) {
  const deploy = (path) => readFileSync(join(root, 'deploy', path));
  for (const unit of UNITS) write(join(tree, 'usr/lib/systemd/system', unit), deploy(`systemd/${unit}`));
  for (const name of CONFIGURATION) write(join(tree, 'etc/callsheet', name), deploy(`etc/${name}`));
  write(join(tree, 'etc/logrotate.d/callsheet'), deploy('debian/logrotate'));
  const documents = join(tree, 'usr/share/doc/callsheet');
  write(
    join(documents, 'copyright'),
    `${readFileSync(join(root, 'NOTICE'), 'utf8')}\nLicense: /opt/callsheet/LICENSE (Apache-2.0). Other components: /opt/callsheet/THIRD-PARTY-NOTICES.\n`,
  );
  write(join(documents, 'changelog.gz'), gzipSync(readFileSync(join(root, 'CHANGELOG.md')), { level: 9 }));
  write(
    join(documents, 'examples/isolation.conf'),
    deploy('systemd/callsheet-worker.service.d/isolation.conf'),
  );
  return [...CONFIGURATION.map((name) => `/etc/callsheet/${name}`), '/etc/logrotate.d/callsheet'];
}

function controlOf({ version, architecture, kib }) {
  return `Package: callsheet
Version: ${version}-${REVISION}
Architecture: ${architecture}
Maintainer: Callsheet <callsheet@localhost>
Section: net
Priority: optional
Installed-Size: ${kib}
Depends: nodejs (>= 20.19), bash, grep, passwd, procps, util-linux
Recommends: nats-server (>= 2.9), perl, logrotate
Description: render farm scheduler: service, worker and command line
 Farms, jobs and workers as actors, leases over NATS, state in LMDB. Job
 templates are those of Open Job Description.
 .
 The package has the units of the service and of the worker, and starts
 neither: enable callsheet-server on one machine and callsheet-worker on
 each render node.
`;
}

/** Builds the package and returns its path. */
async function buildDeb(output, env) {
  const architecture = await must('dpkg', ['--print-architecture']);
  const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  const folder = mkdtempSync(join(tmpdir(), 'callsheet-deb-'));
  try {
    const tree = join(folder, 'tree');
    await addProgram(tree, folder, env);
    const configuration = addSystemFiles(tree);
    const files = filesOf(tree);
    const sizeBytes = files.reduce((sum, path) => sum + lstatSync(join(tree, path)).size, 0);
    const sums = files
      .filter((path) => lstatSync(join(tree, path)).isFile() && !configuration.includes(`/${path}`))
      .map(
        (path) =>
          `${createHash('md5')
            .update(readFileSync(join(tree, path)))
            .digest('hex')}  ${path}\n`,
      );
    const control = (name, content, mode) => write(join(tree, 'DEBIAN', name), content, mode);
    control('control', controlOf({ version, architecture, kib: Math.ceil(sizeBytes / 1024) }));
    control('conffiles', configuration.map((path) => `${path}\n`).join(''));
    control('md5sums', sums.join(''));
    for (const name of SCRIPTS) control(name, readFileSync(join(root, 'deploy/debian', name)), 0o755);
    await must('chmod', ['-R', 'u+rwX,go=rX', tree]);
    mkdirSync(output, { recursive: true });
    const file = join(output, `callsheet_${version}-${REVISION}_${architecture}.deb`);
    await must('dpkg-deb', ['--root-owner-group', '-Zxz', '--build', tree, file]);
    say(
      `${file}: ${(lstatSync(file).size / 2 ** 20).toFixed(1)} MiB, installed ${(sizeBytes / 2 ** 20).toFixed(1)} MiB`,
    );
    return file;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

await runMain(async () => {
  const { values } = parseArgs({ options: { output: { type: 'string', default: '.' } } });
  const env = await install({ bus: false });
  await buildDeb(resolve(values.output), env);
  return 0;
});
