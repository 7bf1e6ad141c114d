import { pathToFileURL } from 'node:url';
import { join } from 'node:path';
import { test } from 'tap';
import { ROOT } from '../tidy/project-files.ts';

interface Script {
  readonly sourceOf: (files: readonly { name: string; text: string }[], suite: string) => string | null;
}

const { sourceOf } = (await import(pathToFileURL(join(ROOT, 'scripts/newer-nats-server.js')).href)) as Script;

const KEY = '/usr/share/keyrings/debian-archive-keyring.gpg';
const EXPECTED = `Types: deb
URIs: http://mirror.example/debian
Suites: unstable
Components: main
Signed-By: ${KEY}
`;

const stanzas = (text: string): string | null => sourceOf([{ name: 'debian.sources', text }], 'unstable');
const lines = (text: string): string | null => sourceOf([{ name: 'sources.list', text }], 'unstable');

test('a newer suite has the address and the key of the machine', (t) => {
  const security = `Types: deb
URIs: http://mirror.example/debian-security
Suites: bookworm-security
Components: main
Signed-By: ${KEY}
`;
  const release = `Types: deb deb-src
# http://snapshot.example/debian
URIs: http://mirror.example/debian
Suites: bookworm bookworm-updates
Components: main contrib
Signed-By: ${KEY}
`;
  t.equal(stanzas(`${security}\n${release}`), EXPECTED);
  t.equal(stanzas(security), null, 'an archive of security updates has no other suites');
  t.equal(stanzas(`Enabled: no\n${release}`), null);
  t.equal(stanzas(release.replace('deb deb-src', 'deb-src')), null, 'sources only');
  t.equal(
    stanzas(release.replace(KEY, '\n -----BEGIN\n .\n -----END')),
    EXPECTED.replace(KEY, '\n -----BEGIN\n .\n -----END'),
    'a key may be part of the file',
  );
  t.end();
});

test('the format of one line is read, too', (t) => {
  const text = `# deb http://old.example/debian bookworm main
deb https://packages.example/tool bookworm main
deb [arch=amd64 signed-by=${KEY}] http://mirror.example/debian bookworm main
`;
  t.equal(lines(text), EXPECTED);
  t.equal(
    lines('deb http://mirror.example/debian/ bookworm main'),
    'Types: deb\nURIs: http://mirror.example/debian/\nSuites: unstable\nComponents: main\n',
  );
  t.equal(lines('deb http://archive.example/ubuntu noble main'), null);
  t.end();
});
