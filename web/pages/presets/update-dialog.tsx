import { useQuery } from '@tanstack/react-query';
import type { PresetDetail } from '../../../client/resources.ts';
import { Button, SubmitButton } from '../../parts/button.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { Notice } from '../../parts/notice.tsx';
import { QueryProblem } from '../../parts/query-problem.tsx';
import { SkeletonLines } from '../../parts/skeleton.tsx';
import { productQueries } from '../../state/product-queries.ts';
import { useService } from '../../state/service.tsx';
import { explained } from '../../state/toasts.ts';
import { ProductChanges } from '../products/product-changes.tsx';
import { PoolFields } from './pool-fields.tsx';
import { usePresetChange } from './use-preset-change.ts';

/** Shows what an update changes, and replaces the installed product by the version of the library. */
export function UpdateDialog({ preset, onClose }: { preset: PresetDetail; onClose: () => void }) {
  const { rest } = useService();
  const product = useQuery(productQueries.one(rest, preset.name));
  const { missing, slots, setSlots, isBusy, error, run } = usePresetChange(preset, 'update', onClose);
  return (
    <Dialog
      title={`Update ${preset.name} to ${preset.version}`}
      isWide
      onClose={onClose}
      onSubmit={() => void run()}
      foot={
        <>
          <Button onPress={onClose}>Cancel</Button>
          <SubmitButton
            isBusy={isBusy}
            disabledReason={product.data === undefined ? 'The installed product is not loaded yet.' : ''}
          >
            Update preset
          </SubmitButton>
        </>
      }
    >
      <PoolFields missing={missing} slots={slots} onChange={setSlots} />
      {product.error !== null && (
        <QueryProblem
          error={product.error}
          what="the installed product"
          onRetry={() => void product.refetch()}
        />
      )}
      {product.data === undefined ? (
        product.error === null && <SkeletonLines lines={6} label="Loading the installed product" />
      ) : (
        <ProductChanges before={product.data} after={preset} />
      )}
      {error !== null && <Notice kind="danger" {...explained(error)} />}
    </Dialog>
  );
}
