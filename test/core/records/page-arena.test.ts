import fc from 'fast-check';
import { test } from 'tap';
import { gatherPages, PageArena } from '../../../src/core/records/page-arena.ts';
import { TASK_PAGE_BYTES } from '../../../src/core/records/task-page.ts';

const SLAB_MAX = 64 * TASK_PAGE_BYTES;

const pageOfOnly = (byte: number): Uint8Array => new Uint8Array(TASK_PAGE_BYTES).fill(byte);

test('collected pages equal the input, do not overlap, and use memory of their size', (t) => {
  fc.assert(
    fc.property(fc.uniqueArray(fc.nat(100_000), { maxLength: 200, size: 'max' }), (numbers) => {
      const given = numbers.map((number): [number, Uint8Array] => [number, pageOfOnly(number % 256)]);
      const gathered = gatherPages(given);
      const memory = new Set([...gathered.values()].map(({ buffer }) => buffer));
      const bytes = [...memory].reduce((sum, { byteLength }) => sum + byteLength, 0);
      if (bytes !== numbers.length * TASK_PAGE_BYTES) return false;
      if ([...memory].some(({ byteLength }) => byteLength > SLAB_MAX)) return false;
      // A write to one page changes no other page and not the source.
      for (const page of gathered.values()) page[0] = (page[0] ?? 0) ^ 0xff;
      return (
        [...gathered.keys()].join() === numbers.join() &&
        given.every(([number, page]) => {
          const own = gathered.get(number);
          const wanted = pageOfOnly(number % 256);
          if (page.join() !== wanted.join()) return false;
          wanted[0] = (wanted[0] ?? 0) ^ 0xff;
          return own?.join() === wanted.join();
        })
      );
    }),
    { numRuns: 60 },
  );
  t.end();
});

test('new pages are empty and do not overlap, and the preallocated memory is limited', (t) => {
  fc.assert(
    fc.property(fc.nat(150), fc.integer({ min: 1, max: 300 }), (before, more) => {
      const pagesMax = before + more;
      const room = new PageArena();
      const pages: Uint8Array[] = [];
      const memory = new Set<ArrayBufferLike>();
      let bytes = 0;
      for (let nth = 0; nth < more; nth += 1) {
        const page = room.take(before + nth, pagesMax);
        if (page.length !== TASK_PAGE_BYTES || page.some((byte) => byte !== 0)) return false;
        page.fill(1 + (nth % 255));
        if (!memory.has(page.buffer)) bytes += page.buffer.byteLength;
        memory.add(page.buffer);
        pages.push(page);
        const ahead = bytes / TASK_PAGE_BYTES - pages.length;
        if (ahead > before + nth || page.buffer.byteLength > SLAB_MAX) return false;
      }
      return (
        bytes === more * TASK_PAGE_BYTES &&
        pages.every((page, nth) => page.every((byte) => byte === 1 + (nth % 255)))
      );
    }),
    { numRuns: 60 },
  );
  t.end();
});
