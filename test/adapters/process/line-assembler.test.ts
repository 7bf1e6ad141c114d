import fc from 'fast-check';
import { test } from 'tap';
import { LineAssembler } from '../../../src/adapters/process/line-assembler.ts';

function assemble(chunks: readonly Uint8Array[], limit = 64): string[] {
  const assembler = new LineAssembler(limit);
  const lines = chunks.flatMap((chunk) => assembler.push(chunk));
  const last = assembler.end();
  return last === null ? lines : [...lines, last];
}

const text = (value: string): Uint8Array => new TextEncoder().encode(value);

test('only line feeds separate lines; the last one may lack it', (t) => {
  t.same(assemble([text('a\nb\r\n\nc')]), ['a', 'b\r', '', 'c']);
  t.same(assemble([text('a\n')]), ['a']);
  t.same(assemble([]), []);
  t.end();
});

test('a line over the limit is returned in pieces that end between characters', (t) => {
  t.same(assemble([text('abcdef\nnext\n')], 4), ['abcd', 'ef', 'next']);
  t.same(assemble([text('abé\nx')], 3), ['ab', 'é', 'x']);
  t.same(assemble([text('ab'), text('é'), text('cd\nx')], 4), ['abé', 'cd', 'x']);
  t.same(assemble([text('a😀b\n')], 4), ['a', '😀', 'b']);
  t.same(assemble([text('abcd\n')], 4), ['abcd']);
  t.same(assemble([text('😀\n')], 3).length, 2, 'a limit below the length of a character');
  const assembler = new LineAssembler(4);
  t.same(assembler.push(text('abcdefghij\nk')), ['abcd', 'efgh', 'ij']);
  t.same(assembler.lastCut, [0, 1]);
  t.same(assembler.push(text('lmnop')), ['klmn']);
  t.same([assembler.lastCut, assembler.end(), assembler.lastCut], [[0], 'op', []]);
  t.end();
});

test('bytes that are not UTF-8 are escaped one by one, and characters are kept', (t) => {
  const bytes = (...values: number[]): string[] => assemble([Uint8Array.from(values)]);
  t.same(bytes(0x61, 0xff, 0x62), ['a\\xffb']);
  t.same(bytes(0xc3, 0xa9, 0xc3), ['é\\xc3']);
  t.same(bytes(0xc0, 0x80), ['\\xc0\\x80'], 'overlong');
  t.same(bytes(0xed, 0xa0, 0x80), ['\\xed\\xa0\\x80'], 'an encoded surrogate');
  t.same(bytes(0xf4, 0x90, 0x80, 0x80), ['\\xf4\\x90\\x80\\x80'], 'beyond the last code point');
  t.same(bytes(0xef, 0xbb, 0xbf, 0x61), ['\ufeffa'], 'a byte order mark');
  t.end();
});

test('chunk boundaries make no difference', (t) => {
  const byte = fc.oneof(
    fc.constantFrom(0x0a, 0x61, 0xc3, 0xa9, 0xf0, 0x9f, 0x98, 0x80),
    fc.integer({ min: 0, max: 255 }),
  );
  fc.assert(
    fc.property(
      fc.array(byte, { maxLength: 120, size: 'max' }),
      fc.array(fc.nat(120), { maxLength: 6 }),
      (values, cuts) => {
        const bytes = Uint8Array.from(values);
        const places = [0, ...cuts.map((cut) => Math.min(cut, bytes.length)), bytes.length].sort(
          (a, b) => a - b,
        );
        const chunks = places.slice(1).map((end, index) => bytes.subarray(places[index], end));
        t.same(assemble(chunks, 16), assemble([bytes], 16));
      },
    ),
  );
  t.end();
});

test('arbitrary bytes are decoded like Node’s decoder, except for invalid bytes', (t) => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 40, size: 'max' }), (bytes) => {
      const line = bytes.filter((value) => value !== 0x0a);
      const kept = assemble([line])[0] ?? '';
      const decoded = new TextDecoder('utf-8', { ignoreBOM: true }).decode(line);
      if (!decoded.includes('\ufffd')) t.equal(kept, decoded);
      const raw = kept.replace(/\\x([0-9a-f]{2})/g, '');
      t.equal(raw.includes('\ufffd'), Buffer.from(line).includes('\ufffd'));
    }),
  );
  t.end();
});

test('lines that continue are reported, and only those of the latest call', (t) => {
  const assembler = new LineAssembler(4);
  const pieces = assembler.push(text('abcdef\nab\nabcdefg\nabcd\nab'));
  t.same(pieces, ['abcd', 'ef', 'ab', 'abcd', 'efg', 'abcd']);
  t.same(assembler.lastCut, [0, 3]);
  t.same(assembler.push(text('cd\n')), ['abcd']);
  t.same(assembler.lastCut, []);
  t.equal(assembler.end(), null);
  t.end();
});

test('the caller may use its buffer again', (t) => {
  const assembler = new LineAssembler(64);
  const buffer = text('first');
  t.same(assembler.push(buffer), []);
  buffer.fill(0x78);
  t.same(assembler.push(text(' line\n')), ['first line']);
  t.end();
});

test('overlong characters of three and four bytes are escaped', (t) => {
  const bytes = (...values: number[]): string[] => assemble([Uint8Array.from(values)]);
  t.same(bytes(0xe0, 0x80, 0x80), ['\\xe0\\x80\\x80']);
  t.same(bytes(0xf0, 0x80, 0x80, 0x80), ['\\xf0\\x80\\x80\\x80']);
  t.same(bytes(0xe0, 0xa0, 0x80), ['\u0800']);
  t.end();
});

test('the pieces of a long line of text are the line', (t) => {
  fc.assert(
    fc.property(
      fc.string({ unit: 'grapheme', maxLength: 100, size: 'max' }),
      fc.integer({ min: 4, max: 20 }),
      (line, limit) => {
        fc.pre(!line.includes('\n'));
        t.equal(assemble([text(`${line}\n`)], limit).join(''), line);
      },
    ),
  );
  t.end();
});
