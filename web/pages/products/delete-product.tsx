import { useQueryClient } from '@tanstack/react-query';
import { useLocation } from 'wouter';
import type { Product } from '../../../client/resources.ts';
import { ConfirmDialog } from '../../parts/dialog.tsx';
import { useService } from '../../state/service.tsx';
import { toasts } from '../../state/toasts.ts';

/** Asks before a product is deleted, and opens the list of products afterwards. */
export function DeleteProduct({ product, onClose }: { product: Product; onClose: () => void }) {
  const { rest } = useService();
  const client = useQueryClient();
  const [, navigate] = useLocation();
  const { name, source } = product;
  const remove = async (): Promise<void> => {
    await rest.call('delete', '/products/{name}', { path: { name } });
    toasts.done(`${name} deleted`);
    navigate('/products');
    client.removeQueries({ queryKey: ['products', 'one', name] });
    await client.invalidateQueries({ queryKey: ['products', 'list'] });
    await client.invalidateQueries({ queryKey: ['presets'] });
  };
  return (
    <ConfirmDialog
      title={`Delete product ${name}?`}
      action="Delete product"
      onClose={onClose}
      onConfirm={remove}
    >
      <p>
        Its former versions are deleted with it. Jobs keep their copy of the template.{' '}
        {source === 'installed' ? (
          'You can install the preset again.'
        ) : (
          <strong>You cannot undo this.</strong>
        )}
      </p>
    </ConfirmDialog>
  );
}
