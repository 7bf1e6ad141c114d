import { join } from 'node:path';
import { test } from 'tap';
import { readConfigFile } from '../../../src/adapters/system/config-file.ts';

test('a configuration file is read as YAML', async (t) => {
  const dir = t.testdir({ 'c.yaml': 'http:\n  addr: 127.0.0.1:1\nlog.level: debug\n', 'empty.yaml': '' });
  t.same(readConfigFile(join(dir, 'c.yaml')), {
    ok: true,
    document: { http: { addr: '127.0.0.1:1' }, 'log.level': 'debug' },
  });
  t.same(readConfigFile(join(dir, 'empty.yaml')), { ok: true, document: null });
});

test('an error in a file is reported in one line', async (t) => {
  const dir = t.testdir({
    'broken.yaml': 'a: 1\nb: [1, 2\n',
    'twice.yaml': 'a: 1\na: 2\n',
    'large.yaml': '#'.repeat(1024 * 1024 + 1),
  });
  const lines = ['broken.yaml', 'twice.yaml', 'large.yaml', 'missing.yaml'].map((name) => {
    const read = readConfigFile(join(dir, name));
    return read.ok ? 'fine' : read.line.replaceAll(dir, 'DIR');
  });
  t.match(lines[0], /^the file DIR\/broken\.yaml is not valid YAML at line 3, column 1: .+$/);
  t.equal(lines[1], 'the file DIR/twice.yaml is not valid YAML at line 2, column 1: Map keys must be unique');
  t.equal(lines[2], 'the file DIR/large.yaml is larger than 1048576 bytes');
  t.match(lines[3], /^the file DIR\/missing\.yaml cannot be read: ENOENT/);
  for (const line of lines) t.notMatch(line, /\n/);
});
