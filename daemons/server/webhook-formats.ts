import { basename, extname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { readDefinitionFiles } from '../../src/adapters/host/definition-files.ts';
import { packageRoot } from '../../src/adapters/system/package-root.ts';
import { readMessageFormat } from '../../src/adapters/yaml/read-message-format.ts';
import type { MessageFormat } from '../../src/core/webhooks/message-format.ts';

/** Folder of the package. */
const SHIPPED_FORMATS = 'webhooks';

/**
 * Reads the ready-made bodies of the package, and those of a folder of the operator, which replace them by name. A file
 * with errors is reported and skipped.
 *
 * @param folder - `webhooks.format_dir`; null if it is not set.
 */
export async function readMessageFormats(
  folder: string | null,
  skipped: (file: string, detail: string) => void,
): Promise<ReadonlyMap<string, MessageFormat>> {
  const formats = new Map<string, MessageFormat>();
  const folders = [
    fileURLToPath(new URL(SHIPPED_FORMATS, packageRoot)),
    ...(folder === null ? [] : [folder]),
  ];
  for (const each of folders) {
    try {
      for (const file of await readDefinitionFiles(each)) {
        const read = file.ok ? readMessageFormat(basename(file.path, extname(file.path)), file.text) : file;
        if (!read.ok) skipped(file.path, read.detail);
        else if ('format' in read) formats.set(read.format.name, read.format);
      }
    } catch (error) {
      skipped(each, error instanceof Error ? error.message : String(error));
    }
  }
  return formats;
}
