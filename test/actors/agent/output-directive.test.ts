import fc from 'fast-check';
import { test } from 'tap';
import { parseDirective, readLine } from '../../../actors/agent/session/directives.ts';
import { Redactor } from '../../../actors/agent/session/redaction.ts';
import { outputPathWrong } from '../../../src/core/records/task-output.ts';

void test('a line names an output, and a bad one is an error in the log', (t) => {
  t.strictSame(parseDirective('callsheet_output: /out/f.exr '), { kind: 'output', path: '/out/f.exr' });
  t.equal(parseDirective('callsheet_output:/out/f.exr'), null);
  t.equal(parseDirective(' callsheet_output: /out/f.exr'), null);
  t.equal(parseDirective('Callsheet_output: /out/f.exr'), null);
  t.match(parseDirective('callsheet_output: /out/f', true), { kind: 'bad-output' });
  t.strictSame(readLine('callsheet_output: f.exr', false, new Redactor()), {
    directive: {
      kind: 'bad-output',
      reason: 'must be an absolute path (/mnt/a, C:\\a or \\\\server\\share) or s3://bucket/key',
    },
    logged:
      'callsheet_output: f.exr -- ERROR: The output must be an absolute path (/mnt/a, C:\\a or \\\\server\\share) or s3://bucket/key.',
    level: 'ERROR',
  });
  t.end();
});

void test('redacted values do not appear in an output', (t) => {
  const redactor = new Redactor();
  redactor.add('hunter2');
  t.match(readLine('callsheet_output: /out/hunter2/f', false, redactor).directive, {
    kind: 'output',
    path: '/out/********/f',
  });
  t.end();
});

void test('any text after the word is an output with a valid path, or an error', (t) => {
  const texts = fc.oneof(
    fc.string({ unit: 'binary' }),
    fc.string().map((text) => `/${text}`),
  );
  fc.assert(
    fc.property(texts, (text) => {
      const directive = parseDirective(`callsheet_output: ${text}`);
      if (directive === null) return text === '';
      if (directive.kind === 'output') return outputPathWrong(directive.path) === null;
      return directive.kind === 'bad-output';
    }),
  );
  t.end();
});
