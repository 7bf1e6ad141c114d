import fc from 'fast-check';
import { test } from 'tap';
import {
  REDACTED,
  Redactor,
  REDACTION_LIMITS,
  type LongLine,
} from '../../../actors/agent/session/redaction.ts';
import { TextSearch } from '../../../actors/agent/session/text-search.ts';

function hiding(...values: readonly string[]): Redactor {
  const redactor = new Redactor();
  for (const value of values) redactor.add(value);
  return redactor;
}

const MANY_LINES = 'first_line\nsecond_line\nthird_line';

const LINES: readonly (readonly [values: readonly string[], line: string, shown: string])[] = [
  [[], 'nothing is hidden', 'nothing is hidden'],
  [[''], 'an empty value hides nothing', 'an empty value hides nothing'],
  [['s'], 'passes', `pa${REDACTED}${REDACTED}e${REDACTED}`],
  [['secret'], 'a secret, a secretive secret', `a ${REDACTED}, a ${REDACTED}ive ${REDACTED}`],
  [['secret'], 'Secret secre t', 'Secret secre t'],
  [['FOOOBAR', 'BARKEY'], 'FOOOBARKEY', REDACTED],
  [['SUPERSECRETPASSWORD', 'SECRET'], 'is SUPERSECRETPASSWORD', `is ${REDACTED}`],
  [['SECRET', 'SUPERSECRETPASSWORD'], 'is SUPERSECRETPASSWORT', `is SUPER${REDACTED}PASSWORT`],
  [['aa'], 'aaa', REDACTED],
  [['ab'], 'abab', REDACTED + REDACTED],
  [['p@$$w0rd!*&^%'], 'is p@$$w0rd!*&^%.', `is ${REDACTED}.`],
  [[' VALUE'], 'is:  VALUE', `is: ${REDACTED}`],
  [['pass😀word'], 'got pass😀word', `got ${REDACTED}`],
  [[MANY_LINES], 'The first part is: first_line', `The first part is: ${REDACTED}`],
  [[MANY_LINES], 'second_line', REDACTED],
  [[MANY_LINES], 'second_line\r', REDACTED],
  [[MANY_LINES], 'Prefix second_line', 'Prefix second_line'],
  [[MANY_LINES], 'Prefix third_line', `Prefix ${REDACTED}`],
  [[MANY_LINES], `{"key":"first_line\\nsecond_line\\nthird_line"}`, `{"key":"${REDACTED}"}`],
  [['only\n'], 'the only one', `the ${REDACTED} one`],
  [['\n\nlead\n\ntail\n\n'], 'lead, tail', `${REDACTED}, ${REDACTED}`],
  [['\n'], 'an \\n stays', 'an \\n stays'],
  [['carriage\r'], 'a carriage', `a ${REDACTED}`],
  [['one\rtwo'], 'two and one', `${REDACTED} and ${REDACTED}`],
  [['say "hi"'], '{"a": "say \\"hi\\""}', `{"a": "${REDACTED}"}`],
  [['p&s=w/rd?'], 'http://x/?key=p%26s%3Dw%2Frd%3F', `http://x/?key=${REDACTED}`],
  [['pass>word?'], 'cGFzcz53b3JkPw== cGFzcz53b3JkPw', `${REDACTED}== ${REDACTED}`],
  [['a\ud83d'], 'a\ufffd and a\ud83d', `${REDACTED} and ${REDACTED}`],
  [[], '+ echo openjd_redacted_env: A=b', `+ echo openjd_redacted_env: ${REDACTED}`],
  [['echo'], '+ echo openjd_redacted_env:A=b', `+ ${REDACTED} openjd_redacted_env:${REDACTED}`],
  [[], 'openjd_redacted_env:', 'openjd_redacted_env:'],
];

test('a line is logged without hidden values', (t) => {
  for (const [values, line, shown] of LINES) {
    t.equal(hiding(...values).line(line), shown, `${values.join()} in ${line}`);
  }
  t.end();
});

test('a message is redacted line by line', (t) => {
  const redactor = hiding(MANY_LINES, 'token');
  t.equal(redactor.text(''), '');
  t.equal(redactor.text(`in: ${MANY_LINES}!`), `in: ${REDACTED}!`);
  t.equal(redactor.text('token\nsecond_line\nno second_line'), `${REDACTED}\n${REDACTED}\nno second_line`);
  t.equal(
    redactor.text('sh -c "openjd_redacted_env: A=b"\nnext token'),
    `sh -c "openjd_redacted_env: ${REDACTED}\nnext ${REDACTED}`,
  );
  t.end();
});

test('at the end of a truncated line the beginning of a value is hidden too', (t) => {
  const redactor = hiding('supersecret', 'cretin');
  t.equal(redactor.line('it is supersec', false), 'it is supersec');
  t.equal(redactor.line('it is supersec', true), `it is ${REDACTED}`);
  t.equal(redactor.line('supersecre', true), REDACTED);
  t.equal(redactor.line('supersecret', true), REDACTED);
  t.equal(redactor.line('plain', true), 'plain');
  t.end();
});

test('a value with a known beginning only hides the rest of the line', (t) => {
  const redactor = new Redactor();
  redactor.addBeginning('supersec');
  redactor.add('open');
  t.equal(redactor.line('open: supersecret and more'), `${REDACTED}: ${REDACTED}`);
  t.equal(redactor.line('supersonic'), 'supersonic');
  t.end();
});

test('beyond the limits all output is hidden', (t) => {
  const redactor = new Redactor();
  for (let nth = 0; nth < REDACTION_LIMITS.values; nth++) redactor.add(`value-${nth}`);
  t.equal(redactor.hidesAll, false);
  t.equal(redactor.line('plain value-77'), `plain ${REDACTED}`);
  redactor.add('value-0');
  t.equal(redactor.hidesAll, false, 'a known value is not counted again');
  redactor.add('one more');
  t.equal(redactor.hidesAll, true);
  t.equal(redactor.line('plain'), REDACTED);
  t.equal(redactor.text('plain\nplain'), REDACTED);
  const long = hiding('x'.repeat(REDACTION_LIMITS.characters + 1));
  t.equal(long.line('plain'), REDACTED);
  const lines = hiding(`a\n${'x'.repeat(REDACTION_LIMITS.characters + 1)}\nb`);
  t.equal(lines.line('plain'), REDACTED);
  t.end();
});

/** Few letters, so that values occur by chance, overlap and repeat. */
const letters = (maxLength: number): fc.Arbitrary<string> =>
  fc.string({ unit: fc.constantFrom('a', 'b', 'c', '😀'), maxLength, size: 'max' });

const plainSpans = (texts: readonly string[], text: string): boolean[] => {
  const hidden = Array.from({ length: text.length }, () => false);
  for (const each of texts.filter((value) => value !== '')) {
    for (let at = text.indexOf(each); at !== -1; at = text.indexOf(each, at + 1)) {
      hidden.fill(true, at, at + each.length);
    }
  }
  return hidden;
};

function foundBy(search: TextSearch, text: string, isCut: boolean): boolean[] {
  const found = Array.from({ length: text.length }, () => false);
  for (const { start, end } of search.find(text, isCut)) found.fill(true, start, end);
  return found;
}

test('the search finds the same as a plain search, whenever the texts were added', (t) => {
  fc.assert(
    fc.property(fc.array(letters(6), { maxLength: 8 }), letters(60), (texts, text) => {
      const search = new TextSearch();
      for (const each of texts) {
        search.add(each, false);
        search.find(text, false);
      }
      t.same(foundBy(search, text, false), plainSpans(texts, text));
    }),
  );
  t.end();
});

test('the hidden parts of a line are also hidden in each of its beginnings', (t) => {
  fc.assert(
    fc.property(fc.array(letters(6), { maxLength: 8 }), letters(60), fc.nat(60), (texts, text, cut) => {
      const search = new TextSearch();
      for (const each of texts) search.add(each, false);
      const kept = foundBy(search, text.slice(0, cut), true);
      const whole = plainSpans(texts, text);
      t.ok(kept.every((isHidden, at) => isHidden || whole[at] === false));
    }),
  );
  t.end();
});

test('no line and no message shows a value, its first or its last line', (t) => {
  fc.assert(
    fc.property(
      fc.array(fc.array(letters(5), { minLength: 1, maxLength: 4 }), { minLength: 1, maxLength: 5 }),
      letters(80),
      (values, line) => {
        const redactor = hiding(...values.map((lines) => lines.join('\n')));
        const needles = values.flatMap((lines) => [lines.join('\n'), lines[0] ?? '', lines.at(-1) ?? '']);
        const message = [line, ...values.flat(), line].join('\n');
        for (const shown of [redactor.line(line), redactor.text(message)]) {
          const rest = shown.split(REDACTED).join('|');
          t.same(
            needles.filter((needle) => needle.trim() !== '' && rest.includes(needle)),
            [],
          );
        }
      },
    ),
  );
  t.end();
});

test('base64 text of several lines is hidden on each line, whichever program wrote it', (t) => {
  const value = 'a private key, '.repeat(9);
  const redactor = hiding(value);
  for (const bytes of [value, `${value}\n`]) {
    const text = Buffer.from(bytes).toString('base64');
    for (const width of [64, 76]) {
      const lines = Array.from({ length: Math.ceil(text.length / width) }, (_, index) =>
        text.slice(index * width, (index + 1) * width),
      );
      t.ok(lines.length > 2);
      t.same(
        lines.map((line) => redactor.line(line)),
        lines.map(() => REDACTED),
      );
      t.equal(redactor.line(`key: ${lines[0] ?? ''}`), `key: ${REDACTED}`);
    }
  }
  t.equal(hiding('a short value').line('YSBzaG9ydCB2YWx1ZQo='), `${REDACTED}o=`);
  t.end();
});

/** Shows a line in pieces that end at these places. */
function shownInPieces(redactor: Redactor, line: string, places: readonly number[]): string {
  const ends = [...new Set(places.map((place) => place % (line.length + 1)))].sort((a, b) => a - b);
  let before: LongLine | null = null;
  let start = 0;
  let shown = '';
  for (const end of [...ends, line.length]) {
    const isLast = end === line.length;
    const piece = redactor.piece(line.slice(start, end), before, isLast);
    shown += piece.shown;
    before = piece.rest;
    start = end;
    if (isLast) break;
  }
  return shown;
}

test('a value that spans the pieces of a long line is redacted', (t) => {
  const redactor = new Redactor();
  redactor.add('secret-value');
  redactor.add('abc');
  redactor.add('bcd');
  const first = redactor.piece('before secret-', null, false);
  t.strictSame([first.shown, first.rest.carried], ['before ', 'secret-']);
  t.equal(redactor.piece('value after', first.rest, true).shown, '******** after');
  t.equal(redactor.piece('weapon', first.rest, true).shown, 'secret-weapon', 'it was another text');
  const overlap = redactor.piece('x abc', null, false);
  t.equal(overlap.shown + redactor.piece('d y', overlap.rest, true).shown, 'x ******** y');
  t.equal(overlap.shown + redactor.piece('z', overlap.rest, true).shown, 'x ********z', 'bc stays redacted');
  t.end();
});

test('the rest of a long line after a redacted_env directive or an unknown end of a value is hidden', (t) => {
  const redactor = new Redactor();
  const first = redactor.piece('+ echo openjd_redac', null, false);
  const second = redactor.piece('ted_env: ', first.rest, false);
  const third = redactor.piece('A=value', second.rest, false);
  const last = redactor.piece(' value', third.rest, true);
  t.equal(
    [first, second, third, last].map(({ shown }) => shown).join(''),
    '+ echo openjd_redacted_env: ********',
  );
  redactor.addBeginning('begin');
  const open = redactor.piece('a begin-and', null, false);
  t.equal(open.shown + redactor.piece(' the rest', open.rest, true).shown, 'a ********');
  t.end();
});

test('a long line of a value of several lines is redacted in pieces', (t) => {
  const redactor = new Redactor();
  const inner = 'k'.repeat(70_000);
  redactor.add(`first\n${inner}\nlast`);
  t.equal(shownInPieces(redactor, inner, [65_536]), '********');
  t.end();
});

/** The number of replacements in a row does not matter, nor whether one ends the line. */
const simplified = (shown: string): string =>
  shown.replace(/(?:\*{8})+/g, REDACTED).replace(/(?: |\*{8})+$/, '');

test('a line in pieces shows the same as the line as a whole', (t) => {
  const letters = fc.string({ unit: fc.constantFrom('a', 'b', 'c'), minLength: 1, maxLength: 5 });
  const parts = fc.oneof(letters, fc.constantFrom('openjd_redacted_env:', 'openjd_redacted', ' '));
  fc.assert(
    fc.property(
      fc.array(letters, { minLength: 1, maxLength: 4 }),
      fc.array(letters, { maxLength: 1 }),
      fc.array(parts, { minLength: 1, maxLength: 12, size: 'max' }),
      fc.array(fc.nat(100), { maxLength: 5 }),
      (values, beginnings, words, places) => {
        const redactor = new Redactor();
        for (const value of values) redactor.add(value);
        for (const value of beginnings) redactor.addBeginning(value);
        const line = words.join('');
        t.equal(simplified(shownInPieces(redactor, line, places)), simplified(redactor.line(line)));
      },
    ),
    { numRuns: 1_000 },
  );
  t.end();
});
