/** Formats that are recognized by their first bytes. */
export type ImageKind = 'jpeg' | 'png' | 'webp' | 'gif' | 'tiff' | 'exr';

const KINDS: readonly { readonly kind: ImageKind; readonly starts: readonly (readonly number[])[] }[] = [
  { kind: 'jpeg', starts: [[0xff, 0xd8, 0xff]] },
  { kind: 'png', starts: [[0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]] },
  { kind: 'gif', starts: [[0x47, 0x49, 0x46, 0x38]] },
  {
    kind: 'tiff',
    starts: [
      [0x49, 0x49, 0x2a, 0x00],
      [0x4d, 0x4d, 0x00, 0x2a],
    ],
  },
  { kind: 'exr', starts: [[0x76, 0x2f, 0x31, 0x01]] },
];
const WEBP_AT = 8;

/** Returns the format of an image, or null for anything else. The name of the file is not considered. */
export function imageKind(bytes: Buffer): ImageKind | null {
  if (bytes.toString('latin1', 0, 4) === 'RIFF' && bytes.toString('latin1', WEBP_AT, WEBP_AT + 4) === 'WEBP')
    return 'webp';
  const found = KINDS.find(({ starts }) =>
    starts.some((start) => start.every((byte, index) => bytes[index] === byte)),
  );
  return found?.kind ?? null;
}
