import { compactStores, storesToCheck } from './compact.ts';

/**
 * A process of its own that compacts stores before the service opens them: what it holds of them ends with it. Its parent tells it where and from
 * which share of free pages on; it answers with what it did, or with one line that says why it could not.
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
