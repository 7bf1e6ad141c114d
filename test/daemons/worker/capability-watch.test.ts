import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test, type Test } from 'tap';
import type { Capabilities } from '../../../actors/agent/agent-settings.ts';
import { CapabilityWatch, type CapabilityWatchOptions } from '../../../daemons/worker/capability-watch.ts';

function program(folder: string, name: string, text: string): void {
  writeFileSync(join(folder, name), `#!/bin/sh\n${text}\n`);
  chmodSync(join(folder, name), 0o755);
}

/** A capability watch of a machine with a PATH of one folder, and the reported changes. */
function watched(t: Test, config: Partial<CapabilityWatchOptions['config']> = {}) {
  const folder = mkdtempSync(join(tmpdir(), 'callsheet-watch-'));
  t.teardown(() => {
    rmSync(folder, { recursive: true, force: true });
  });
  program(folder, 'nvidia-smi', 'echo 24564, NVIDIA RTX A5000\necho 16376, NVIDIA RTX A4000');
  const warned: string[] = [];
  const clock = { now: 0 };
  let tell: (capabilities: Capabilities) => void = () => undefined;
  const watch = new CapabilityWatch({
    config: { tags: {}, gpus: null, detectApplications: true, ...config },
    machine: { os: 'none', osVersion: 'none-1' },
    isolation: () => ['private_tmp'],
    environment: { PATH: folder },
    directory: folder,
    warn: (text) => warned.push(text),
    changed: (capabilities) => tell(capabilities),
    now: () => clock.now,
  });
  const changed = (act: () => void): Promise<Capabilities> =>
    new Promise((resolve) => {
      tell = resolve;
      act();
    });
  return { folder, watch, warned, clock, changed };
}

test('the first detection', async (t) => {
  const { folder, watch, warned } = watched(t, { tags: { rack: 'r1' } });
  program(folder, 'blender', 'exit 0');
  const { hardware, tags } = await watch.first();
  t.strictSame(tags, { rack: 'r1', blender: 'true' });
  t.match(hardware, {
    gpuCount: 2,
    gpuMemoryMib: 16_376,
    gpuModels: ['NVIDIA RTX A5000', 'NVIDIA RTX A4000'],
    osVersion: 'none-1',
    isolation: ['private_tmp'],
  });
  t.ok(hardware.scratchMib > 0);
  t.strictSame(warned, []);
});

test('the configuration overrides detection', async (t) => {
  const one = watched(t, { gpus: 1, detectApplications: false });
  program(one.folder, 'blender', 'exit 0');
  t.match(await one.watch.first(), {
    hardware: { gpuCount: 1, gpuMemoryMib: 16_376, gpuModels: ['NVIDIA RTX A5000'] },
    tags: {},
  });
  const none = watched(t, { gpus: 0 });
  program(none.folder, 'nvidia-smi', 'exit 9');
  t.match(await none.watch.first(), { hardware: { gpuCount: 0, gpuModels: [] } });
  t.strictSame(none.warned, [], 'the program was not run');
});

test('a broken driver is reported as a warning', async (t) => {
  const { folder, watch, warned } = watched(t);
  program(folder, 'nvidia-smi', 'exit 9');
  t.match(await watch.first(), { hardware: { gpuCount: 0 } });
  t.strictSame(warned, [
    'nvidia-smi ended with exit code 9: this worker offers no GPU that is not configured',
  ]);
});

test('changes are reported immediately on request, otherwise a minute after the last detection', async (t) => {
  const { folder, watch, clock, changed } = watched(t);
  await watch.first();
  program(folder, 'blender', 'exit 0');
  t.match(await changed(() => watch.lookAgain()), { tags: { blender: 'true' } });
  program(folder, 'ffmpeg', 'exit 0');
  clock.now += 59_999;
  watch.registering();
  // If that had started a detection, it would still be running and block the next one.
  program(folder, 'oiiotool', 'exit 0');
  clock.now += 1;
  const { tags } = await changed(() => watch.registering());
  t.strictSame(Object.keys(tags).sort(), ['blender', 'ffmpeg', 'oiiotool']);
});
