const WINDOWS_DRIVE = /^[A-Za-z]:[\\/]/;
const SHARE = /^\\\\[^\\/]/;

/**
 * Returns the `file:` URL of a directory, or of the directory of a file; null for other paths than absolute ones of a
 * file system, such as one on S3.
 */
export function folderLink(path: string, isDirectory: boolean): string | null {
  const isWindows = WINDOWS_DRIVE.test(path) || SHARE.test(path);
  if (!isWindows && !path.startsWith('/')) return null;
  const written = isWindows ? path.replaceAll('\\', '/') : path;
  const folder = isDirectory ? written : written.slice(0, written.lastIndexOf('/') + 1);
  const encoded = folder
    .split('/')
    .map((part, nth) => (nth === 0 && WINDOWS_DRIVE.test(path) ? part : encodeURIComponent(part)))
    .join('/');
  if (SHARE.test(path)) return `file:${encoded}`;
  return WINDOWS_DRIVE.test(path) ? `file:///${encoded}` : `file://${encoded.replace(/^\/+/, '/')}`;
}
