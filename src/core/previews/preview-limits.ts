/** Limits of previews (docs/outputs.md#previews). The service applies them again to what a worker sends. */
export const PREVIEW_LIMITS = {
  /** Previews of one attempt. */
  perAttempt: 4,
  /** Pixels of the longer side. */
  side: 320,
  /** Bytes of one preview. */
  bytes: 48 * 1024,
  /** UTF-16 code units of the reason why there is none. */
  reason: 240,
} as const;

/** Extensions of files that are looked at, in lower case, without the dot. Their content decides. */
const IMAGE_EXTENSIONS: ReadonlySet<string> = new Set(
  'avif bmp cin dpx exr gif hdr heic heif jpe jpeg jpg jp2 jxl pfm pic png psd rgbe sgi svg tga tif tiff tx webp'.split(
    ' ',
  ),
);

/**
 * Returns the indices of the paths to look at: absolute paths of a POSIX file system with the extension of an image. Of more
 * than `PREVIEW_LIMITS.perAttempt`, the first, the last and some evenly between them.
 */
export function previewCandidates(paths: readonly string[]): readonly number[] {
  const images = [...paths.keys()].filter((index) => isImagePath(paths[index] ?? ''));
  const most = PREVIEW_LIMITS.perAttempt;
  if (images.length <= most) return images;
  const step = (images.length - 1) / (most - 1);
  return Array.from({ length: most }, (_, nth) => images[Math.round(nth * step)] ?? 0);
}

function isImagePath(path: string): boolean {
  const extension = /\.([a-z0-9]{1,8})$/i.exec(path)?.[1];
  return path.startsWith('/') && extension !== undefined && IMAGE_EXTENSIONS.has(extension.toLowerCase());
}
