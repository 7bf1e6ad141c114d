import { useState } from 'react';
import { ProblemError } from '../../../client/problem.ts';
import type { Product, ProductInput } from '../../../client/resources.ts';
import { isOutdated } from '../../state/use-opened-version.ts';
import { useTemplate, type TemplateState } from '../submit/use-template.ts';
import {
  draftErrors,
  rejectedDraft,
  type ProductDraft,
  type ProductField,
  type RejectedDraft,
} from './product-draft.ts';

/** Model of the form of a product. */
export interface ProductFormModel {
  readonly draft: ProductDraft;
  /** The syntax check of the template in the browser. */
  readonly template: TemplateState;
  readonly templateErrors: RejectedDraft['template'];
  /** The error of the last request, if no field or template line shows it; null for none. */
  readonly error: unknown;
  readonly isBusy: boolean;
  readonly errorOf: (field: ProductField) => string;
  readonly change: (change: Partial<ProductDraft>) => void;
  /** Shows the errors of a field from now on. */
  readonly visit: (field: ProductField) => void;
  readonly save: () => Promise<void>;
}

const NOTHING: RejectedDraft = { fields: new Map(), template: [] };

/** Holds the inputs of a product, checks them while the user types, and sends them. */
export function useProductForm(
  initial: ProductDraft,
  send: (input: ProductInput) => Promise<Product>,
  onDone: (product: Product) => void,
): ProductFormModel {
  const [draft, setDraft] = useState(initial);
  const [visited, setVisited] = useState<ReadonlySet<ProductField>>(new Set());
  const [isAttempted, setIsAttempted] = useState(false);
  const [rejected, setRejected] = useState(NOTHING);
  const [error, setError] = useState<unknown>(null);
  const [isBusy, setIsBusy] = useState(false);
  const template = useTemplate(draft.template);
  const own = draftErrors(draft);
  const isMissing = isAttempted && draft.template.trim() === '';

  const save = async (): Promise<void> => {
    setIsAttempted(true);
    if (isBusy || own.size > 0 || template.errors.length > 0 || draft.template.trim() === '') return;
    setIsBusy(true);
    setError(null);
    setRejected(NOTHING);
    try {
      onDone(await send({ ...draft, format: template.readable?.format ?? 'yaml' }));
    } catch (reason) {
      const isRejected = reason instanceof ProblemError && !isOutdated(reason);
      const found = isRejected ? rejectedDraft(reason.status, reason.errors) : NOTHING;
      setRejected(found);
      setError(found.fields.size + found.template.length > 0 ? null : reason);
      setIsBusy(false);
    }
  };
  return {
    draft,
    template,
    templateErrors: [
      ...template.errors,
      ...rejected.template,
      ...(isMissing ? [{ detail: 'Enter a template, or choose a file.' }] : []),
    ],
    error,
    isBusy,
    errorOf: (field) =>
      rejected.fields.get(field) ?? (isAttempted || visited.has(field) ? (own.get(field) ?? '') : ''),
    change: (changed) => {
      setDraft((before) => ({ ...before, ...changed }));
      setRejected(({ fields, template: errors }) => ({
        fields: new Map([...fields].filter(([field]) => !(field in changed))),
        template: 'template' in changed ? [] : errors,
      }));
    },
    visit: (field) => setVisited((before) => new Set([...before, field])),
    save,
  };
}
