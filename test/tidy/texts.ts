import ts from 'typescript';

/** A piece of text that people read: a comment, a string, JSX text, or a line of a page. */
export interface Text {
  readonly kind: 'comment' | 'string' | 'prose';
  readonly text: string;
  /** Line of its first character, from 1. */
  readonly line: number;
}

/** Returns the comments, string literals and JSX texts of a source, without the placeholders of templates. */
export function textsOfSource(name: string, content: string): Text[] {
  const kind = name.endsWith('.tsx') ? ts.ScriptKind.TSX : ts.ScriptKind.TS;
  const source = ts.createSourceFile(name, content, ts.ScriptTarget.ES2023, false, kind);
  const lineOf = (position: number): number => source.getLineAndCharacterOfPosition(position).line + 1;
  const texts: Text[] = [];
  const commentsSeen = new Set<number>();
  const addComments = (position: number): void => {
    for (const range of ts.getLeadingCommentRanges(content, position) ?? []) {
      if (commentsSeen.has(range.pos)) continue;
      commentsSeen.add(range.pos);
      texts.push({ kind: 'comment', text: content.slice(range.pos, range.end), line: lineOf(range.pos) });
    }
  };
  const visit = (node: ts.Node): void => {
    if (node.kind !== ts.SyntaxKind.JsxText) {
      addComments(node.pos);
      for (const range of ts.getTrailingCommentRanges(content, node.end) ?? []) addComments(range.pos);
    }
    if (ts.isImportDeclaration(node) || ts.isExportDeclaration(node)) return;
    if (ts.isStringLiteralLike(node) || ts.isTemplateLiteralToken(node) || ts.isJsxText(node))
      texts.push({ kind: 'string', text: node.text, line: lineOf(node.getStart(source)) });
    ts.forEachChild(node, visit);
  };
  visit(source);
  addComments(source.endOfFileToken.pos);
  return texts;
}

/** Returns the lines of a Markdown page without code fences and code spans. */
export function textsOfPage(content: string): Text[] {
  const blanked = content
    .replaceAll(/^```[^]*?^```/gm, (fence) => fence.replaceAll(/[^\n]/g, ''))
    .replaceAll(/`[^`\n]*`/g, '``');
  return blanked.split('\n').map((text, index) => ({ kind: 'prose', text, line: index + 1 }));
}
