import type { Block, HeadingLevel, Inline } from '../../../src/core/markdown/markdown-tree.ts';

const HEADINGS = { 2: 'h2', 3: 'h3', 4: 'h4', 5: 'h5', 6: 'h6' } as const satisfies Record<
  HeadingLevel,
  string
>;

/** Elements of a readme. Keys are positions: a readme is shown as a whole. */
export function MarkdownBlocks({ blocks }: { readonly blocks: readonly Block[] }) {
  return blocks.map((block, at) => <BlockElement key={at} block={block} />);
}

function BlockElement({ block }: { readonly block: Block }) {
  switch (block.kind) {
    case 'paragraph':
      return <p>{inlineElements(block.content)}</p>;
    case 'heading': {
      const Heading = HEADINGS[block.level];
      return <Heading>{inlineElements(block.content)}</Heading>;
    }
    case 'code':
      // Long lines scroll: the keyboard has to reach them.
      return (
        <pre tabIndex={0}>
          <code>{block.text}</code>
        </pre>
      );
    case 'list': {
      const items = block.items.map((item, at) => <li key={at}>{inlineElements(item)}</li>);
      return block.start === null ? <ul>{items}</ul> : <ol start={block.start}>{items}</ol>;
    }
  }
}

const inlineElements = (inlines: readonly Inline[]) =>
  inlines.map((inline, at) => <InlineElement key={at} inline={inline} />);

function InlineElement({ inline }: { readonly inline: Inline }) {
  switch (inline.kind) {
    case 'text':
      return <>{inline.text}</>;
    case 'code':
      return <code>{inline.text}</code>;
    case 'strong':
      return <strong>{inline.text}</strong>;
    case 'emphasis':
      return <em>{inline.text}</em>;
    case 'link':
      return (
        <a href={inline.href} rel="noopener noreferrer" target="_blank">
          {inline.text}
        </a>
      );
  }
}
