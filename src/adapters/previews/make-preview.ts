import sharp, { type OutputInfo, type Sharp } from 'sharp';
import { previewImage } from '../../core/previews/preview-record.ts';
import { PREVIEW_LIMITS } from '../../core/previews/preview-limits.ts';
import { imageKind } from './image-kind.ts';
import { MAKER_LIMITS } from './limits.ts';
import { readImageFile } from './read-image-file.ts';

/** Qualities of WebP that are tried until the preview is small enough. */
const QUALITIES = [75, 50, 25, 5];

/** The loaders of the formats of `imageKind`: nothing else decodes, whatever the library recognizes. */
const LOADERS = ['Jpeg', 'Png', 'Webp', 'Gif', 'Nsgif', 'Tiff'].map((name) => `VipsForeignLoad${name}`);

/** Sets up the library for one process that makes previews of files of jobs. */
export function prepareLibrary(): void {
  sharp.cache(false);
  sharp.concurrency(1);
  sharp.block({ operation: ['VipsForeignLoad'] });
  sharp.unblock({ operation: LOADERS });
}

/**
 * Makes the preview of an image file. Returns the bytes of a WebP image that `previewImage` accepts, or why there is none, for
 * people to read. `prepareLibrary` must have been called.
 */
export async function makePreview(path: string): Promise<Buffer | string> {
  const bytes = await readImageFile(path);
  if (typeof bytes === 'string') return bytes;
  const kind = imageKind(bytes);
  if (kind === null) return 'the format of the file is not supported';
  if (kind === 'exr') return 'the format of the file is not supported';
  return reduce(
    sharp(bytes, {
      limitInputPixels: MAKER_LIMITS.pixels,
      failOn: 'error',
      sequentialRead: true,
      pages: 1,
    }).autoOrient(),
  );
}

/** Scales an image down and encodes it. */
async function reduce(image: Sharp): Promise<Buffer | string> {
  const { side, bytes: most } = PREVIEW_LIMITS;
  let pixels: { readonly data: Buffer; readonly info: OutputInfo };
  try {
    pixels = await image
      .resize(side, side, { fit: 'inside', withoutEnlargement: true })
      .toColourspace('srgb')
      .raw({ depth: 'uchar' })
      .toBuffer({ resolveWithObject: true });
  } catch (error) {
    return `the image cannot be decoded: ${error instanceof Error ? error.message : String(error)}`;
  }
  const { width, height, channels } = pixels.info;
  const raw = { width, height, channels };
  for (const quality of QUALITIES) {
    const encoded = await sharp(pixels.data, { raw }).webp({ quality, effort: 2 }).toBuffer();
    if (encoded.length > most) continue;
    const content = previewImage(encoded);
    return typeof content === 'string' ? `the preview is invalid: it ${content}` : encoded;
  }
  return `the preview has more than ${most} bytes`;
}
