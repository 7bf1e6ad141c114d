import { CopyButton } from '../../parts/copy-button.tsx';
import './products.css';

/** The template of a product or preset, to read and to copy. */
export function TemplateText({ text, format }: { text: string; format: 'yaml' | 'json' }) {
  return (
    <div className="stack">
      <div className="row">
        <CopyButton text={text} label="Copy template">
          Copy
        </CopyButton>
        <span className="muted">{format.toUpperCase()}</span>
      </div>
      {/* Long lines scroll, so they must be reachable by keyboard. */}
      <pre className="product-template" tabIndex={0} aria-label="Template text">
        {text}
      </pre>
    </div>
  );
}
