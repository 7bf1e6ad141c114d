import { FileUp } from 'lucide-react';
import { useRef } from 'react';
import type { Product, ProductInput } from '../../../client/resources.ts';
import { Button, SubmitButton } from '../../parts/button.tsx';
import { TextAreaField, TextField } from '../../parts/field.tsx';
import { Markdown } from '../../parts/markdown.tsx';
import { Notice } from '../../parts/notice.tsx';
import { counted } from '../../parts/number-text.ts';
import { explained, toasts } from '../../state/toasts.ts';
import { usePermissions } from '../../state/use-permissions.ts';
import { CodeBox } from '../submit/code-box.tsx';
import type { ProductDraft, ProductField } from './product-draft.ts';
import { useProductForm, type ProductFormModel } from './use-product-form.ts';
import './products.css';

interface ProductFormProps {
  readonly initial: ProductDraft;
  readonly isNew: boolean;
  readonly send: (input: ProductInput) => Promise<Product>;
  readonly onDone: (product: Product) => void;
  readonly onCancel: () => void;
}

/** The form that creates or changes a product. It keeps all inputs until the server has accepted them. */
export function ProductForm({ initial, isNew, send, onDone, onCancel }: ProductFormProps) {
  const { why } = usePermissions();
  const model = useProductForm(initial, send, onDone);
  const { error, isBusy, save } = model;
  return (
    <form
      className="product-form"
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        void save();
      }}
    >
      <section className="card stack" aria-label="About">
        <div className="product-pair">
          {isNew && (
            <ProductText
              model={model}
              field="name"
              label="Name"
              isRequired
              hint="Lower-case letters, digits, - and _, with at most one slash: studio/turntable. You cannot change it later."
            />
          )}
          <ProductText model={model} field="title" label="Title" isRequired />
          <ProductText model={model} field="category" label="Category" />
          <ProductText model={model} field="version" label="Version" hint="A semantic version: 1.2.0." />
        </div>
        <ProductText model={model} field="description" label="Description" isLong />
      </section>
      <TemplatePart model={model} />
      <ReadmePart model={model} />
      {error !== null && <Notice kind="danger" {...explained(error)} />}
      <div className="row">
        <SubmitButton isBusy={isBusy} disabledReason={why('products.manage')}>
          {isNew ? 'Create product' : 'Save product'}
        </SubmitButton>
        <Button onPress={onCancel}>Cancel</Button>
      </div>
    </form>
  );
}

function ProductText({
  model: { draft, errorOf, change, visit },
  field,
  label,
  hint,
  isRequired = false,
  isLong = false,
}: {
  model: ProductFormModel;
  field: ProductField;
  label: string;
  hint?: string;
  isRequired?: boolean;
  isLong?: boolean;
}) {
  const common = {
    label,
    isRequired,
    value: draft[field],
    error: errorOf(field),
    onChange: (text: string) => change({ [field]: text }),
    onLeave: () => visit(field),
    ...(hint !== undefined && { hint }),
  };
  return isLong ? <TextAreaField {...common} rows={2} /> : <TextField {...common} />;
}

function TemplatePart({ model: { draft, template, templateErrors, change } }: { model: ProductFormModel }) {
  const outline = template.readable?.outline;
  return (
    <section className="card stack" aria-label="Template">
      <div className="row">
        <h2>Template</h2>
        <FileButton onText={(text) => change({ template: text })} />
        <span className="muted" role="status">
          {draft.template.trim() !== '' && template.errors.length === 0 && outline !== undefined
            ? `${counted(outline.stepNames.length, 'step')}, ${counted(outline.parameterNames.length, 'parameter')}`
            : ''}
        </span>
      </div>
      <CodeBox
        label="Template text"
        value={draft.template}
        errors={templateErrors}
        placeholder="specificationVersion: jobtemplate-2023-09"
        onChange={(text) => change({ template: text })}
      />
    </section>
  );
}

const MAX_FILE_BYTES = 16 * 1024 * 1024;

function FileButton({ onText }: { onText: (text: string) => void }) {
  const picker = useRef<HTMLInputElement>(null);
  const load = async (file: File): Promise<void> => {
    try {
      if (file.size > MAX_FILE_BYTES) throw new Error('The file has more than 16 MiB.');
      onText(new TextDecoder('utf-8', { fatal: true }).decode(await file.arrayBuffer()));
    } catch (error) {
      toasts.failed(
        error instanceof TypeError ? new Error('The file is not UTF-8 text.') : error,
        `Could not open ${file.name}`,
      );
    }
  };
  return (
    <>
      <Button size="small" icon={<FileUp aria-hidden="true" />} onPress={() => picker.current?.click()}>
        Choose file
      </Button>
      <input
        ref={picker}
        type="file"
        accept=".yaml,.yml,.json"
        hidden
        aria-label="Template file"
        onChange={(event) => {
          const file = event.target.files?.[0];
          event.target.value = '';
          if (file !== undefined) void load(file);
        }}
      />
    </>
  );
}

function ReadmePart({ model }: { model: ProductFormModel }) {
  const { draft, errorOf, change, visit } = model;
  return (
    <section className="card product-pair" aria-label="Readme">
      <TextAreaField
        label="Readme"
        hint="Paragraphs, headings, flat lists, fenced code, bold, italic, code and links in Markdown."
        rows={10}
        isMono
        value={draft.readme}
        error={errorOf('readme')}
        onChange={(readme) => change({ readme })}
        onLeave={() => visit('readme')}
      />
      <div>
        <div className="field__label">Preview</div>
        {draft.readme.trim() === '' ? <p className="muted">Empty</p> : <Markdown text={draft.readme} />}
      </div>
    </section>
  );
}
