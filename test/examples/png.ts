import { crc32, inflateSync } from 'node:zlib';

export interface Chunk {
  readonly type: string;
  readonly data: Buffer;
}

const SIGNATURE = '89504e470d0a1a0a';

/** Returns the chunks of a PNG file. Throws for another format, a wrong checksum, or data after the end. */
export function pngChunks(png: Buffer): Chunk[] {
  if (png.toString('hex', 0, 8) !== SIGNATURE) throw new Error('no PNG signature');
  const chunks: Chunk[] = [];
  for (let at = 8; at < png.length;) {
    const length = png.readUInt32BE(at);
    const body = png.subarray(at + 4, at + 8 + length);
    if (png.readUInt32BE(at + 8 + length) !== crc32(body)) throw new Error(`wrong checksum at byte ${at}`);
    chunks.push({ type: body.toString('latin1', 0, 4), data: body.subarray(4) });
    at += 12 + length;
  }
  if (chunks.at(-1)?.type !== 'IEND') throw new Error('the file has no end chunk');
  return chunks;
}

export interface Picture {
  readonly width: number;
  readonly height: number;
  /** Red, green and blue of each pixel, row by row. */
  readonly pixels: Buffer;
}

const paeth = (left: number, up: number, corner: number): number => {
  const estimate = left + up - corner;
  const [toLeft, toUp, toCorner] = [left, up, corner].map((value) => Math.abs(estimate - value)) as [
    number,
    number,
    number,
  ];
  if (toLeft <= toUp && toLeft <= toCorner) return left;
  return toUp <= toCorner ? up : corner;
};

/** Decodes pixels from a header and packed rows of 8-bit red, green and blue. */
export function decodePixels(header: Buffer, packed: Buffer): Picture {
  const width = header.readUInt32BE(0);
  const height = header.readUInt32BE(4);
  if (header.subarray(8).toString('hex') !== '0802000000') throw new Error('not 8-bit RGB without interlace');
  const stride = 3 * width;
  const rows = inflateSync(packed);
  if (rows.length !== (stride + 1) * height) throw new Error(`${rows.length} bytes of rows`);
  const pixels = Buffer.alloc(stride * height);
  for (let y = 0; y < height; y++) {
    const filter = rows[y * (stride + 1)] ?? -1;
    for (let at = 0; at < stride; at++) {
      const left = at < 3 ? 0 : (pixels[y * stride + at - 3] ?? 0);
      const up = y === 0 ? 0 : (pixels[(y - 1) * stride + at] ?? 0);
      const corner = y === 0 || at < 3 ? 0 : (pixels[(y - 1) * stride + at - 3] ?? 0);
      const predicted = [0, left, up, Math.floor((left + up) / 2), paeth(left, up, corner)][filter];
      if (predicted === undefined) throw new Error(`row ${y} has filter ${filter}`);
      pixels[y * stride + at] = (rows[y * (stride + 1) + 1 + at] ?? 0) + predicted;
    }
  }
  return { width, height, pixels };
}

/** Decodes a PNG file (of an animated one: its first frame). */
export function decodePng(png: Buffer): Picture {
  const chunks = pngChunks(png);
  const header = chunks[0];
  if (header?.type !== 'IHDR') throw new Error('the file has no header chunk');
  return decodePixels(
    header.data,
    Buffer.concat(chunks.filter(({ type }) => type === 'IDAT').map(({ data }) => data)),
  );
}
