import { compactStores, storesToCheck } from '../maintenance/compact.ts';

/**
 * Entry of the process that compacts stores before the service opens them: the memory that it maps is released when it
 * ends. The parent sends the task. The process replies with the results, or with one line that gives the reason of a
 * failure.
 */
interface CompactionTask {
  readonly dataDirectory: string;
  readonly freeShareMin: number;
}

process.once('message', (task: CompactionTask) => {
  void run(task);
});

async function run({ dataDirectory, freeShareMin }: CompactionTask): Promise<void> {
  try {
    const stores = await compactStores(dataDirectory, freeShareMin, storesToCheck(dataDirectory));
    process.send?.({ ok: true, stores });
  } catch (error) {
    process.send?.({ ok: false, reason: error instanceof Error ? error.message : String(error) });
  }
  process.disconnect();
}
