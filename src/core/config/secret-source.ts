/** A secret: the text itself, or the file that contains it. Null: none. */
export type SecretSource = { readonly text: string } | { readonly file: string } | null;
