import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Preview } from '../../client/resources.ts';
import { contextOf, type ClientOptions } from '../client/client-command.ts';
import { allAfter, findJob } from '../client/lookup.ts';
import { counted } from '../options/confirm.ts';
import { printListing } from '../output/listing.ts';
import type { Column } from '../terminal/table.ts';
import { unwritable } from '../terminal/text-file.ts';

/** Options of `callsheet jobs previews`. */
export interface PreviewOptions {
  readonly save?: string;
}

const PAGE_MAX = 200;

const COLUMNS: readonly Column<Preview>[] = [
  { title: 'TASK', value: (preview) => preview.task_name, shrinks: true },
  { title: 'OUTPUT', value: (preview) => preview.path, shrinks: true },
  {
    title: 'SIZE',
    value: ({ image }) => (image === undefined ? '' : `${image.width}x${image.height}`),
    align: 'right',
  },
  { title: 'MISSING', value: (preview) => preview.missing ?? '', shrinks: true },
  { title: 'RECEIVED', value: (preview) => preview.received_at, isTime: true },
  { title: 'TASK ID', value: (preview) => preview.task_id, isWide: true },
];

/** `callsheet jobs previews`: lists the previews of a job; with `save` also writes their images to that directory. */
export async function listPreviews(given: string, options: PreviewOptions & ClientOptions): Promise<void> {
  const context = contextOf(options);
  const { client, terminal, isForPrograms } = context;
  const id = await findJob(client, given);
  const previews = await allAfter<Preview>((after) =>
    client.call('get', '/jobs/{id}/previews', { path: { id }, query: { limit: PAGE_MAX, after } }),
  );
  printListing(
    context,
    { what: 'preview', columns: COLUMNS, items: previews, reply: { items: previews } },
    {},
  );
  if (previews.length === 0 && !isForPrograms)
    terminal.err('Workers create previews only if worker.previews is set in their configuration.\n');
  if (options.save === undefined) return;
  const saved = await saveImages(previews, options.save);
  terminal.err(`${counted(saved, 'image')} saved to ${options.save}\n`);
}

/** Writes the images, in the order of the tasks, and returns their number. Replaces files of the same name. */
async function saveImages(previews: readonly Preview[], folder: string): Promise<number> {
  let saved = 0;
  for (const { image, path } of previews) {
    if (image === undefined) continue;
    saved++;
    const file = join(folder, fileNameOf(saved, path));
    try {
      await mkdir(folder, { recursive: true });
      await writeFile(file, Buffer.from(image.data, 'base64'));
    } catch (error) {
      throw unwritable(file, error);
    }
  }
  return saved;
}

/** A task chooses the path of an output: only plain characters of its last part become part of the file name. */
function fileNameOf(number: number, path: string): string {
  const last = path.split(/[\\/]/).at(-1) ?? '';
  return `${String(number).padStart(4, '0')}-${last.replace(/[^A-Za-z0-9._-]/g, '_').slice(0, 100)}.webp`;
}
