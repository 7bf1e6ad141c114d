import { test } from 'tap';
import { framingFault } from '../../../http/guards/framing.ts';
import type { Header } from '../../../http/pipeline/message.ts';

const HOST: Header = ['host', 'farm.example'];
const length = (value: string): Header => ['content-length', value];
const coding = (value: string): Header => ['transfer-encoding', value];

void test('a request has one host, and at most one length or the chunked coding', (t) => {
  const cases: readonly (readonly [readonly Header[], string | null])[] = [
    [[HOST], null],
    [[HOST, length('12')], null],
    [[HOST, coding('chunked')], null],
    [[HOST, coding('Chunked')], null],
    [[], 'the Host header is missing'],
    [[HOST, HOST], 'more than one Host header'],
    [[HOST, length('1'), length('1')], 'more than one Content-Length header'],
    [[HOST, coding('chunked'), coding('chunked')], 'more than one Transfer-Encoding header'],
    [[HOST, length('1'), coding('chunked')], 'both Content-Length and Transfer-Encoding'],
    [[HOST, length('+1')], 'Content-Length is not a number'],
    [[HOST, length('0x1')], 'Content-Length is not a number'],
    [[HOST, length('')], 'Content-Length is not a number'],
    [[HOST, length('1'.repeat(16))], 'Content-Length is not a number'],
    [[HOST, coding('gzip, chunked')], 'Transfer-Encoding is not chunked'],
    [[HOST, coding('identity')], 'Transfer-Encoding is not chunked'],
  ];
  for (const [headers, fault] of cases) t.equal(framingFault(headers), fault, JSON.stringify(headers));
  t.end();
});
