import { once } from 'node:events';
import { chmodSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { test, type Test } from 'tap';
import { findApplications } from '../../../src/adapters/host/find-applications.ts';
import { KNOWN_APPLICATIONS } from '../../../src/core/applications/known-applications.ts';

function scratch(t: Test): string {
  const folder = mkdtempSync(join(tmpdir(), 'callsheet-apps-'));
  t.teardown(() => {
    rmSync(folder, { recursive: true, force: true });
  });
  return folder;
}

function install(folder: string, path: string, mode = 0o755): void {
  const file = join(folder, path);
  mkdirSync(dirname(file), { recursive: true });
  // The program must not be run; running it would create a file.
  writeFileSync(file, `#!/bin/sh\ntouch ${JSON.stringify(join(folder, 'was-run'))}\n`);
  chmodSync(file, mode);
}

const found = (root: string, environment: Record<string, string>, system = 'linux') =>
  findApplications(KNOWN_APPLICATIONS, { system, environment, root });

test('finds executable programs on the PATH', async (t) => {
  const root = scratch(t);
  install(root, 'bin/blender');
  install(root, 'bin/ffmpeg');
  install(root, 'other/oiiotool');
  install(root, 'bin/kick', 0o644);
  install(root, 'bin/prman/file');
  symlinkSync('nowhere', join(root, 'bin/magick'));
  symlinkSync(join(root, 'bin/ffmpeg'), join(root, 'bin/git-lfs'));
  const PATH = `${root}/bin:${root}/missing:relative::${root}/other`;
  t.same(await found(root, { PATH }), ['blender', 'ffmpeg', 'git_lfs', 'oiiotool']);
  t.same(await found(root, {}), []);
  t.throws(() => chmodSync(join(root, 'was-run'), 0o644), { code: 'ENOENT' }, 'no program was run');
});

test('finds install directories of each operating system', async (t) => {
  const root = scratch(t);
  install(root, 'opt/hfs20.5.332/bin/hython');
  install(root, 'usr/autodesk/maya2025/bin/maya');
  install(root, 'usr/local/Nuke15.1v2/Nuke15.1');
  install(root, 'opt/blenderkit/readme');
  install(root, 'Applications/Blender 4.2.app/Contents/MacOS/Blender');
  install(root, 'Applications/Nuke15.1v2/Nuke15.1v2.app/Contents/MacOS/Nuke15.1');
  t.same(await found(root, { PATH: '' }), ['houdini', 'maya', 'nuke']);
  t.same(await found(root, { PATH: '' }, 'macos'), ['blender', 'nuke']);
  t.same(await found(root, { PATH: '' }, 'freebsd'), []);
});

test('finds render programs where their installers put them', async (t) => {
  const root = scratch(t);
  install(root, 'opt/hfs20.5.332/bin/husk');
  install(root, 'opt/BlackmagicDesign/FusionRenderNode18/FusionRenderNode');
  install(root, 'opt/keyshot13/bin/keyshot_headless');
  install(
    root,
    'Applications/Blackmagic Fusion 18 Render Node/Fusion Render Node.app/Contents/MacOS/Fusion Render Node',
  );
  install(root, 'Applications/KeyShot12.app/Contents/MacOS/keyshot_headless');
  t.same(await found(root, { PATH: '' }), ['fusion', 'husk', 'keyshot']);
  t.same(await found(root, { PATH: '' }, 'macos'), ['fusion', 'keyshot']);
  for (const program of ['povray', 'colmap', 'husk', 'FusionRenderNode', 'oidnDenoise', 'maketx']) {
    install(root, `bin/${program}`);
  }
  install(root, 'bin/keyshot_headless');
  t.same(
    await found(root, { PATH: join(root, 'bin') }, 'freebsd'),
    ['colmap', 'fusion', 'husk', 'keyshot', 'maketx', 'oidn', 'povray'],
    'on the PATH of any system',
  );
});

test('finds installations by environment variables', async (t) => {
  const root = scratch(t);
  install(root, 'mnt/houdini/bin/hython');
  t.same(
    await found(root, { HFS: join(root, 'mnt/houdini'), RMANTREE: join(root, 'gone'), MAYA_LOCATION: '' }),
    ['houdini'],
  );
});

test('a star in a name is not a wildcard', async (t) => {
  const root = scratch(t);
  install(root, 'opt/hfs+/bin/hython');
  install(root, 'opt/xhfs20/bin/hython');
  const applications = [
    { tag: 'one', title: 'One', programs: [], places: { linux: ['/opt/hfs*/bin/hython'] } },
    { tag: 'two', title: 'Two', programs: [], places: { linux: ['/opt/hfs.*/bin/hython'] } },
  ];
  t.same(await findApplications(applications, { system: 'linux', environment: {}, root }), ['one']);
});

test('finds Docker if its engine is reachable', async (t) => {
  const root = scratch(t);
  install(root, 'bin/docker');
  const PATH = join(root, 'bin');
  t.same(await found(root, { PATH }), [], 'without the socket');
  t.same(await found(root, { PATH, DOCKER_HOST: `unix://${root}/no.sock` }), []);
  t.same(await found(root, { PATH, DOCKER_HOST: 'tcp://engine:2376' }), ['docker']);
  mkdirSync(join(root, 'var/run'), { recursive: true });
  writeFileSync(join(root, 'var/run/docker.sock'), '');
  t.same(await found(root, { PATH }), [], 'a regular file instead of a socket');
  rmSync(join(root, 'var/run/docker.sock'));
  const engine = createServer().listen(join(root, 'var/run/docker.sock'));
  await once(engine, 'listening');
  t.teardown(() => engine.close());
  t.same(await found(root, { PATH }), ['docker']);
  t.same(await found(root, { PATH: '' }), [], 'a socket without the program');
  t.same(await found(root, { PATH, DOCKER_HOST: `unix://${root}/var/run/docker.sock` }), ['docker']);
});
