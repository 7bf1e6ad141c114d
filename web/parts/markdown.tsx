import { useMemo } from 'react';
import { parseMarkdown } from '../../src/core/markdown/parse-markdown.ts';
import { MarkdownBlocks } from './markdown/markdown-blocks.tsx';
import './markdown.css';

/** Shows a readme. Only elements of the Markdown subset appear, whatever the text is (docs/contract/products.md). */
export function Markdown({ text }: { readonly text: string }) {
  const blocks = useMemo(() => parseMarkdown(text), [text]);
  return (
    <div className="markdown">
      <MarkdownBlocks blocks={blocks} />
    </div>
  );
}
