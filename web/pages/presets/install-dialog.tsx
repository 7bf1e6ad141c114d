import { useLocation } from 'wouter';
import type { PresetDetail } from '../../../client/resources.ts';
import { Button, SubmitButton } from '../../parts/button.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { Notice } from '../../parts/notice.tsx';
import { explained } from '../../state/toasts.ts';
import { productHref } from '../products/shown-products.ts';
import { PoolFields } from './pool-fields.tsx';
import { usePresetChange } from './use-preset-change.ts';

/** Installs a preset, with the usage pools that it needs, and opens the product. */
export function InstallDialog({ preset, onClose }: { preset: PresetDetail; onClose: () => void }) {
  const [, navigate] = useLocation();
  const { missing, slots, setSlots, isBusy, error, run } = usePresetChange(preset, 'install', () => {
    onClose();
    navigate(productHref(preset.name));
  });
  return (
    <Dialog
      title={`Install ${preset.name}`}
      onClose={onClose}
      onSubmit={() => void run()}
      foot={
        <>
          <Button onPress={onClose}>Cancel</Button>
          <SubmitButton isBusy={isBusy}>Install preset</SubmitButton>
        </>
      }
    >
      <p>
        Creates the product {preset.name}, version {preset.version}. Users can submit it immediately.
      </p>
      <PoolFields missing={missing} slots={slots} onChange={setSlots} />
      {error !== null && <Notice kind="danger" {...explained(error)} />}
    </Dialog>
  );
}
