/** Width and height in pixels. */
export interface ImageSize {
  readonly width: number;
  readonly height: number;
}

const RIFF_HEADER = 12;
const CHUNK_HEADER = 8;
/** Bytes of a VP8 key frame up to its size, and of the header of VP8X. */
const FRAME_HEADER = 10;
const LOSSLESS_HEADER = 5;

/**
 * Returns the size of a still WebP image, or null for anything else: other formats, animations, metadata, and bytes that the
 * container does not account for. The compressed data itself is not decoded.
 */
export function webpSize(bytes: Uint8Array): ImageSize | null {
  if (bytes.length < RIFF_HEADER + CHUNK_HEADER) return null;
  if (textAt(bytes, 0) !== 'RIFF' || textAt(bytes, CHUNK_HEADER) !== 'WEBP') return null;
  if (little(bytes, 4, 4) !== bytes.length - CHUNK_HEADER) return null;
  let canvas: ImageSize | null = null;
  let frame: ImageSize | null = null;
  for (let at = RIFF_HEADER; at < bytes.length;) {
    if (at + CHUNK_HEADER > bytes.length) return null;
    const length = little(bytes, at + 4, 4);
    const start = at + CHUNK_HEADER;
    const end = start + length;
    if (end > bytes.length) return null;
    const body = bytes.subarray(start, end);
    switch (textAt(bytes, at)) {
      case 'VP8X':
        if (at !== RIFF_HEADER) return null;
        canvas = canvasSize(body);
        if (canvas === null) return null;
        break;
      case 'ALPH':
        if (canvas === null || frame !== null) return null;
        break;
      case 'VP8 ':
      case 'VP8L':
        if (frame !== null) return null;
        frame = textAt(bytes, at) === 'VP8L' ? losslessSize(body) : lossySize(body);
        if (frame === null) return null;
        break;
      default:
        return null;
    }
    // Chunks begin at even positions.
    at = end + (length % 2);
  }
  if (frame === null || (canvas !== null && !isSame(canvas, frame))) return null;
  return frame;
}

const isSame = (a: ImageSize, b: ImageSize): boolean => a.width === b.width && a.height === b.height;

/** Accepts only the flag for transparency: an image with others has an animation or metadata. */
function canvasSize(body: Uint8Array): ImageSize | null {
  const ALPHA = 0x10;
  if (body.length !== FRAME_HEADER || ((body[0] ?? 0) & ~ALPHA) !== 0) return null;
  return { width: little(body, 4, 3) + 1, height: little(body, 7, 3) + 1 };
}

function lossySize(body: Uint8Array): ImageSize | null {
  if (body.length < FRAME_HEADER || ((body[0] ?? 1) & 1) !== 0) return null;
  if (body[3] !== 0x9d || body[4] !== 0x01 || body[5] !== 0x2a) return null;
  return sizeOf(little(body, 6, 2) & 0x3fff, little(body, 8, 2) & 0x3fff);
}

function losslessSize(body: Uint8Array): ImageSize | null {
  if (body.length < LOSSLESS_HEADER || body[0] !== 0x2f) return null;
  const bits = little(body, 1, 4);
  return sizeOf((bits & 0x3fff) + 1, ((bits >>> 14) & 0x3fff) + 1);
}

const sizeOf = (width: number, height: number): ImageSize | null =>
  width > 0 && height > 0 ? { width, height } : null;

const textAt = (bytes: Uint8Array, at: number): string => String.fromCharCode(...bytes.subarray(at, at + 4));

/** Returns a number of up to four bytes, the lowest first. */
function little(bytes: Uint8Array, at: number, count: number): number {
  let value = 0;
  for (let index = count - 1; index >= 0; index--) value = value * 256 + (bytes[at + index] ?? 0);
  return value;
}
