import { RE2JS } from 're2js';
import { test } from 'tap';
import { ANYWHERE, AT_START, CountingInput, Program } from '../../../src/adapters/regex/re2-machine.ts';

/** Members of the input that the machine of re2js 2.10 reads. */
const INPUT_MEMBERS = new Set(['canCheckPrefix', 'context', 'endPos', 'index', 'step']);

/** Returns the input with a record of the members that the machine reads. */
function recorded(input: CountingInput): { readonly input: CountingInput; readonly read: Set<string> } {
  const read = new Set<string>();
  const proxy = new Proxy(input, {
    get(target, name) {
      read.add(String(name));
      const value: unknown = Reflect.get(target, name);
      return typeof value === 'function' ? (value.bind(target) as unknown) : value;
    },
  });
  return { input: proxy, read };
}

const noWork = (): void => undefined;

test('re2js has the internal members that the port uses', (t) => {
  const re = RE2JS.compile('b+(c)');
  const compiled = re.re2();
  t.type(Reflect.get(compiled, 'doExecuteNFA'), 'function', 'RE2.doExecuteNFA');
  t.equal(compiled.cond, 0, 'RE2.cond of a pattern without an anchor');
  t.equal(RE2JS.compile('\\Ab').re2().cond, 4, 'RE2.cond of a pattern that begins at the start of the text');
  t.equal(RE2JS.compile('bc').re2().prefix, 'bc', 'RE2.prefix');
  t.ok(Number.isSafeInteger(re.programSize()) && re.programSize() > 0, 'RE2JS.programSize');
  t.equal(re.groupCount(), 1, 'RE2JS.groupCount');
  t.end();
});

test('the machine reads its input through the members of CountingInput only', (t) => {
  const read = new Set<string>();
  for (const pattern of ['bc', '(b|c)+', '^b', 'b$', '(?m)^c', '\\bc\\B', '[^a]*?c', '\\x{1F30D}']) {
    for (const text of ['', 'bc', 'aaabc', 'a\nc 🌍']) {
      const { input, read: names } = recorded(new CountingInput(text, 0, false, noWork));
      RE2JS.compile(pattern).re2().doExecuteNFA(input, 0, ANYWHERE, 4);
      for (const name of names) read.add(name);
    }
  }
  t.same([...read].sort(), [...INPUT_MEMBERS].sort());
  t.end();
});

test('the machine returns positions of the input, or null', (t) => {
  const run = (pattern: string, text: string, anchor: number): unknown =>
    RE2JS.compile(pattern)
      .re2()
      .doExecuteNFA(new CountingInput(text, 0, false, noWork), 0, anchor, 4);
  t.same(run('b(c)', 'a🌍bc', ANYWHERE), [3, 5, 4, 5], 'UTF-16 positions of the match and its group');
  t.same(run('b(x)?', 'b', ANYWHERE), [0, 1, -1, -1], 'a group that did not participate');
  t.equal(run('b', 'ab', AT_START), null, 'the anchor');
  t.equal(run('b', 'a', ANYWHERE), null, 'no match');
  t.end();
});

test('the machine takes the conditions of a position from the input', (t) => {
  const matches = (pattern: string, text: string, wordBoundaries: boolean): boolean => {
    const program = new Program(pattern);
    program.disableStartShortcut();
    return program.run(text, 0, { offset: 1, anchor: ANYWHERE, wordBoundaries }, noWork) !== null;
  };
  t.ok(matches('\\Aa', 'a', true), 'start of the text');
  t.notOk(matches('\\Aa', 'ba', true));
  t.ok(matches('a\\z', 'ba', true), 'end of the text');
  t.notOk(matches('a\\z', 'ab', true));
  t.ok(matches('(?m)^a$', 'b\na\nb', true), 'start and end of a line');
  t.ok(matches('\\bé\\b', 'a é a', true), 'word boundaries of Unicode');
  t.ok(matches('é\\B', 'éé', true));
  t.notOk(matches('\\bé', 'é', false), 'no word boundary that the input does not report');
  t.end();
});

test('without the start shortcut the text can begin behind position 0', (t) => {
  const options = { offset: 1, anchor: ANYWHERE, wordBoundaries: true } as const;
  const program = new Program('\\Aa');
  t.equal(program.run('a', 0, options, noWork), null, 'the shortcut expects the start at position 0');
  program.disableStartShortcut();
  t.same(program.run('a', 0, options, noWork), { start: 0, end: 1, groups: [] });
  t.end();
});

test('the machine reads each code point, so that the work can be counted', (t) => {
  const work = (length: number): number => {
    let steps = 0;
    new Program('(x+x+)+y').run(
      'x'.repeat(length),
      0,
      { offset: 0, anchor: ANYWHERE, wordBoundaries: false },
      (n) => {
        steps += n;
      },
    );
    return steps;
  };
  t.ok(work(100) >= 100 * new Program('(x+x+)+y').cost);
  t.equal(work(100), work(100), 'deterministic');
  t.end();
});
