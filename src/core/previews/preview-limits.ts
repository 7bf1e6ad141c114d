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
  /** UTF-16 code units of the name of a parameter. */
  parameter: 256,
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
  return pickEvenly([...paths.keys()].filter((index) => isImagePath(paths[index] ?? '')));
}

/** Returns the items; of more than `PREVIEW_LIMITS.perAttempt`, the first, the last and some evenly between them. */
export function pickEvenly<Item>(items: readonly Item[]): readonly Item[] {
  const most = PREVIEW_LIMITS.perAttempt;
  if (items.length <= most) return items;
  const step = (items.length - 1) / (most - 1);
  return Array.from({ length: most }, (_, nth) => items[Math.round(nth * step)]).filter(
    (item) => item !== undefined,
  );
}

/** Reports whether a path is an absolute one of a POSIX file system with the extension of an image. */
export function isImagePath(path: string): boolean {
  const extension = /\.([a-z0-9]{1,8})$/i.exec(path)?.[1];
  return path.startsWith('/') && extension !== undefined && IMAGE_EXTENSIONS.has(extension.toLowerCase());
}
