import fc from 'fast-check';
import sharp from 'sharp';
import { test } from 'tap';
import { previewImage } from '../../../src/core/previews/preview-record.ts';
import { webpSize } from '../../../src/core/previews/webp-size.ts';

const imageOf = (width: number, height: number, channels: 3 | 4) =>
  sharp({ create: { width, height, channels, background: { r: 90, g: 10, b: 200, alpha: 0.5 } } });

void test('reads the size of lossy, lossless and transparent images', async (t) => {
  for (const channels of [3, 4] as const)
    for (const lossless of [true, false])
      for (const [width, height] of [
        [1, 1],
        [320, 180],
        [17, 319],
      ] as const) {
        const bytes = await imageOf(width, height, channels).webp({ lossless }).toBuffer();
        t.strictSame(webpSize(bytes), { width, height }, `${width}x${height} ${channels} ${lossless}`);
      }
});

void test('refuses other formats, animations, metadata and additional bytes', async (t) => {
  const still = await imageOf(20, 20, 3).webp().toBuffer();
  const animated = await sharp([still, await imageOf(20, 20, 4).webp().toBuffer()], {
    join: { animated: true },
  })
    .webp()
    .toBuffer();
  const others: Readonly<Record<string, Buffer>> = {
    png: await imageOf(20, 20, 3).png().toBuffer(),
    animated,
    metadata: await imageOf(20, 20, 3).withMetadata().webp().toBuffer(),
    exif: await imageOf(20, 20, 3)
      .withExif({ IFD0: { Copyright: 'x' } })
      .webp()
      .toBuffer(),
    'more bytes': Buffer.concat([still, Buffer.from('<script>')]),
    'fewer bytes': still.subarray(0, still.length - 2),
    empty: Buffer.alloc(0),
  };
  for (const [name, bytes] of Object.entries(others)) t.equal(webpSize(bytes), null, name);
});

void test('a preview has limits of size and pixels', async (t) => {
  t.match(previewImage(await imageOf(320, 320, 3).webp().toBuffer()), { kind: 'image', width: 320 });
  t.match(previewImage(await imageOf(321, 1, 3).webp().toBuffer()), /320 pixels/);
  t.match(previewImage(new Uint8Array(50_000)), /bytes/);
});

void test('no bytes make it throw', async () => {
  const still = await imageOf(40, 30, 4).webp().toBuffer();
  fc.assert(
    fc.property(fc.array(fc.tuple(fc.nat(still.length - 1), fc.nat(255)), { maxLength: 8 }), (changes) => {
      const bytes = Buffer.from(still);
      for (const [at, value] of changes) bytes[at] = value;
      const size = webpSize(bytes);
      return size === null || (size.width > 0 && size.height > 0);
    }),
  );
  fc.assert(fc.property(fc.uint8Array({ maxLength: 200, size: 'max' }), (bytes) => webpSize(bytes) === null));
});
