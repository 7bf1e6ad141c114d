import { execFileSync } from 'node:child_process';
import { open, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { crc32 } from 'node:zlib';
import sharp from 'sharp';

/** An image of one color, with the format of the extension. */
export async function writeImage(
  folder: string,
  name: string,
  [width, height]: readonly [number, number],
  background: string,
): Promise<string> {
  const path = join(folder, name);
  await sharp({ create: { width, height, channels: 3, background } }).toFile(path);
  return path;
}

/** Returns a chunk of a PNG file. */
function pngChunk(type: string, body: Buffer): Buffer {
  const typed = Buffer.concat([Buffer.from(type, 'latin1'), body]);
  const chunk = Buffer.alloc(typed.length + 8);
  chunk.writeUInt32BE(body.length, 0);
  typed.copy(chunk, 4);
  chunk.writeUInt32BE(crc32(typed), typed.length + 4);
  return chunk;
}

/** Returns a valid PNG header of this size, with the data of a few rows: a decompression bomb by its head. */
function pngOf(width: number, height: number): Buffer {
  const head = Buffer.alloc(13);
  head.writeUInt32BE(width, 0);
  head.writeUInt32BE(height, 4);
  head.set([8, 2, 0, 0, 0], 8);
  const signature = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
  return Buffer.concat([
    signature,
    pngChunk('IHDR', head),
    pngChunk('IDAT', Buffer.alloc(64)),
    pngChunk('IEND', Buffer.alloc(0)),
  ]);
}

/** Files that no preview may be made of, by the reason that the service shows. */
export async function writeHostileFiles(folder: string): Promise<ReadonlyMap<string, RegExp>> {
  const at = (name: string): string => join(folder, name);
  await writeFile(at('bomb.png'), pngOf(60_000, 60_000));
  const whole = await sharp({ create: { width: 600, height: 600, channels: 3, background: 'green' } })
    .jpeg()
    .toBuffer();
  await writeFile(at('truncated.jpg'), whole.subarray(0, whole.length / 2));
  await writeFile(at('whole.jpg'), whole);
  await symlink(at('whole.jpg'), at('link.jpg'));
  await writeFile(at('text.png'), 'not an image\n');
  await writeFile(
    at('vector.png'),
    '<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"><image href="/etc/passwd"/></svg>',
  );
  execFileSync('mkfifo', [at('pipe.png')]);
  const sparse = await open(at('large.png'), 'w');
  await sparse.truncate(300 * 2 ** 20);
  await sparse.close();
  await writeFile(at('empty.png'), '');
  return new Map([
    [at('bomb.png'), /cannot be decoded: .*pixel limit/],
    [at('truncated.jpg'), /cannot be decoded/],
    [at('link.jpg'), /^it is a symbolic link$/],
    [at('text.png'), /^the format of the file is not supported$/],
    [at('vector.png'), /^the format of the file is not supported$/],
    [at('pipe.png'), /^it is not a regular file$/],
    [at('large.png'), /^the file has more than 256 MiB$/],
    [at('empty.png'), /^the format of the file is not supported$/],
    [at('missing.png'), /^there is no such file$/],
    ['/dev/zero.png', /^there is no such file$/],
    [`${folder}.d.png`, /^there is no such file$/],
  ]);
}
